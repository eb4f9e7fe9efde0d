import type { ContactHours } from '../../../contract/resources/contacts.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import { findContactHours, saveContactHours } from '../../store/contacts/contact-hours.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { campaignHoursJobKind } from '../campaigns/campaign-service.ts'
import type { Deps } from '../runtime/deps.ts'

/** No limits. */
const noHours: ContactHours = { schedule_windows: null, allowed_days: null, holidays: null, timezone: null }

/** Shows and changes the hours of an account. */
export function contactHoursService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    /** Returns the hours of the account. */
    get: async (account: number): Promise<ContactHours> =>
      (await findContactHours(accountQuery(connection.read, account))) ?? noHours,

    /** Changes the given settings, and returns all. Leads that wait are evaluated again. */
    update: (account: number, change: Partial<ContactHours>): Promise<ContactHours> =>
      connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const hours = { ...((await findContactHours(query)) ?? noHours), ...change }
        await saveContactHours(query, hours, now)
        for (const { row } of await listCampaigns(query))
          if (row.status !== 'draft' && row.status !== 'completed')
            await scheduleJob(query, { account, kind: campaignHoursJobKind, subject: String(row.id), at: now })
        return hours
      }),
  }
}
