import type { ContactHours } from '../../../contract/resources/contacts.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { runJobKind } from '../../store/automations/runs.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import { findContactHours, saveContactHours } from '../../store/contacts/contact-hours.ts'
import { listAllWaiting, listInterrupted } from '../../store/contacts/waiting-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { wakeJobs } from '../../store/runtime/scheduled-jobs.ts'
import { callJobKind } from '../calls/call-service.ts'
import { campaignHoursJobKind } from '../campaigns/campaign-service.ts'
import { sendJobKind } from '../messaging/send-service.ts'
import { smsJobKind } from '../messaging/sms-service.ts'
import type { Deps } from '../runtime/deps.ts'
import { waitingJobKind, waitingSubject } from './outside-hours.ts'

/** The kinds of jobs that repeat an interrupted send, with its channel. */
const sendJobs = [
  [sendJobKind, 'messaging'],
  [smsJobKind, 'sms'],
  [callJobKind, 'call'],
] as const

/** No limits. */
const noHours: ContactHours = { schedule_windows: null, allowed_days: null, holidays: null, timezone: null }

/** Shows and changes the hours of an account. */
export function contactHoursService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    /** Returns the hours of the account. */
    get: async (account: number): Promise<ContactHours> =>
      (await findContactHours(accountQuery(connection.read, account))) ?? noHours,

    /** Changes the given settings, and returns all. Leads, messages, calls and runs that wait are evaluated again. */
    update: (account: number, change: Partial<ContactHours>): Promise<ContactHours> =>
      connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const hours = { ...((await findContactHours(query)) ?? noHours), ...change }
        await saveContactHours(query, hours, now)
        for (const { row } of await listCampaigns(query))
          if (row.status !== 'draft' && row.status !== 'completed')
            await scheduleJob(query, { account, kind: campaignHoursJobKind, subject: String(row.id), at: now })
        const waiting = await listAllWaiting(query)
        const subjects = waiting.map(({ id }) => waitingSubject(account, id))
        await wakeJobs(query, waitingJobKind, subjects, now)
        await wakeJobs(
          query,
          runJobKind,
          waiting.flatMap((it) => it.run_id ?? []),
          now,
        )
        for (const [kind, channel] of sendJobs)
          await wakeJobs(query, kind, (await listInterrupted(query, channel)).map(String), now)
        return hours
      }),
  }
}
