import { Failure, failures } from '../contract/errors.ts'
import type { Micros } from '../events/clock.ts'
import { schedule, unschedule } from '../events/due.ts'
import { findAccount } from '../store/accounts.ts'
import {
  type CampaignRow,
  countCampaigns,
  findCampaign,
  findDeletedCampaign,
  findNumberedCampaign,
  insertCampaign,
  listCampaigns,
  moveCampaign,
  type NumberedCampaign,
  sweepCampaign,
} from '../store/campaigns.ts'
import type { Query } from '../store/connection.ts'
import { handOnDue } from '../store/due.ts'
import { hasWaitingLead } from '../store/leads.ts'
import { readCampaignLimit } from '../store/plans.ts'
import { campaignErrors } from './campaign-checks.ts'
import { scheduleTurn, turnWork } from './campaign-leads.ts'
import { type CampaignDraft, drafted, fieldsOf, lackOf, toColumns } from './campaign-state.ts'
import type { Deps } from './deps.ts'
import { type CampaignEvent, campaignTransitions, moved, waitingLeads } from './transitions.ts'

/** Kind of the due work that takes away what is left of a deleted campaign. Its subject is the campaign's id. */
export const campaignWork = 'campaign.removal'

/** Leads taken away in one transaction: others write in between. */
const batch = 500
/** Milliseconds of wall time a deletion works on end. */
const patienceMs = 2000

/** A refusal whose text has words in braces. */
const refusal = (
  kind: 'missing' | 'bad_action' | 'bad_state' | 'incomplete' | 'no_leads' | 'insufficient_balance',
  words: Record<string, string> = {},
): Failure => {
  const name = `campaigns.${kind}` as const
  return new Failure(name, { text: failures[name].text.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '') })
}

/** Whether a start begins at once, or when the time it is meant to begin at has come. */
const startOf = (row: CampaignRow, now: Micros): CampaignEvent => (row.starts_at !== null && row.starts_at > now ? 'schedule' : 'start')

export function campaignService({ connection, clock, owner, wall }: Pick<Deps, 'connection' | 'clock' | 'owner' | 'wall'>) {
  async function found(query: Query, account: number, id: number): Promise<NumberedCampaign> {
    const it = await findNumberedCampaign(query, account, id)
    if (!it) throw refusal('missing')
    return it
  }

  /** @throws Failure where its status, its balance, what it has lost or that it has nobody to contact forbids it */
  const move = (account: number, id: number, eventOf: (row: CampaignRow, now: Micros) => CampaignEvent): Promise<CampaignRow> =>
    connection.write(async (query) => {
      const campaign = await found(query, account, id)
      const { row } = campaign
      const now = await clock.now(query)
      const event = eventOf(row, now)
      const status = moved(campaignTransitions, event, row.status)
      if (status === undefined) throw refusal('bad_state', { status: row.status })
      if (event === 'start' || event === 'schedule') {
        const lack = lackOf(campaign)
        if (lack.length > 0) throw refusal('incomplete', { fields: lack.join(', ') })
        if (((await findAccount(query, account))?.balance ?? 0) <= 0) throw refusal('insufficient_balance')
        // It would be complete at once.
        if (fieldsOf(campaign).mark_complete_when_no_leads !== false && !(await hasWaitingLead(query, row, waitingLeads))) throw refusal('no_leads')
      }
      await moveCampaign(query, row, { status, updated_at: now })
      if (event === 'stop') await unschedule(query, turnWork, String(id))
      else await scheduleTurn(query, row, event === 'schedule' ? (row.starts_at ?? now) : now)
      return { ...row, status, updated_at: now }
    })

  /** Takes away what is left of a deleted campaign, for a while: of very many leads the rest is due work, behind what is due already. */
  async function sweep(id: number): Promise<void> {
    const row = await findDeletedCampaign(connection.read, id)
    const end = wall() + patienceMs
    let done = row === undefined
    do {
      if (row) done = await connection.write((query) => sweepCampaign(query, row, batch))
    } while (!done && wall() < end)
    await connection.write(async (query) => {
      if (done) await unschedule(query, campaignWork, String(id))
      else await handOnDue(query, campaignWork, String(id), await clock.now(query))
    })
  }

  return {
    list: (account: number): Promise<NumberedCampaign[]> => listCampaigns(connection.read, account),

    async get(account: number, id: number): Promise<NumberedCampaign> {
      const it = await findNumberedCampaign(connection.read, account, id)
      if (!it) throw new Failure('campaigns.not_found')
      return it
    },

    /** @throws Failure 422 where the plan allows no more, and on every field that refers to something the account does not have */
    create: (account: number, draft: CampaignDraft): Promise<NumberedCampaign> =>
      connection.write(async (query) => {
        const limit = await readCampaignLimit(query, account)
        if (limit !== null && (await countCampaigns(query, account)) >= limit) throw new Failure('campaigns.plan_limit')
        const fields = drafted(draft)
        const errors = await campaignErrors(query, account, fields)
        if (Object.keys(errors).length > 0) throw new Failure('invalid', { text: 'Validation failed', errors })
        const now = await clock.now(query)
        const numbers = [...new Set(fields.phone_number_ids ?? [])]
        const times = { created_at: now, updated_at: now, deleted_at: null }
        return { row: await insertCampaign(query, { ...toColumns(fields), account_id: account, status: 'draft', ...times }, numbers), numbers }
      }),

    /** Starts or stops it. @throws Failure, each with `success: false` */
    async updateStatus(account: number, id: number, action: string): Promise<CampaignRow> {
      if (action !== 'start' && action !== 'stop') throw refusal('bad_action')
      return move(account, id, action === 'start' ? startOf : () => 'stop')
    },

    /** Stops it and takes it away with its leads: of very many the last go a little after the answer. @throws Failure 404 */
    async delete(account: number, id: number): Promise<void> {
      await connection.write(async (query) => {
        const row = await findCampaign(query, account, id)
        if (!row) throw new Failure('campaigns.not_found')
        const now = await clock.now(query)
        await moveCampaign(query, row, { status: moved(campaignTransitions, 'stop', row.status) ?? row.status, updated_at: now, deleted_at: now })
        await unschedule(query, turnWork, String(id))
        await schedule(query, { account, kind: campaignWork, subject: String(id), at: now, lease: { owner, wall: wall() } })
      })
      await sweep(id)
    },

    /** Due work: finishes a deletion that its own request did not. */
    sweep,
  }
}
