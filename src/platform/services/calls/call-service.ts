import { Failure, failures, invalidSelection } from '../../../contract/errors/failures.ts'
import { day, type Micros, toIsoMillis } from '../../../contract/values/micros.ts'
import { withZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { parseE164 } from '../../../contract/values/phone-number.ts'
import type { CallCarrier, CallProgress, CarrierCall, TranscriptLine } from '../../../engine/ports.ts'
import { fillVariables, type Variables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { runInBackground } from '../../jobs/background-queue.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findAssistant, findAssistantSettings } from '../../store/assistants/assistants.ts'
import {
  type CallFilters,
  deleteCall,
  findAccountCall,
  findCall,
  insertCall,
  type ListedCall,
  listCalls,
  type PhoneCallRow,
  transitionCall,
} from '../../store/calls/phone-calls.ts'
import { type CampaignRow, findCampaign } from '../../store/campaigns/campaigns.ts'
import { findLead, findLeadWithCampaign, type LeadRow } from '../../store/campaigns/leads.ts'
import { handedOverAt, releaseHandOver } from '../../store/contacts/blocked-contacts.ts'
import type { WaitingContactRow } from '../../store/contacts/waiting-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { findNumber } from '../../store/numbers/numbers.ts'
import { findByRequestKey, releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { callCost, carrierCost, minutePrice } from '../billing/call-prices.ts'
import { type Payer, payerOf, reservedAmount, reserveSpending, settleSpending } from '../billing/key-budget.ts'
import { charge, refundByReference } from '../billing/ledger.ts'
import { blockLead, recordCallOutcome } from '../campaigns/lead-outcomes.ts'
import { recordSkippedContact, requireContactAllowed } from '../contacts/contact-permission.ts'
import { beginHandOver, type HandOver, handOver, startHandedOver, waitForHandOvers } from '../contacts/hand-over.ts'
import {
  holdOutsideHours,
  keepsHours,
  markStarted,
  type OutsideHours,
  waitingFailure,
  waitsForHours,
} from '../contacts/outside-hours.ts'
import { assistantVariables, parsePersona } from '../conversations/chat-turns.ts'
import { type ConversationQuery, toDayRange } from '../conversations/conversation-service.ts'
import { extractByRules, extractWithModel } from '../conversations/extraction.ts'
import { formatTranscript, parseTranscript, toCallTranscript } from '../conversations/transcripts.ts'
import { publishEvent } from '../deliveries/event-publisher.ts'
import { answeredCallStatuses } from '../deliveries/notify-webhook.ts'
import { requireNotStopped, waitsForResume } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'

type Settings = Partial<AssistantFields>

const readSettings = async (query: AccountQuery, { assistant_id: id }: PhoneCallRow): Promise<Settings> =>
  parseJson((await findAssistantSettings(query, id ?? 0)) ?? '{}')

const spokenLines = (row: PhoneCallRow, progress: Omit<CallProgress, 'nextPollAt'>): readonly TranscriptLine[] =>
  progress.turns ?? parseTranscript(progress.transcript, row.created_at)

const needsExtraction = ({ status }: Pick<CallProgress, 'status'>, { post_call_evaluation }: Settings): boolean =>
  answeredCallStatuses.has(status) && post_call_evaluation !== false

/**
 * Returns the outcome of a call with the values that a language model extracts, if one does. It runs outside any
 * transaction. Values that are set already are not overwritten.
 */
async function extractFromCall(
  deps: Pick<Deps, 'connection' | 'providers' | 'log'>,
  row: PhoneCallRow,
  progress: Omit<CallProgress, 'nextPollAt'>,
  signal: AbortSignal,
) {
  const settings = await readSettings(accountQuery(deps.connection.read, row.account_id), row)
  if (!needsExtraction(progress, settings)) return progress
  const found = await extractWithModel(deps, settings, {
    account: row.account_id,
    about: `call ${row.id}`,
    lines: spokenLines(row, progress),
    signal,
  })
  return found ? { ...progress, extracted: { ...found, ...progress.extracted } } : progress
}

/** Returns the columns that store the outcome of a call, including the extracted variables (facts 2.7). */
async function callOutcome(
  query: AccountQuery,
  row: PhoneCallRow,
  progress: Omit<CallProgress, 'nextPollAt'>,
  now: Micros,
) {
  const settings = await readSettings(query, row)
  const lines = spokenLines(row, progress)
  const knownVariables = { ...settings.variables, ...parseJson(row.variables) }
  const isEvaluated = needsExtraction(progress, settings)
  const isRecorded = settings.record === true && progress.duration > 0
  return {
    status: progress.status,
    duration: progress.duration,
    answered_by: progress.answeredBy,
    transcript: lines.length > 0 ? formatTranscript(lines) : progress.transcript,
    turns: lines.length > 0 ? stringifyJson(lines) : null,
    evaluation: isEvaluated ? stringifyJson(extractByRules(settings, lines, knownVariables, progress.extracted)) : null,
    recording_url: isRecorded ? (progress.recordingUrl ?? `https://recordings.example/${row.sid}.mp3`) : null,
    finished_at: progress.endedAt ?? now,
  }
}

/** Returns the lead of a call in the form of webhook payloads (facts 3.2). */
async function findWebhookLead(query: AccountQuery, row: PhoneCallRow) {
  if (row.lead_id === null) return undefined
  const found = await findLeadWithCampaign(query, row.lead_id)
  return found && leadToWire(found.lead, found.campaign)
}

const leadToWire = (lead: LeadRow, campaign: CampaignRow) => {
  const settings = parseJson(campaign.settings)
  const {
    allowed_hours_start_time,
    allowed_hours_end_time,
    allowed_days,
    max_calls_in_parallel,
    max_retries,
    retry_interval,
  } = settings
  return {
    id: lead.id,
    phone_number: lead.phone_number,
    variables: parseJson(lead.variables),
    status: lead.status,
    call_tries: lead.attempts,
    created_at: toIsoMillis(lead.created_at),
    updated_at: toIsoMillis(lead.updated_at),
    campaign: {
      id: campaign.id,
      name: campaign.name,
      status: campaign.status,
      allowed_hours_start_time,
      allowed_hours_end_time,
      allowed_days,
      max_calls_in_parallel,
      max_retries,
      retry_interval,
      created_at: toIsoMillis(campaign.created_at),
      updated_at: toIsoMillis(campaign.updated_at),
    },
  }
}

/**
 * Publishes the end of a call, in the transaction that ended it (section 6.2, facts 3.2). Webhooks and automations of users read the
 * fields of the payload, and webhook-events.ts describes them: they are added, not renamed.
 */
async function publishCallEnded(query: AccountQuery, row: PhoneCallRow, now: Micros): Promise<void> {
  const settings = await readSettings(query, row)
  const lines: TranscriptLine[] = row.turns === null ? [] : parseJson(row.turns)
  const lead = await findWebhookLead(query, row)
  const payload = {
    id: row.id,
    customer_phone: row.client_phone_number,
    assistant_phone: row.assistant_phone_number,
    duration: row.duration,
    status: row.status,
    extracted_variables: row.evaluation === null ? {} : parseJson(row.evaluation),
    input_variables: { ...settings.variables, ...parseJson(row.variables) },
    transcript: toCallTranscript(lines),
    formatted_transcript: formatTranscript(lines),
    recording_url: row.recording_url,
    created_at: toIsoMillis(row.created_at),
    finished_at: toIsoMillis(row.finished_at ?? now),
    ...(lead && { lead }),
  }
  const event = { account: row.account_id, kind: 'call.ended' as const, subject: `call ${row.id}`, payload, now }
  if (row.assistant_id === null) await appendEvent(query, event)
  else await publishEvent(query, { ...event, assistant: row.assistant_id, event: 'post_call' })
}

/** Filters of a list of calls. */
interface CallQuery
  extends Pick<ConversationQuery, 'assistant_id' | 'date_from' | 'date_to'>,
    Pick<CallFilters, 'status' | 'type'> {
  readonly phone_number?: string | undefined
  readonly campaign_id?: number | undefined
}

/**
 * Returns one page of an account's calls. `page` counts from 1; a page beyond the last is empty. @throws Failure 422 for
 * an unknown assistant or campaign
 */
async function listAccountCalls(
  query: AccountQuery,
  account: number,
  filters: CallQuery,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ items: ListedCall[]; total: number }> {
  const { status, type, phone_number: client, assistant_id: assistant, campaign_id: campaign } = filters
  if (assistant !== undefined && !(await findAssistant(accountQuery(query, account), assistant)))
    throw invalidSelection('assistant_id')
  if (campaign !== undefined && !(await findCampaign(accountQuery(query, account), campaign)))
    throw invalidSelection('campaign_id')
  const { fromDay, toDay } = toDayRange(filters)
  const span = { from: fromDay && fromDay * day, before: toDay === undefined ? undefined : (toDay + 1) * day }
  const own = { status, type, client, assistant, campaign, ...span }
  return listCalls(accountQuery(query, account), own, { offset: (page - 1) * perPage, limit: perPage })
}

/** Returns the refusal to stop a call that has ended, which names its status. */
const callOver = (status: string): Failure =>
  new Failure('calls.over', { text: failures['calls.over'].text.replace('{status}', () => status) })

/** Returns the call for the carrier. An assistant that was deleted has no opening. */
async function toCarrierCall(query: AccountQuery, row: PhoneCallRow): Promise<CarrierCall> {
  const assistant =
    row.assistant_id === null ? undefined : await findAssistant(accountQuery(query, row.account_id), row.assistant_id)
  const settings = assistant && parseJson(assistant.settings)
  return {
    from: row.assistant_phone_number,
    to: row.client_phone_number ?? '',
    opening: assistant
      ? fillVariables(
          parsePersona(assistant).initial_message ?? '',
          assistantVariables(assistant, parseJson(row.variables), row.created_at),
        )
      : '',
    ringTimeoutSeconds: settings?.ringing_time ?? 30,
    maxDurationSeconds: settings?.max_duration ?? 600,
  }
}

/** Hangs up a call that is not over. A call that the carrier has not accepted yet was not answered. */
const hangUpCall = async (
  carrier: CallCarrier,
  query: AccountQuery,
  row: PhoneCallRow,
  now: number,
): ReturnType<CallCarrier['hangUp']> =>
  row.sid === null
    ? { wasOver: false, status: 'no-answer', duration: 0, answeredBy: null, transcript: null, endedAt: now }
    : carrier.hangUp(row.sid, await toCarrierCall(query, row), now)

/** Kind of the job that continues a call. The subject is the call's id. Its rows have this name, so it never changes. */
export const callJobKind = 'call'

/** The input for an outbound call. */
interface CallDraft {
  readonly phone: string
  readonly assistantId: number
  readonly variables: Variables
  /** The campaign that makes the call, its lead, and the number it calls from. */
  readonly campaign?: {
    readonly id: number
    readonly name: string
    readonly lead: number
    readonly from: string | null
  }
}

/** Initial values of a call. One minute is charged in advance, by the caller that inserts the row. */
export const newCallDefaults = {
  duration: 0,
  transcript: null,
  evaluation: null,
  answered_by: null,
  recording_url: null,
  carrier_cost: 0,
  total_cost: minutePrice,
  sid: null,
} as const

/**
 * Makes and reads calls. A call is a durable row: `dialling -> going -> over`. The first minute is charged in the
 * transaction that inserts the row; then the carrier is called under a key derived from the row. Further minutes are
 * charged when the call is over, and an unanswered call is refunded. Any process can continue the row after a crash.
 */
export function callService(deps: Deps) {
  const { connection, clock, providers } = deps
  /** Returns the idempotency key of a part of a call. The provider knows the operation by it after a crash, so it never changes. */
  const operationKey = (row: PhoneCallRow, part: string): string => `call-${row.id}-${row.created_at}-${part}`
  /** Returns the subject of the job that continues a call. Stored rows have it: it never changes. */
  const jobSubject = ({ id }: PhoneCallRow): string => String(id)

  const reserve = (
    account: Payer,
    draft: CallDraft,
    phone: string | undefined,
    key: string | undefined,
    outside: OutsideHours,
  ): Promise<{ row: PhoneCallRow; given?: HandOver } | { waiting: WaitingContactRow }> =>
    withZonesOfNumbers(() =>
      connection.write({ account: account.id }, async (query) => {
        const now = await clock.now(query)
        const earlier = key === undefined ? undefined : await findByRequestKey(query, 'phone_call', key, now - day)
        if (earlier && earlier.state !== 'dialling') return { row: earlier }
        const conditions = await requireNotStopped(query, key)
        if (earlier) return { row: earlier }
        if (key !== undefined) await releaseRequestKey(query, 'phone_call', key, now - day)
        if (phone === undefined) throw new Failure('calls.invalid_phone')
        await requireContactAllowed(query, 'call', phone)
        const contact = {
          conditions,
          outside,
          channel: 'call',
          phone,
          request: { call: draft },
          key,
          payer: account,
        } as const
        const waiting = await holdOutsideHours(query, contact, now)
        if (waiting && !(await findAssistant(accountQuery(query, account.id), draft.assistantId)))
          throw new Failure('calls.assistant_not_found')
        if (waiting) return { waiting }
        const given = beginHandOver(deps)
        const row = await createCall(query, account, draft, {
          phone,
          key,
          now,
          given,
          keeps_hours: keepsHours(conditions, outside),
        })
        await markStarted(query, outside, row.id, now)
        return { row, given }
      }),
    )

  /**
   * Inserts a call and charges its first minute, in the caller's transaction, which has checked that the number may be
   * called. With `given`, the call is handed over, and this process leases its job. @throws Failure
   */
  async function createCall(
    query: AccountQuery,
    account: Payer,
    draft: CallDraft,
    {
      phone,
      key,
      now,
      given,
      keeps_hours = null,
    }: { phone: string; key?: string | undefined; now: Micros; given?: HandOver; keeps_hours?: 1 | null },
  ): Promise<PhoneCallRow> {
    const assistant = await findAssistant(accountQuery(query, account.id), draft.assistantId)
    if (!assistant) throw new Failure('calls.assistant_not_found')
    const assistantNumber =
      assistant.phone_number_id === null
        ? undefined
        : await findNumber(accountQuery(query, account.id), assistant.phone_number_id)
    const row = await insertCall(query, {
      ...newCallDefaults,
      account_id: account.id,
      assistant_id: assistant.id,
      campaign_id: draft.campaign?.id ?? null,
      campaign_name: draft.campaign?.name ?? null,
      lead_id: draft.campaign?.lead ?? null,
      type: 'outbound',
      state: 'dialling',
      status: 'initiated',
      assistant_phone_number: draft.campaign?.from ?? assistantNumber?.number.phone_number ?? null,
      client_phone_number: phone,
      variables: stringifyJson(draft.variables),
      idempotency_key: key ?? null,
      key_id: account.keyId ?? null,
      created_at: now,
      updated_at: now,
      ...(given && handedOverAt(given.at)),
      keeps_hours,
    })
    const maxSeconds: number | undefined = parseJson(assistant.settings).max_duration ?? undefined
    const maximum = maxSeconds === undefined ? null : callCost(maxSeconds)
    await reserveSpending(query, account, { reference: operationKey(row, 'maximum'), amount: maximum, now })
    // The reservation covers every minute.
    const balanceOwner = payerOf(account, null)
    if (
      !(await charge(query, balanceOwner, minutePrice, {
        reason: `Call to ${phone}`,
        reference: operationKey(row, 'charge'),
        now,
      }))
    )
      throw new Failure('calls.insufficient_balance')
    const lease = given ? { lease: { owner: deps.owner, wall: deps.wall() } } : {}
    await scheduleJob(query, { account: account.id, kind: callJobKind, subject: jobSubject(row), at: now, ...lease })
    return row
  }

  /** Hands the call over once more, or ends it if its number must not be called any more. */
  const renewHandOver = (row: PhoneCallRow): Promise<HandOver | undefined> =>
    connection.write({ account: row.account_id }, async (query) => {
      const contact = { channel: 'call', phone: row.client_phone_number ?? '' } as const
      const given = await handOver(query, deps, { ...contact, id: row.id })
      if (!given || 'endsAt' in given) return given
      const now = await clock.now(query)
      await recordSkippedContact(query, { ...contact, subject: `call ${row.id}` }, given, now)
      const lead = row.lead_id === null ? undefined : await findLead(query, row.lead_id)
      if (lead) await blockLead(query, lead, now)
      await endCall(query, row, { status: 'failed', duration: 0, answeredBy: null, transcript: null }, now)
      return undefined
    })

  async function placeCall(row: PhoneCallRow, given?: HandOver): Promise<void> {
    const call = await toCarrierCall(accountQuery(connection.read, row.account_id), row)
    const handedOver = { channel: 'call', id: row.id, account: row.account_id } as const
    const placed = await startHandedOver(deps, handedOver, {
      given,
      renew: () => renewHandOver(row),
      start: () => providers.carrier.dial(operationKey(row, 'dial'), call, row.created_at),
    })
    if (!placed) return
    if (!placed.ok) {
      await connection.write({ account: row.account_id }, async (query) => {
        await releaseHandOver(query, handedOver)
        const failed = { status: 'failed', duration: 0, answeredBy: null, transcript: null } as const
        await endCall(query, row, failed, await clock.now(query))
      })
      return
    }
    const isGoing = await connection.write({ account: row.account_id }, async (query) => {
      const now = await clock.now(query)
      await releaseHandOver(query, handedOver)
      if (!(await transitionCall(query, row.id, 'dialling', { state: 'going', sid: placed.sid, updated_at: now })))
        return false
      await unscheduleJob(query, callJobKind, jobSubject(row))
      await scheduleJob(query, { account: row.account_id, kind: callJobKind, subject: jobSubject(row), at: now })
      return true
    })
    // It was stopped or deleted while the carrier accepted it. Another process may also have placed the same call.
    if (!isGoing && (await findCall(accountQuery(connection.read, row.account_id), row.id))?.sid !== placed.sid)
      await providers.carrier.hangUp(placed.sid, call, await clock.now())
  }

  async function pollCall(row: PhoneCallRow, due: JobRow): Promise<void> {
    const now = await clock.now()
    const { nextPollAt, ...progress } = await providers.carrier.getProgress(
      requireValue(row.sid),
      await toCarrierCall(accountQuery(connection.read, row.account_id), row),
      now,
    )
    if (nextPollAt === null && providers.language.canExtract?.())
      return runInBackground(deps, due, async (signal) => {
        const extracted = await extractFromCall(deps, row, progress, signal)
        // After an aborted extraction, another process repeats it.
        if (extracted === progress) signal.throwIfAborted()
        await finishCall(row, extracted)
      })
    if (nextPollAt === null) {
      await finishCall(row, progress)
      return
    }
    await connection.write({ account: row.account_id }, async (query) => {
      const { status, duration, answeredBy } = progress
      if (
        !(await transitionCall(query, row.id, 'going', { status, duration, answered_by: answeredBy, updated_at: now }))
      )
        return
      await unscheduleJob(query, callJobKind, jobSubject(row))
      await scheduleJob(query, { account: row.account_id, kind: callJobKind, subject: jobSubject(row), at: nextPollAt })
    })
  }

  /**
   * Ends a call and settles its cost. The part that the balance does not cover is not charged. Returns false if another
   * process changed the call first.
   */
  const finishCall = (row: PhoneCallRow, progress: Omit<CallProgress, 'nextPollAt'>): Promise<boolean> =>
    connection.write({ account: row.account_id }, async (query) =>
      endCall(query, row, progress, await clock.now(query)),
    )

  /** Ends a call in the caller's transaction, as `finishCall` does. */
  async function endCall(
    query: AccountQuery,
    row: PhoneCallRow,
    progress: Omit<CallProgress, 'nextPollAt'>,
    now: Micros,
  ): Promise<boolean> {
    const { duration } = progress
    const change = {
      ...(await callOutcome(query, row, progress, now)),
      state: 'over' as const,
      carrier_cost: carrierCost(duration),
      updated_at: now,
    }
    if (!(await transitionCall(query, row.id, row.state, change))) return false
    const account = requireValue(await findAccount(query, row.account_id))
    const description = `Call ${row.type === 'inbound' ? 'from' : 'to'} ${row.client_phone_number}`
    const reserved = await reservedAmount(query, row.account_id, operationKey(row, 'maximum'))
    let total = Math.min(callCost(duration), reserved ?? Number.POSITIVE_INFINITY)
    const remainingCost = total - minutePrice
    if (remainingCost < 0)
      await refundByReference(query, account, operationKey(row, 'charge'), {
        reason: `${description} ${progress.status === 'busy' ? 'was busy' : progress.status === 'failed' ? 'failed' : 'was not answered'}`,
        reference: operationKey(row, 'refund'),
        now,
      })
    else if (
      remainingCost > 0 &&
      !(await charge(query, account, remainingCost, {
        reason: `${description}, further minutes`,
        reference: operationKey(row, 'rest'),
        now,
      }))
    )
      total = minutePrice
    await settleSpending(query, row.account_id, operationKey(row, 'maximum'), total)
    const finished = requireValue(await transitionCall(query, row.id, 'over', { total_cost: total }))
    await recordCallOutcome(query, finished, now)
    await publishCallEnded(query, finished, now)
    await unscheduleJob(query, callJobKind, jobSubject(row))
    return true
  }

  const settleCall = async (row: PhoneCallRow, progress: Omit<CallProgress, 'nextPollAt'>): Promise<boolean> =>
    finishCall(row, await extractFromCall(deps, row, progress, new AbortController().signal))

  return {
    begin: createCall,

    /** Returns one page of calls. @throws Failure 422 for an unknown assistant or campaign */
    list: (account: number, query: CallQuery, page: { page: number; perPage: number }) =>
      listAccountCalls(accountQuery(connection.read, account), account, query, page),

    /** Returns a call. @throws Failure 404 */
    async get(account: number, id: number): Promise<ListedCall> {
      const call = await findAccountCall(accountQuery(connection.read, account), id)
      if (!call) throw new Failure('calls.not_found')
      return call
    },

    /**
     * Starts a call from an assistant to a number. A request with the same idempotency key within a day starts no
     * second call. @throws Failure 400, 404, 422; `contacts.waiting` if it waits for the hours of the account
     */
    async start(
      account: Payer,
      draft: CallDraft,
      key: string | undefined,
      outside: OutsideHours,
    ): Promise<PhoneCallRow> {
      const reserved = await reserve(account, draft, await parseE164(draft.phone), key, outside)
      if ('waiting' in reserved) throw waitingFailure(reserved.waiting)
      const { row, given } = reserved
      if (row.state === 'dialling') await deps.leases.during(callJobKind, [row.id], () => placeCall(row, given))
      return row
    },

    /**
     * Ends a call in progress: `ended` when it was answered, otherwise `no-answer`. It is settled like any ended call.
     * @throws Failure 404; 409 for a call that has ended
     */
    async stop(account: number, id: number): Promise<ListedCall> {
      const row = await this.get(account, id)
      if (row.state === 'over') throw callOver(row.status)
      const progress = await hangUpCall(
        providers.carrier,
        accountQuery(connection.read, account),
        row,
        await clock.now(),
      )
      if (progress.wasOver) throw callOver(progress.status)
      const isOurs = await settleCall(row, progress)
      const call = await this.get(account, id)
      if (!isOurs) return call.state === 'over' ? Promise.reject(callOver(call.status)) : this.stop(account, id)
      return call
    },

    /** Deletes a call. One in progress is hung up and settled first, as when it is stopped. @throws Failure 404 */
    async delete(account: number, id: number): Promise<void> {
      const row = await findAccountCall(accountQuery(connection.read, account), id)
      if (!row) throw new Failure('calls.not_yours')
      if (row.state !== 'over') {
        const progress = await hangUpCall(
          providers.carrier,
          accountQuery(connection.read, account),
          row,
          await clock.now(),
        )
        if (!(await settleCall(row, progress))) return this.delete(account, id)
        // A block would not find the deleted row.
        await waitForHandOvers(deps, account, [{ channel: 'call', id }])
      }
      const isDeleted = await connection.write({ account }, (query) => deleteCall(query, id))
      if (!isDeleted) throw new Failure('calls.not_yours')
    },

    /** Continues a call from its current state. */
    async resume(due: JobRow): Promise<void> {
      const row = await findCall(accountQuery(connection.read, due.account_id), Number(due.subject))
      if (row?.state === 'dialling') {
        if (await waitsForResume(deps, due)) return
        const failed = { status: 'failed', duration: 0, answeredBy: null, transcript: null } as const
        const isHeld = await waitsForHours(deps, due, {
          keepsHours: row.keeps_hours,
          channel: 'call',
          phone: row.client_phone_number ?? '',
          end: (query, _, now) => endCall(query, row, failed, now),
        })
        if (!isHeld) await placeCall(row)
      } else if (row?.state === 'going') await pollCall(row, due)
      else await connection.write({ rows: due.account_id }, (query) => unscheduleJob(query, callJobKind, due.subject))
    },
  }
}
