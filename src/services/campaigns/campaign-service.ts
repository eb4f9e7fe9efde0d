import { Failure, failures } from '../../contract/errors/failures.ts'
import type { Micros } from '../../jobs/clock.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { readCampaignLimit } from '../../store/billing/plan-limits.ts'
import {
  type CampaignRow,
  type CampaignWithNumbers,
  countCampaigns,
  deleteCampaignBatch,
  findCampaign,
  findCampaignWithNumbers,
  findDeletedCampaign,
  insertCampaign,
  listCampaigns,
  transitionCampaign,
} from '../../store/campaigns/campaigns.ts'
import { hasWaitingLead } from '../../store/campaigns/leads.ts'
import type { Query } from '../../store/database/connection.ts'
import { requeueJob } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import { type CampaignDraft, fieldsFromDraft, fieldsFromRow, missingFields, toColumns } from './campaign-fields.ts'
import { validateCampaign } from './campaign-validation.ts'
import { campaignDispatchJobKind, scheduleDispatch } from './lead-outcomes.ts'
import { type CampaignEvent, campaignTransitions, nextStatus, waitingLeads } from './status-transitions.ts'

/** Kind of the due work that takes away what is left of a deleted campaign. Its subject is the campaign's id. */
export const campaignDeletionJobKind = 'campaign.removal'

/** Leads taken away in one transaction: others write in between. */
const deleteBatchSize = 500
/** Milliseconds of wall time a deletion works on end. */
const deleteBudgetMs = 2000

/** A refusal whose text has words in braces. */
const campaignFailure = (
  kind: 'missing' | 'bad_action' | 'bad_state' | 'incomplete' | 'no_leads' | 'insufficient_balance',
  values: Record<string, string> = {},
): Failure => {
  const name = `campaigns.${kind}` as const
  return new Failure(name, { text: failures[name].text.replace(/\{(\w+)\}/g, (_, word: string) => values[word] ?? '') })
}

/** Whether a start begins at once, or when the time it is meant to begin at has come. */
const startEvent = (row: CampaignRow, now: Micros): CampaignEvent =>
  row.starts_at !== null && row.starts_at > now ? 'schedule' : 'start'

export function campaignService({
  connection,
  clock,
  owner,
  wall,
}: Pick<Deps, 'connection' | 'clock' | 'owner' | 'wall'>) {
  async function requireCampaign(query: Query, account: number, id: number): Promise<CampaignWithNumbers> {
    const it = await findCampaignWithNumbers(query, account, id)
    if (!it) throw campaignFailure('missing')
    return it
  }

  /** @throws Failure where its status, its balance, what it has lost or that it has nobody to contact forbids it */
  const transition = (
    account: number,
    id: number,
    eventOf: (row: CampaignRow, now: Micros) => CampaignEvent,
  ): Promise<CampaignRow> =>
    connection.write(async (query) => {
      const campaign = await requireCampaign(query, account, id)
      const { row } = campaign
      const now = await clock.now(query)
      const event = eventOf(row, now)
      const status = nextStatus(campaignTransitions, event, row.status)
      if (status === undefined) throw campaignFailure('bad_state', { status: row.status })
      if (event === 'start' || event === 'schedule') {
        const missing = missingFields(campaign)
        if (missing.length > 0) throw campaignFailure('incomplete', { fields: missing.join(', ') })
        if (((await findAccount(query, account))?.balance ?? 0) <= 0) throw campaignFailure('insufficient_balance')
        // It would be complete at once.
        if (
          fieldsFromRow(campaign).mark_complete_when_no_leads !== false &&
          !(await hasWaitingLead(query, row, waitingLeads))
        )
          throw campaignFailure('no_leads')
      }
      await transitionCampaign(query, row, { status, updated_at: now })
      if (event === 'stop') await unscheduleJob(query, campaignDispatchJobKind, String(id))
      else await scheduleDispatch(query, row, event === 'schedule' ? (row.starts_at ?? now) : now)
      return { ...row, status, updated_at: now }
    })

  /** Takes away what is left of a deleted campaign, for a while: of very many leads the rest is due work, behind what is due already. */
  async function sweep(id: number): Promise<void> {
    const row = await findDeletedCampaign(connection.read, id)
    const deadline = wall() + deleteBudgetMs
    let done = row === undefined
    do {
      if (row) done = await connection.write((query) => deleteCampaignBatch(query, row, deleteBatchSize))
    } while (!done && wall() < deadline)
    await connection.write(async (query) => {
      if (done) await unscheduleJob(query, campaignDeletionJobKind, String(id))
      else await requeueJob(query, campaignDeletionJobKind, String(id), await clock.now(query))
    })
  }

  return {
    list: (account: number): Promise<CampaignWithNumbers[]> => listCampaigns(connection.read, account),

    async get(account: number, id: number): Promise<CampaignWithNumbers> {
      const it = await findCampaignWithNumbers(connection.read, account, id)
      if (!it) throw new Failure('campaigns.not_found')
      return it
    },

    /** @throws Failure 422 where the plan allows no more, and on every field that refers to something the account does not have */
    create: (account: number, draft: CampaignDraft): Promise<CampaignWithNumbers> =>
      connection.write(async (query) => {
        const limit = await readCampaignLimit(query, account)
        if (limit !== null && (await countCampaigns(query, account)) >= limit) throw new Failure('campaigns.plan_limit')
        const fields = fieldsFromDraft(draft)
        const errors = await validateCampaign(query, account, fields)
        if (Object.keys(errors).length > 0) throw new Failure('invalid', { text: 'Validation failed', errors })
        const now = await clock.now(query)
        const numbers = [...new Set(fields.phone_number_ids ?? [])]
        const times = { created_at: now, updated_at: now, deleted_at: null }
        return {
          row: await insertCampaign(
            query,
            { ...toColumns(fields), account_id: account, status: 'draft', ...times },
            numbers,
          ),
          numbers,
        }
      }),

    /** Starts or stops it. @throws Failure, each with `success: false` */
    async updateStatus(account: number, id: number, action: string): Promise<CampaignRow> {
      if (action !== 'start' && action !== 'stop') throw campaignFailure('bad_action')
      return transition(account, id, action === 'start' ? startEvent : () => 'stop')
    },

    /** Stops it and takes it away with its leads: of very many the last go a little after the answer. @throws Failure 404 */
    async delete(account: number, id: number): Promise<void> {
      await connection.write(async (query) => {
        const row = await findCampaign(query, account, id)
        if (!row) throw new Failure('campaigns.not_found')
        const now = await clock.now(query)
        await transitionCampaign(query, row, {
          status: nextStatus(campaignTransitions, 'stop', row.status) ?? row.status,
          updated_at: now,
          deleted_at: now,
        })
        await unscheduleJob(query, campaignDispatchJobKind, String(id))
        await scheduleJob(query, {
          account,
          kind: campaignDeletionJobKind,
          subject: String(id),
          at: now,
          lease: { owner, wall: wall() },
        })
      })
      await sweep(id)
    },

    /** Due work: finishes a deletion that its own request did not. */
    sweep,
  }
}
