import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type FileCalls,
  nullDevice,
  removeFile,
  renameFile,
  restrictToOwner,
  shellCommand,
} from '../../src/node/operating-system.ts'

/** Calls of a system on which the first `failures` fail, because another process has the file open. */
function busy(os: string, code: string, failures: number) {
  const done: string[] = []
  const pauses: number[] = []
  let left = failures
  const attempt = (what: string) => {
    if (left-- > 0) throw Object.assign(new Error(`${code}: ${what}`), { code })
    done.push(what)
  }
  const calls: FileCalls = {
    os,
    rename: (from, to) => attempt(`${from} > ${to}`),
    remove: (file) => attempt(file),
    pause: (ms) => void pauses.push(ms),
  }
  return { calls, done, pauses }
}

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'on Windows, a rename over an open file and its deletion wait while the error is %s',
  (code) => {
    const renaming = busy('win32', code, 3)
    renameFile('draft', 'file', renaming.calls)
    expect(renaming.done).toEqual(['draft > file'])
    expect(renaming.pauses).toHaveLength(3)
    const deleting = busy('win32', code, 3)
    removeFile('file', deleting.calls)
    expect(deleting.done).toEqual(['file'])
  },
)

test('on Windows, a file that stays open is an error in the end, and nothing was done', () => {
  const { calls, done, pauses } = busy('win32', 'EPERM', Number.POSITIVE_INFINITY)
  expect(() => renameFile('draft', 'file', calls)).toThrow('EPERM')
  expect(done).toEqual([])
  expect(pauses.length).toBeGreaterThan(5)
})

test.each([
  ['win32', 'ENOENT'],
  ['win32', 'ENOSPC'],
  ['linux', 'EPERM'],
  ['darwin', 'EBUSY'],
])('on %s, the error %s is reported at once', (os, code) => {
  const { calls, pauses } = busy(os, code, 1)
  expect(() => renameFile('draft', 'file', calls)).toThrow(code)
  expect(() => removeFile('file', busy(os, code, 1).calls)).toThrow(code)
  expect(pauses).toEqual([])
})

test('a file is replaced, deleted and restricted on the system of this test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-system-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [draft, file] = [join(folder, 'draft'), join(folder, 'file')]
  writeFileSync(draft, 'new', { mode: 0o644 })
  writeFileSync(file, 'old')
  renameFile(draft, file)
  expect(readFileSync(file, 'utf8')).toBe('new')
  restrictToOwner(file, 'win32')
  expect(statSync(file).mode & 0o777).toBe(0o644)
  restrictToOwner(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  removeFile(file)
  removeFile(file)
  expect(readdirSync(folder)).toEqual([])
})

test('a line of shell is run by the shell of the system, and Windows has no null device', () => {
  expect(shellCommand('win32', 'op read key')).toEqual(['cmd', ['/c', 'op read key']])
  expect(shellCommand('linux', 'op read key')).toEqual(['sh', ['-c', 'op read key']])
  expect([nullDevice('win32'), nullDevice('linux')]).toEqual([undefined, '/dev/null'])
})
