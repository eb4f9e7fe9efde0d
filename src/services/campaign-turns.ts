import type { Micros } from '../events/clock.ts'
import { minute } from '../events/clock.ts'
import { schedule, unschedule } from '../events/due.ts'
import { type AccountRow, findAccount } from '../store/accounts.ts'
import { hasLeads, listTriedLeads, listWantedLeads, nextWanted } from '../store/campaign-leads.ts'
import { type CampaignRow, findNumberedCampaign, moveCampaign, type NumberedCampaign } from '../store/campaigns.ts'
import type { Query } from '../store/connection.ts'
import { changeLead, type LeadRow } from '../store/leads.ts'
import { minutePrice } from './call-prices.ts'
import { callService } from './calls.ts'
import { turnWork } from './campaign-leads.ts'
import { fieldsOf, lackOf } from './campaign-state.ts'
import { campaignTexts } from './campaign-texts.ts'
import { isOpen, nextOpening } from './campaign-windows.ts'
import type { Deps } from './deps.ts'
import { isAffordable } from './ledger.ts'
import { type CampaignEvent, campaignTransitions, moved, waitingLeads } from './transitions.ts'

/** Messages a campaign sends a minute where it was told nothing. */
const usualPace = 10

/** What a turn leaves to be done: when to look again, and whom to write to meanwhile. */
interface Turn {
  readonly next: Micros | undefined
  readonly campaign?: NumberedCampaign
}

/** Campaigns at work: a turn takes up the leads that are wanted, as far as window, pace and balance allow, and says when the next is due. */
export function campaignTurns(deps: Deps) {
  const { connection, clock } = deps
  const calls = callService(deps)
  const texts = campaignTexts(deps)

  async function move(query: Query, row: CampaignRow, event: CampaignEvent, now: Micros): Promise<void> {
    const status = moved(campaignTransitions, event, row.status)
    if (status !== undefined) await moveCampaign(query, row, { status, updated_at: now })
  }

  async function take(query: Query, lead: LeadRow, now: Micros): Promise<LeadRow> {
    const change = { status: 'processing' as const, attempts: lead.attempts + 1, last_attempt_at: now, next_attempt_at: null, updated_at: now }
    await changeLead(query, lead.account_id, lead.id, change)
    return { ...lead, ...change }
  }

  async function numberOf(query: Query, { numbers }: NumberedCampaign, lead: LeadRow): Promise<string | null> {
    if (numbers.length === 0) return null
    const id = numbers[(lead.id + lead.attempts) % numbers.length] as number
    return (await query.selectFrom('phone_number').select('phone_number').where('id', '=', id).executeTakeFirst())?.phone_number ?? null
  }

  /** Calls as many leads as may be called at once. False when the balance does not last. */
  async function call(query: Query, it: NumberedCampaign, leads: readonly LeadRow[], now: Micros): Promise<boolean> {
    const { id, name, account_id, assistant_id } = it.row
    for (const lead of leads) {
      const account = (await findAccount(query, account_id)) as AccountRow
      if (!isAffordable(account, minutePrice)) return false
      const tried = await take(query, lead, now)
      const campaign = { id, name, lead: lead.id, from: await numberOf(query, it, tried) }
      const draft = { phone: lead.phone_number, assistantId: assistant_id as number, variables: JSON.parse(lead.variables), campaign }
      await calls.begin(query, account, draft, { phone: lead.phone_number, now, isOurs: false })
    }
    return true
  }

  async function work(query: Query, it: NumberedCampaign, now: Micros): Promise<Turn> {
    const { row } = it
    const fields = fieldsOf(it)
    const tried = await listTriedLeads(query, row.id)
    const room = row.channel === 'call' ? (fields.max_calls_in_parallel ?? 3) - tried.length : (fields.messages_per_minute ?? usualPace)
    const wanted = room > 0 ? await listWantedLeads(query, row.id, waitingLeads, now, room) : []
    if (row.channel !== 'call') for (const lead of wanted) await take(query, lead, now)
    else if (!(await call(query, it, wanted, now))) {
      await move(query, row, 'fail', now)
      return { next: undefined }
    }
    const next = await nextWanted(query, row.id, waitingLeads)
    if (next === undefined && tried.length + wanted.length === 0) {
      // One that never had a lead waits for the first.
      if ((fields.mark_complete_when_no_leads ?? true) && (await hasLeads(query, row.id))) await move(query, row, 'finish', now)
      return { next: undefined }
    }
    if (row.channel !== 'call') return { campaign: it, next: next === undefined ? now + minute : Math.max(next, now + minute) }
    // Those who find no room are taken up when a call ends.
    return { next: next === undefined || next <= now ? undefined : next }
  }

  async function turn(query: Query, id: number, now: Micros): Promise<Turn> {
    const known = await query.selectFrom('campaign').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()
    const it = known && (await findNumberedCampaign(query, known.account_id, id))
    if (!it) return { next: undefined }
    const { starts_at } = it.row
    if (it.row.status === 'scheduled') {
      if (starts_at !== null && starts_at > now) return { next: starts_at }
      await move(query, it.row, 'begin', now)
    } else if (it.row.status !== 'in-progress') return { next: undefined }
    const begun: NumberedCampaign = { ...it, row: { ...it.row, status: 'in-progress' } }
    const fields = fieldsOf(begun)
    if (lackOf(begun).length > 0) {
      await move(query, begun.row, 'fail', now)
      return { next: undefined }
    }
    return isOpen(fields, now) ? work(query, begun, now) : { next: nextOpening(fields, now) }
  }

  return {
    /** Due work: one turn of a campaign. */
    async turn(id: number): Promise<void> {
      const { campaign } = await connection.write(async (query) => {
        const now = await clock.now(query)
        const done = await turn(query, id, now)
        // What has to be written to is written to before the next turn can come.
        if (done.campaign) return done
        await unschedule(query, turnWork, String(id))
        await plan(query, id, done.next)
        return done
      })
      if (!campaign) return
      for (const lead of await listTriedLeads(connection.read, id)) await texts.write(campaign, lead)
      await connection.write(async (query) => {
        const now = await clock.now(query)
        await unschedule(query, turnWork, String(id))
        const next = await nextWanted(query, id, waitingLeads)
        const isOver = next === undefined && (await listTriedLeads(query, id)).length === 0
        await plan(query, id, isOver ? now : Math.max(next ?? 0, now + minute))
      })
    },
  }

  async function plan(query: Query, id: number, at: Micros | undefined): Promise<void> {
    if (at === undefined) return
    const { account_id } = await query.selectFrom('campaign').select('account_id').where('id', '=', id).executeTakeFirstOrThrow()
    await schedule(query, { account: account_id, kind: turnWork, subject: String(id), at })
  }
}
