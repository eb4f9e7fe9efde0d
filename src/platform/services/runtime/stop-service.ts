import { Failure } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { realTime, sleep } from '../../../node/real-time.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { listDialling, readActivity, type StoredActivity, setStoppedAt } from '../../store/accounts/account-stop.ts'
import { runJobKind } from '../../store/automations/runs.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { listLeasedJobs, releaseHeldJobs } from '../../store/runtime/scheduled-jobs.ts'
import { callJobKind } from '../calls/call-service.ts'
import { sendJobKind } from '../messaging/send-service.ts'
import { smsJobKind } from '../messaging/sms-service.ts'
import type { Deps } from './deps.ts'

/** What an account does on its own, with what has started and not ended. */
export interface AccountActivity extends StoredActivity {
  readonly finishing: number
}

/** Milliseconds that a stop waits for what has started, and between two checks of it. */
const maxWaitMs = 5000
const pauseMs = 20

/**
 * Stops and resumes everything that an account does on its own. A stop is one column of the account's row: whatever starts
 * reads it in the transaction that stores the start, and both hold the account. What the jobs of a stopped account would
 * do waits with them, so that a resume continues exactly what was stopped.
 */
export function stopService({ connection, clock, wall }: Pick<Deps, 'connection' | 'clock' | 'wall'>) {
  /** Counts steps, messages and calls that began, by the leases of their jobs. A job of another kind that reaches people or other systems has to be added. */
  async function countFinishing(account: number): Promise<number> {
    const read = accountQuery(connection.read, account)
    const jobs = await listLeasedJobs(read, [runJobKind, sendJobKind, smsJobKind, callJobKind], wall())
    const calls = jobs.filter((it) => it.kind === callJobKind).map((it) => Number(it.subject))
    return jobs.length - calls.length + (await listDialling(read, calls)).length
  }

  const activity = async (account: number): Promise<AccountActivity> => ({
    ...(await readActivity(accountQuery(connection.read, account))),
    finishing: await countFinishing(account),
  })

  return {
    activity,

    /** Stops the account. Answers once what began before has ended, at the latest after some seconds. */
    async stop(account: number): Promise<AccountActivity> {
      await connection.write({ account }, async (query) => {
        const { stoppedAt } = await readActivity(query)
        if (stoppedAt === null) await setStoppedAt(query, await clock.now(query))
      })
      const deadline = realTime.monotonicMs() + maxWaitMs
      while ((await countFinishing(account)) > 0 && realTime.monotonicMs() < deadline) await sleep(pauseMs)
      return activity(account)
    },

    /**
     * Continues what waits since the account was stopped, or since the stop at a time as responses have it. Returns what runs now, and when it
     * had been stopped. @throws Failure `user.stop_changed` if that stop was resumed since
     */
    async resume(
      account: number,
      agreed?: string,
    ): Promise<{ readonly activity: AccountActivity; readonly stoppedAt: Micros | null }> {
      const stoppedAt = await connection.write({ account }, async (query) => {
        const before = await readActivity(query)
        if (agreed !== undefined) requireSameStop(agreed, before.stoppedAt)
        if (before.stoppedAt === null) return null
        await setStoppedAt(query, null)
        await releaseHeldJobs(query, await clock.now(query))
        return before.stoppedAt
      })
      return { activity: await activity(account), stoppedAt }
    },
  }
}

/** Throws if the account is not stopped since the time that was agreed to: somebody else resumed it, and may have stopped it again. */
function requireSameStop(agreed: string, stoppedAt: Micros | null): void {
  const now = stoppedAt === null ? null : toIsoMicros(stoppedAt)
  if (now === agreed) return
  const since = `Somebody has resumed the account since it was stopped at ${agreed}`
  throw new Failure('user.stop_changed', {
    text:
      now === null
        ? `${since}. Nothing is stopped now, and nothing was changed.`
        : `${since}, and stopped the account again at ${now}. Nothing was continued.`,
  })
}
