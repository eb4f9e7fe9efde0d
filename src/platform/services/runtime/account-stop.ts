import { Failure } from '../../../contract/errors/failures.ts'
import { isStopped, readStartConditions, type StartConditions } from '../../store/accounts/accounts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { holdJob, type JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from './deps.ts'

/**
 * Refuses what would start on a stopped account, in the transaction that stores the start, which must hold the account.
 * Returns the other conditions, which the same statement reads; `key` is the idempotency key of the request.
 * @throws Failure `user.stopped`
 */
export async function requireNotStopped(query: AccountQuery, key?: string): Promise<StartConditions> {
  const conditions = await readStartConditions(query, key)
  if (conditions.isStopped) throw new Failure('user.stopped')
  return conditions
}

/**
 * Lets a job wait if its account is stopped, and returns whether it does. For jobs that continue what was stored before the
 * stop: their lease shows that they begin, so a stop waits for those that this has let through.
 */
export const waitsForResume = async ({ connection }: Pick<Deps, 'connection'>, job: JobRow): Promise<boolean> =>
  (await isStopped(accountQuery(connection.read, job.account_id))) &&
  connection.write({ account: job.account_id }, async (query) => {
    if (!(await isStopped(query))) return false
    await holdJob(query, job)
    return true
  })
