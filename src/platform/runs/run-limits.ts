import { type Micros, second } from '../../contract/values/micros.ts'

// Limits of runs on a platform, for runner.ts and its parts; those of steps are in engine/runs/step-limits.ts. A change applies
// to runs in progress too, except to waits that have started: their jobs have the time.

/** Maximum number of consecutive attempts of a step that end because the process dies. After that the run fails. */
export const maxStalls = 5
/**
 * Maximum number of consecutive processes that die before they start a step of a run. Restarts do not fail a run; a run
 * that prevents every start does.
 */
export const maxIdleStalls = 25
/** Maximum active time of a run in total. Waiting does not count. */
export const maxActiveTime: Micros = 600 * second
/** Maximum time that a run waits for a callback. */
export const callbackTimeout: Micros = 30 * 24 * 3600 * second
/** Maximum number of runs that work at the same time in a process. Others wait; the accounts take turns. */
export const maxConcurrentRuns = 64
/** Maximum number of runs of one account that have started in a process, those that wait for an answer included. */
export const maxStartedRuns = 128
/** Maximum number of runs of one account that wait in a process before they start. More calls of webhooks are refused. */
export const maxWaitingRuns = 1000
/** Seconds after which a refused call of a webhook may be repeated, as its answer says. */
export const waitingRunsRetryAfter = 10
/** Milliseconds after which another process may claim the runs of a silent process, and interval of heartbeats. */
export const leaseMs = 30_000
export const heartbeatMs = 10_000
