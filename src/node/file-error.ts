const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file of this name exists',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many open files',
}

const writeReasons: Readonly<Record<string, string>> = {
  ...reasons,
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
}

/** Returns the message of the system without its error code and call: `i/o error`. */
const systemReason = ({ message }: Error): string => message.replace(/^E[A-Z0-9]+: /, '').replace(/, \w+(?: .*)?$/s, '')

/** Describes in a phrase why a file could not be read: `no such file`. Callers put it behind what failed and a colon. */
export function describeFileError(error: unknown): string {
  return reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? systemReason(error as Error)
}

/** Describes in a phrase why a file could not be written: `its folder does not exist`. */
export function describeWriteError(error: unknown): string {
  return writeReasons[(error as NodeJS.ErrnoException).code ?? ''] ?? systemReason(error as Error)
}
