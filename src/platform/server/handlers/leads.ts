import type * as z from 'zod'
import { Failure, failures, toEnvelope } from '../../../contract/errors/failures.ts'
import {
  BatchLead,
  type Lead,
  type LeadHours,
  leads,
  type SecondaryContact,
} from '../../../contract/resources/leads.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { parseJson } from '../../../node/json.ts'
import { toPlainTime } from '../../jobs/clock.ts'
import type { HoursOfLeads } from '../../services/campaigns/lead-hours.ts'
import { type LeadDraft, leadService } from '../../services/campaigns/lead-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { LeadContactRow, LeadRow } from '../../store/campaigns/leads.ts'
import { toPage } from '../http/page-envelope.ts'
import { readBodyFields } from '../http/read-input.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const leadResource = (deps: Deps): LoadedResource => loadedResource(leads, leadHandlers(deps))

/** Creates the handlers of leads. */
function leadHandlers(deps: Deps): HandlersOf<typeof leads> {
  const service = leadService(deps)
  return {
    async create(draft, { account, key }) {
      const lead = toDraft(draft, { campaign: draft.campaign_id, duplicate: draft.allow_dupplicate })
      const { row, campaign, contacts } = await service.create(account.id, lead, undefined, key)
      return {
        message: 'Lead created successfully',
        data: toWire(row, { id: campaign.id, name: campaign.name }, contacts),
      }
    },

    async createBatch({ campaign_id, allow_dupplicate, leads: given }, { account, key }) {
      const shared = { campaign: campaign_id, duplicate: allow_dupplicate }
      const drafts = given.map((body): LeadDraft | Failure => {
        try {
          return toDraft(readBodyFields(leads.create, BatchLead, body), shared)
        } catch (error) {
          if (error instanceof Failure) return error
          throw error
        }
      })
      const results = await service.createBatch(account.id, shared, drafts, key)
      const created = results.filter((it) => typeof it === 'number').length
      return {
        message: `${created} of ${results.length} leads created`,
        results: results.map((result) =>
          typeof result === 'number'
            ? { status: leads.create.status, id: result, error: null }
            : { status: failures[result.kind].status, id: null, error: toEnvelope(result) },
        ),
      }
    },

    async list(input, { account, origin }) {
      const { rows, contacts, total } = await service.list(account.id, {
        campaign: input.campaign_id,
        status: input.status,
        phone: input.phone_number,
        fromDay: dayOf(input.date_from),
        toDay: dayOf(input.date_to),
        page: input.page,
        perPage: input.per_page,
      })
      const hours = await service.hoursOf(account.id, rows)
      const now = hours.size > 0 ? await service.now() : 0
      const items = rows.map((row) => ({
        ...toWire(
          row,
          { id: row.campaign_id, name: row.campaign_name, channel: row.campaign_channel },
          contacts.get(row.id),
        ),
        fallback_sent_at: row.fallback_sent_at === null ? null : toPlainTime(row.fallback_sent_at),
        ...hoursToWire(row, hours.get(row.campaign_id), now),
      }))
      return toPage(items, { total, path: leads.list.path, origin, input })
    },

    async update({ id, ...change }, { account, key }) {
      const changed = {
        campaign: change.campaign_id,
        phone: change.phone_number,
        status: change.status,
        variables: change.variables,
      }
      await service.update(account.id, id, changed, undefined, key)
      return { message: 'Lead updated successfully' }
    },

    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Lead deleted successfully' }
    },
  }
}

const toDraft = (given: z.output<typeof BatchLead>, shared: Pick<LeadDraft, 'campaign' | 'duplicate'>): LeadDraft => ({
  ...shared,
  phone: given.phone_number,
  variables: given.variables ?? {},
  contacts: (given.secondary_contacts ?? []).map((contact) => ({
    phone: contact.phone_number,
    variables: contact.variables ?? {},
  })),
})

/** Returns when a lead may be contacted, if this depends on the lead. */
function hoursToWire(row: LeadRow, hours: HoursOfLeads | undefined, now: Micros): { contact_hours?: LeadHours } {
  if (!hours) return {}
  const { timezones, source, invalid } = hours.zonesOf(row)
  const opening = hours.openingOf(row, now)
  return {
    contact_hours: {
      timezones: [...timezones],
      timezone_source: source,
      invalid_timezone: invalid,
      state: opening === undefined ? 'no-common-hour' : opening === now ? 'open' : 'closed',
      opens_at: opening === undefined || opening === now || !hours.isContacted(row) ? null : toPlainTime(opening),
    },
  }
}

const dayOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.floor((Date.parse(text) * 1000) / day)

const toContact = (row: LeadRow | LeadContactRow): SecondaryContact => ({
  id: row.id,
  phone_number: row.phone_number,
  variables: parseJson(row.variables),
  status: row.status,
  created_at: toPlainTime(row.created_at),
  updated_at: toPlainTime(row.updated_at),
})

const toWire = (row: LeadRow, campaign: Lead['campaign'], contacts: readonly LeadContactRow[] = []): Lead => ({
  ...toContact(row),
  campaign_id: row.campaign_id,
  campaign,
  secondary_contacts: contacts.map(toContact),
})
