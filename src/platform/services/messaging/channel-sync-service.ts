import { hour, type Micros, minute } from '../../../contract/values/micros.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { setTemplateStatus } from '../../store/messaging/message-templates.ts'
import { listSenders, updateSender } from '../../store/messaging/senders.ts'
import { deleteJobById, findUnstartedJobAt, type JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'

/** Kind of the job that polls the channel for senders. The subject is the account's id. Its rows have this name, so it never changes. */
export const senderSyncJobKind = 'senders.sync'
/** Kind of the job that polls the channel for templates. The subject is the account's id. Its rows have this name, so it never changes. */
export const templateSyncJobKind = 'templates.sync'

/** Kinds of the jobs that repeat. Their intervals are given in section 8. */
export const periodicSyncJobKinds = [senderSyncJobKind, templateSyncJobKind] as const

type SyncJobKind = (typeof periodicSyncJobKinds)[number]

/** How often each of these jobs repeats. */
export const syncIntervals: Readonly<Record<SyncJobKind, Micros>> = {
  [senderSyncJobKind]: 5 * minute,
  [templateSyncJobKind]: 4 * hour,
}

/**
 * Schedules the next poll of the channel for an account with senders, in the caller's transaction, and returns its
 * time. A single poll replaces several missed ones.
 */
export async function scheduleSync(
  query: AccountQuery,
  kind: SyncJobKind,
  account: number,
  now: Micros,
): Promise<Micros> {
  // A poll in progress may have read the channel already.
  const pendingAt = await findUnstartedJobAt(query, kind, String(account))
  if (pendingAt !== undefined) return pendingAt
  const interval = syncIntervals[kind]
  const at = (Math.floor(now / interval) + 1) * interval
  await scheduleJob(query, { account, kind, subject: String(account), at })
  return at
}

/** Copies the status of senders and templates from the messaging channel (section 3). */
export function channelSyncService({ connection, clock, providers }: Pick<Deps, 'connection' | 'clock' | 'providers'>) {
  /** Ends a poll and schedules the next one. */
  async function rescheduleSync(
    query: AccountQuery,
    { id, account_id: account }: JobRow,
    kind: SyncJobKind,
  ): Promise<void> {
    await deleteJobById(query, id)
    await scheduleSync(query, kind, account, clock.nextPeriodStart(await clock.now(query)))
  }

  return {
    /** Scheduled job: polls the channel for all senders of an account. */
    async syncSenders(row: JobRow): Promise<void> {
      const senders = await listSenders(accountQuery(connection.read, row.account_id))
      const updates = await Promise.all(
        senders.map(async (it) => ({ id: it.id, ...(await providers.channel.sender(it.phone_number)) })),
      )
      await connection.write({ account: row.account_id }, async (query) => {
        for (const { id, status, qualityRating, messagingLimit } of updates) {
          const change = {
            ...(status !== undefined && { status }),
            ...(qualityRating !== undefined && { quality_rating: qualityRating }),
            ...(messagingLimit !== undefined && { messaging_limit: messagingLimit, limit_known: 1 }),
          }
          if (Object.keys(change).length > 0) await updateSender(query, id, change)
        }
        await rescheduleSync(query, row, senderSyncJobKind)
      })
    },

    /**
     * Scheduled job: polls the channel for all templates of an account. Templates that the channel has are marked as
     * synced.
     */
    async syncTemplates(row: JobRow): Promise<void> {
      const senders = await listSenders(accountQuery(connection.read, row.account_id))
      const updates = await Promise.all(
        senders.map(async (it) => ({ id: it.id, templates: await providers.channel.templates(it.phone_number) })),
      )
      await connection.write({ account: row.account_id }, async (query) => {
        for (const { id, templates } of updates)
          for (const template of templates) await setTemplateStatus(query, id, template)
        await rescheduleSync(query, row, templateSyncJobKind)
      })
    },
  }
}
