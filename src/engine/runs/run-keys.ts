// Keys and ids of runs, steps and waits. They are stored, and sent to external services: none of these formats ever changes,
// because runs that wait continue after an update. Ids of runs have no `:` and no `.`, which separate them from the path.

import type { RunState } from './run-state.ts'

/** Returns the name of a step in paths, where `/` and `[` separate the steps and iterations around it. */
export const pathName = (name: unknown): string => String(name).replace(/[%/[\]]/g, encodeURIComponent)

/** Returns the idempotency key of a step. It is the same for every attempt until the run is retried explicitly. */
export const idempotencyKey = ({ id, round }: Pick<RunState, 'id' | 'round'>, path: string): string =>
  `${id}:${path}${round > 1 ? `:${round}` : ''}`

/** Returns the id of the run of an idempotency key. */
export const runOfKey = (key: string): string => key.split(':', 1)[0] ?? ''

/** Returns the id of a step's wait. It is derived from the path, because it must be known before the wait is stored. */
export const waitId = ({ id }: Pick<RunState, 'id'>, path: string): string => `${id}.${path}`

/** Returns the id of the wait for a called run. No address has it, so only the called run can end the wait. */
export const callWaitId = (run: Pick<RunState, 'id'>, path: string): string => `${callPrefix}${waitId(run, path)}`

/** Returns whether a wait is one for a called run. */
export const isCallWait = (wait: string): boolean => wait.startsWith(callPrefix)

const callPrefix = 'call '

/** Returns the id of the run that waits. Not for the wait of a called run (`isCallWait`): the prefix would be part of the result. */
export const runOfWait = (wait: string): string => wait.slice(0, wait.indexOf('.'))
