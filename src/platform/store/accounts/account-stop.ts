// What an account does on its own, and whether all of it is stopped.

import { runJobKind } from '../automations/runs.ts'
import { runningStatuses } from '../campaigns/campaigns.ts'
import { countWaiting } from '../contacts/waiting-contacts.ts'
import type { AccountQuery } from '../database/connection.ts'
import { updateAccount } from './accounts.ts'

/** What an account does on its own now. */
export interface StoredActivity {
  readonly stoppedAt: number | null
  readonly campaigns: number
  readonly runs: number
  readonly calls: number
  /** Messages, SMS and calls that wait for the contact hours. */
  readonly waiting: number
}

const countOf = async (rows: {
  executeTakeFirstOrThrow(): Promise<{ n: number | string | bigint }>
}): Promise<number> => Number((await rows.executeTakeFirstOrThrow()).n)

/** Counts what an account does on its own. */
export async function readActivity(query: AccountQuery): Promise<StoredActivity> {
  const { account } = query
  const stopped = await query.selectFrom('account').select('stopped_at').where('id', '=', account).executeTakeFirst()
  const campaigns = query.selectFrom('campaign').where('account_id', '=', account).where('deleted_at', 'is', null)
  const calls = query.selectFrom('phone_call').where('account_id', '=', account).where('type', '=', 'outbound')
  // Each run that has not ended has a job.
  const runs = query.selectFrom('due').where('account_id', '=', account).where('kind', '=', runJobKind)
  return {
    stoppedAt: stopped?.stopped_at ?? null,
    campaigns: await countOf(
      campaigns.where('status', 'in', runningStatuses).select((it) => it.fn.countAll<number>().as('n')),
    ),
    runs: await countOf(runs.select((it) => it.fn.countAll<number>().as('n'))),
    calls: await countOf(calls.where('state', '!=', 'over').select((it) => it.fn.countAll<number>().as('n'))),
    waiting: await countWaiting(query),
  }
}

/**
 * Stores since when an account is stopped; null resumes it. This row alone stops what would start: `isStopped` of accounts.ts reads it
 * in the transaction of every start. stop-service.ts releases at the resume what has waited.
 */
export async function setStoppedAt(query: AccountQuery, at: number | null): Promise<void> {
  await updateAccount(query, query.account, { stopped_at: at })
}

/** Returns which of these calls the carrier has not accepted yet. */
export const listDialling = async (query: AccountQuery, ids: readonly number[]): Promise<number[]> =>
  ids.length === 0
    ? []
    : (
        await query
          .selectFrom('phone_call')
          .select('id')
          .where('id', 'in', ids)
          .where('state', '=', 'dialling')
          .execute()
      ).map((it) => it.id)
