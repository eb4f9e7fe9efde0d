import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { describeFileError, describeWriteError } from '../../../node/file-error.ts'
import type { Context } from '../context.ts'

/** What the calls of the system do with a path. Others write. */
const reads: Readonly<Record<string, string>> = {
  scandir: 'read the folder',
  stat: 'read',
  lstat: 'read',
  access: 'read',
  read: 'read',
  realpath: 'read',
}

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space, or pass another path.',
  EDQUOT: 'Free some space, or pass another path.',
  EROFS: 'Pass a path on a file system that can be written.',
  EACCES: 'Check the permissions of the path, or pass another one.',
  EPERM: 'Check the permissions of the path, or pass another one.',
}

/** Returns the error of the system about a path, which the error is or has as its cause. */
export function fileErrorIn(error: unknown): NodeJS.ErrnoException | undefined {
  // Its message names the data folder and the remedy.
  if ((error as Error | undefined)?.name === 'StoreError') return undefined
  for (const cause of [error, (error as Error | undefined)?.cause]) {
    const { code, syscall, path } = (cause ?? {}) as NodeJS.ErrnoException
    if (code !== undefined && syscall !== undefined && path !== undefined && /^E[A-Z0-9]+$/.test(code))
      return cause as NodeJS.ErrnoException
  }
  return undefined
}

/**
 * Explains a file that could not be read or written: its path, the reason and what to do. The exit code is that of
 * wrong usage, or of an internal error when the platform was already changed.
 */
export function explainFileError(error: Error, context: Context | undefined): ClientFailure {
  const found = fileErrorIn(error) as NodeJS.ErrnoException
  const { code = '', syscall = '', path = '' } = found
  // The error of a folder that cannot be created has a phrase of its own.
  const isNewFolder = error !== found
  // Text is written to a draft beside the file.
  const file = path.replace(/\.[a-z0-9]+\.draft$/, '')
  const isFolder = syscall === 'scandir' && code === 'ENOTDIR'
  const isRead = reads[syscall] !== undefined || (syscall === 'open' && file === path)
  const verb = isNewFolder ? 'create the folder' : (reads[syscall] ?? (isRead ? 'open' : 'write'))
  const reason = isFolder
    ? 'it is a file'
    : isNewFolder
      ? error.message
      : isRead && code !== 'ENOTDIR'
        ? describeFileError(error)
        : describeWriteError(error)
  const hasWritten = [...(context?.responses ?? [])].some(([{ risk }]) => risk !== 'read')
  return new ClientFailure({
    exit: hasWritten ? 'internal' : 'usage',
    code: 'file',
    message: `Could not ${verb} ${file}: ${reason}.${hasWritten ? ' The platform was already changed.' : ''}`,
    hint: hints[code] ?? (isFolder ? 'Pass a folder.' : 'Check the path, or pass another one.'),
    sent: hasWritten,
    cause: error,
  })
}
