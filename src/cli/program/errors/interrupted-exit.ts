import { type ExitName, exitCodes } from '../../../contract/errors/exit-codes.ts'
import type { ErrorReport } from '../output/notes.ts'

/** Returns the exit code name of a command that a signal ended. */
export const interruptedExit = (signal: AbortSignal): ExitName =>
  (['hung_up', 'terminated'] as const).find((it) => exitCodes[it].code === signal.reason) ?? 'interrupted'

/** Returns what is printed about an interruption that the user did not ask for: the terminal was closed. */
export const interruptionReport = (signal: AbortSignal): ErrorReport | undefined =>
  interruptedExit(signal) === 'hung_up'
    ? { code: 'hung_up', message: 'Interrupted, because the terminal was closed.' }
    : undefined

/** Returns the exit code name of a command that follows until it is stopped: `done` if it reached its own end. */
export const followedExit = (signal: AbortSignal): ExitName => (signal.aborted ? interruptedExit(signal) : 'done')
