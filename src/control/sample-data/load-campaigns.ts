import { stringifyJson } from '../../node/json.ts'
import type { CampaignDraft } from '../../services/campaigns/campaign-fields.ts'
import { campaignService } from '../../services/campaigns/campaign-service.ts'
import { scheduleDispatch } from '../../services/campaigns/lead-outcomes.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { insertLead, insertLeadContact } from '../../store/campaigns/leads.ts'
import type { CampaignStatus, LeadStatus } from '../../store/campaigns/tables.ts'
import { updateStoredRow } from '../../store/database/stored-rows.ts'
import { depsAt, type Loading, loadEach, timeOf, timesOf } from './loading.ts'
import { objectsIn } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

/** Loads the campaigns of an account with their leads. */
export async function loadCampaigns(loading: Loading): Promise<void> {
  const { query, account, now } = loading
  await loadEach(loading, 'campaigns', async ({ body, record, createdAt, updatedAt }) => {
    const service = campaignService(depsAt(loading, createdAt))
    const { row } = await service.create(account.id, body as unknown as CampaignDraft)
    const status = record.status as CampaignStatus
    await updateStoredRow(query, 'campaign', row.id, { status, updated_at: updatedAt })
    for (const lead of objectsIn(record.leads)) await loadLead(loading, row.id, lead)
    if (status === 'in-progress') await scheduleDispatch(query, row, now)
    else if (status === 'scheduled') await scheduleDispatch(query, row, row.starts_at ?? now)
    return row.id
  })
}

async function loadLead(loading: Loading, campaign: number, it: Fields): Promise<void> {
  const { query, account } = loading
  const state = stateOf(loading, it)
  const { id } = await insertLead(query, {
    ...state,
    campaign_id: campaign,
    contacts: objectsIn(it.secondary_contacts).length,
    next_attempt_at: timeOf(
      loading,
      it.next_attempt_at,
      it.next_attempt_at === undefined && waitingLeads.includes(state.status) ? state.created_at : null,
    ),
    fallback_sent_at: timeOf(loading, it.fallback_sent_at, null),
  })
  for (const contact of objectsIn(it.secondary_contacts))
    await insertLeadContact(query, { ...stateOf(loading, contact), lead_id: id, account_id: account.id })
}

/** Returns the columns that a lead and its secondary contacts share. */
function stateOf(loading: Loading, it: Fields) {
  const { createdAt, updatedAt } = timesOf(loading, it)
  return {
    account_id: loading.account.id,
    phone_number: String(it.phone_number),
    variables: stringifyJson(it.variables),
    status: it.status as LeadStatus,
    attempts: Number(it.attempts),
    last_attempt_at: timeOf(loading, it.last_attempt_at, null),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
