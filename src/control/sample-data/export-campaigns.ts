import { references } from '../../contract/references/resource-references.ts'
import { parseJson } from '../../node/json.ts'
import { fieldsFromRow, missingFields } from '../../services/campaigns/campaign-fields.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import type { LeadContactRow, LeadRow } from '../../store/campaigns/leads.ts'
import { readAccountRows } from '../../store/database/stored-rows.ts'
import { type Exporting, isoOrNothing, timesOfRow } from './export-context.ts'
import { omitDefaults } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the campaigns with their leads, without campaigns that are incomplete. */
export async function exportCampaigns({ query, account, names }: Exporting): Promise<Fields[]> {
  const leads = groupBy(await readAccountRows<LeadRow>(query, 'lead', account.id), (it) => it.campaign_id)
  const contacts = groupBy(await readAccountRows<LeadContactRow>(query, 'lead_contact', account.id), (it) => it.lead_id)
  // A campaign whose assistant, sender or number was deleted cannot be created again.
  const campaigns = (await listCampaigns(query, account.id)).filter((it) => missingFields(it).length === 0)
  return campaigns.map((it) =>
    omitDefaults('campaigns', {
      ...names.replaceIds(fieldsFromRow(it) as Fields, references.campaigns),
      ...names.add('campaigns', it.row.id, it.row.name),
      status: it.row.status,
      leads: (leads.get(it.row.id) ?? []).map((lead) => leadFields(lead, contacts.get(lead.id) ?? [])),
      ...timesOfRow(it.row),
    }),
  )
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => number): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

function leadFields(it: LeadRow, contacts: readonly LeadContactRow[]): Fields {
  const usualAttempt = waitingLeads.includes(it.status) ? it.created_at : null
  return {
    ...stateFields(it),
    next_attempt_at: it.next_attempt_at === usualAttempt ? undefined : (isoOrNothing(it.next_attempt_at) ?? null),
    fallback_sent_at: isoOrNothing(it.fallback_sent_at),
    secondary_contacts: contacts.map((one) => ({ ...stateFields(one), ...timesOfRow(one) })),
    ...timesOfRow(it),
  }
}

const stateFields = (it: LeadRow | LeadContactRow): Fields => ({
  phone_number: it.phone_number,
  variables: parseJson(it.variables),
  status: it.status,
  attempts: it.attempts,
  last_attempt_at: isoOrNothing(it.last_attempt_at),
})
