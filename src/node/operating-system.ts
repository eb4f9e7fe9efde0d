import { chmodSync, fchownSync, fstatSync, renameSync, rmSync, statSync } from 'node:fs'

// What differs between Windows and other systems when a file or a program is used. A test finds such calls elsewhere.

/** Calls of the system that a test replaces. */
export interface FileCalls {
  readonly os: string
  readonly rename: (from: string, to: string) => void
  readonly remove: (file: string) => void
  readonly pause: (ms: number) => void
}

const systemCalls: FileCalls = {
  os: process.platform,
  rename: renameSync,
  remove: (file) => rmSync(file, { force: true }),
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
}

/** Errors of Windows for a file that another process has open, such as a virus scanner. They pass. */
const inUseCodes: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY']

/** Returns whether a file could not be renamed or deleted because another process has it open, which only Windows refuses. */
export const isInUse = (error: unknown, os: string = process.platform): boolean =>
  os === 'win32' && inUseCodes.includes((error as NodeJS.ErrnoException).code)

/** Pauses between attempts on Windows, in milliseconds: 2.5 s together. */
const pausesMs = [1, 2, 5, 10, 20, 50, 100, 100, 200, 200, 300, 500, 500, 500]

/** Renames a file, and replaces one of the new name. On Windows, waits a moment for a process that has one of them open. */
export const renameFile = (from: string, to: string, calls: FileCalls = systemCalls): void =>
  whileInUse(() => calls.rename(from, to), calls)

/** Deletes a file, if there is one. On Windows, waits a moment for a process that has it open. */
export const removeFile = (file: string, calls: FileCalls = systemCalls): void =>
  whileInUse(() => calls.remove(file), calls)

function whileInUse(work: () => void, { os, pause }: FileCalls): void {
  for (let attempt = 0; ; attempt++) {
    try {
      return work()
    } catch (error) {
      const pauseMs = pausesMs[attempt]
      if (pauseMs === undefined || !isInUse(error, os)) throw error
      pause(pauseMs)
    }
  }
}

/** Lets only the owner read a file. Windows gives a file the permissions of its folder, which are those of its user. */
export function restrictToOwner(file: string, os: string = process.platform): void {
  if (os !== 'win32') chmodSync(file, 0o600)
}

/** Gives a file that root has created to the owner of its folder. On Windows, files have no such owner. */
export function giveToFolderOwner(descriptor: number, folder: string, os: string = process.platform): void {
  if (os === 'win32' || fstatSync(descriptor).uid !== 0) return
  const { uid, gid } = statSync(folder)
  if (uid !== 0) fchownSync(descriptor, uid, gid)
}

/** Returns the command that runs a line of shell. */
export const shellCommand = (os: string, line: string): [command: string, args: readonly string[]] =>
  os === 'win32' ? ['cmd', ['/c', line]] : ['sh', ['-c', line]]

/** Returns the program that opens a file in the editor of the user, which is a command line. Windows has no `sh`. */
export function editorCommand(os: string, editor: string, file: string): [command: string, args: readonly string[]] {
  if (os !== 'win32') return ['sh', ['-c', `${editor} "$1"`, 'sh', file]]
  const [command = editor, ...args] = (editor.match(/"[^"]*"|[^\s"]+/g) ?? []).map((it) => it.replaceAll('"', ''))
  return [command, [...args, file]]
}

/** Device that discards what is written; undefined on Windows, where it is not a file. */
export const nullDevice = (os: string = process.platform): string | undefined =>
  os === 'win32' ? undefined : '/dev/null'
