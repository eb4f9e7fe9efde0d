import type { ExitName } from '../../contract/errors/exit-codes.ts'

/** Returns the exit code name of an interrupted command: `terminated` for code 143, otherwise `interrupted`. */
export const interruptedExit = (signal: AbortSignal): ExitName =>
  (signal.reason as number) === 143 ? 'terminated' : 'interrupted'

/** Returns the exit code name of a command that follows until it is stopped: `done` if it reached its own end. */
export const followedExit = (signal: AbortSignal): ExitName => (signal.aborted ? interruptedExit(signal) : 'done')
