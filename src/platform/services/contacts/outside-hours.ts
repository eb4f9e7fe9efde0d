// Outside the hours of its account, a send or call is not started but waits. What a request asks for is stored before its answer,
// and a job starts it when the hours are open: then everything is checked and charged, as if it had been requested at that time.

import { Failure, failures } from '../../../contract/errors/failures.ts'
import type { ContactHours } from '../../../contract/resources/contacts.ts'
import { contactSources } from '../../../contract/values/contact-sources.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { withZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { readStartConditions, type StartConditions } from '../../store/accounts/accounts.ts'
import type { Channel } from '../../store/campaigns/tables.ts'
import type { WaitingRequest } from '../../store/contacts/tables.ts'
import {
  deleteParkedRuns,
  findWaitingContact,
  insertWaitingContact,
  updateWaitingContact,
  type WaitingContactRow,
} from '../../store/contacts/waiting-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { StoredFailure } from '../../store/messaging/tables.ts'
import { releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'
import { type JobRow, rescheduleJob } from '../../store/runtime/scheduled-jobs.ts'
import type { Payer } from '../billing/key-budget.ts'
import { hoursInTransaction } from '../campaigns/lead-hours.ts'
import type { Deps } from '../runtime/deps.ts'
import { recordSkippedContact } from './contact-permission.ts'

/** Kind of the job that starts what waits. The subject is that of `waitingSubject`. Its rows have this name, so it never changes. */
export const waitingJobKind = 'waiting-contact'

/** Names of sends in the subjects of events. */
const subjects: Readonly<Record<Channel, string>> = { messaging: 'message', sms: 'sms', call: 'call' }

/** Why something is refused, or ends, whose hours are not open at any time in the time zones of its number. */
const neverOpen = 'contacts.never_open'

/** Returns the subject of the job of something that waits. Stored rows have it: it never changes. */
export const waitingSubject = (account: number, id: number): string => `${account}.${id}`

/**
 * What happens outside the hours: the request waits, a run waits and repeats its step, something that waits continues to wait, or
 * the hours do not count, because a person sends it now (`isNow` for what waits). A campaign has decided already; only after a
 * crash its send waits, too.
 */
export type OutsideHours =
  | 'waits'
  | 'starts'
  | 'campaign'
  | { readonly run: string }
  | { readonly waiting: number; readonly isNow?: boolean }

/** Something that shall start, and what happens outside the hours. */
interface DueContact {
  readonly conditions: StartConditions
  readonly outside: OutsideHours
  readonly channel: Channel
  readonly phone: string
  readonly request: WaitingRequest
  readonly key?: string | undefined
  readonly payer: Payer
  /** When it cannot be sent any more. It waits no longer than this, to be reported. */
  readonly until?: Micros | undefined
}

/**
 * Returns when a number may be contacted within the hours of its account: `now` for at once, undefined if its time zones have no
 * common hour.
 */
function openingOf(hours: ContactHours, phone: string, now: Micros): Micros | undefined {
  const ofLeads = hoursInTransaction({}, hours)
  return ofLeads ? ofLeads.openingOf({ phone_number: phone, variables: stringifyJson({}) }, now) : now
}

/** As `openingOf`, with the hours that the account has now. */
async function readOpening(query: AccountQuery, phone: string, now: Micros): Promise<Micros | undefined> {
  const { hours } = await readStartConditions(query)
  return hours ? openingOf(hours, phone, now) : now
}

/**
 * Lets something wait if the hours are closed for its recipient, in the caller's transaction, which holds the account. Returns
 * what waits; the caller, in `withZonesOfNumbers`, commits, and throws `waitingFailure`. Returns undefined if it may start. A repeated request gets what
 * the first one stored, also when the hours are open by now: only its job starts it.
 * @throws Failure `contacts.never_open` if the time zones of the recipient have no common hour
 */
export async function holdOutsideHours(
  query: AccountQuery,
  contact: DueContact,
  now: Micros,
): Promise<WaitingContactRow | undefined> {
  const { conditions, outside, channel, phone, request, key, payer, until } = contact
  const { hours, waitingId } = conditions
  if (outside === 'waits' && waitingId !== undefined && key !== undefined) {
    const earlier = await findWaitingContact(query, waitingId)
    if (earlier && earlier.created_at >= now - day) return earlier
    await releaseRequestKey(query, 'waiting_contact', key, now - day)
  }
  if (!hours || outside === 'campaign' || isSentNow(outside)) return undefined
  const opening = openingOf(hours, phone, now)
  if (opening === undefined) throw new Failure(neverOpen)
  if (typeof outside === 'object' && 'run' in outside) await deleteParkedRuns(query, outside.run)
  if (opening <= now) return undefined
  const dueAt = Math.min(opening, until ?? opening)
  if (typeof outside === 'object' && 'waiting' in outside) {
    await updateWaitingContact(query, outside.waiting, { opens_at: opening, updated_at: now })
    const subject = waitingSubject(query.account, outside.waiting)
    await rescheduleJob(query, waitingJobKind, subject, dueAt)
    return findWaitingContact(query, outside.waiting)
  }
  if (typeof outside === 'object')
    return insertWaitingContact(query, {
      ...newRow(opening),
      state: 'parked',
      request: stringifyJson({}),
      run_id: outside.run,
    })
  const row = await insertWaitingContact(query, { ...newRow(opening), idempotency_key: key ?? null })
  const subject = waitingSubject(query.account, row.id)
  await scheduleJob(query, { account: query.account, kind: waitingJobKind, subject, at: dueAt })
  return row

  function newRow(opensAt: Micros) {
    return {
      account_id: query.account,
      channel,
      phone_number: phone,
      state: 'waiting' as const,
      request: stringifyJson(request),
      run_id: null,
      key_id: payer.keyId ?? null,
      idempotency_key: null,
      opens_at: opensAt,
      started_id: null,
      failure: null,
      created_at: now,
      updated_at: now,
    }
  }
}

/** Returns whether a person sends something now, whatever the hours. */
const isSentNow = (outside: OutsideHours): boolean =>
  outside === 'starts' || (typeof outside === 'object' && 'waiting' in outside && outside.isNow === true)

/** Returns the mark of a send that starts only in the hours, so that it also does after a crash. */
export const keepsHours = (conditions: StartConditions | undefined, outside: OutsideHours | 'reply'): 1 | null =>
  conditions?.hours && outside !== 'reply' && !isSentNow(outside) ? 1 : null

/** A send that was interrupted before its outcome. */
interface InterruptedSend {
  readonly keepsHours: number | null
  readonly channel: Channel
  readonly phone: string
  /** Ends the send as failed and refunds it, in the caller's transaction, if it has no outcome yet. */
  readonly end: (query: AccountQuery, failure: StoredFailure, now: Micros) => Promise<unknown>
}

/**
 * Lets the job of a send that was interrupted before its request wait if the hours are closed for its recipient, and returns whether
 * it must not continue now. What was charged for it stays charged while it waits. If its hours never open, it ends as failed.
 */
export const waitsForHours = (
  { connection, clock }: Pick<Deps, 'connection' | 'clock'>,
  job: JobRow,
  { keepsHours, channel, phone, end }: InterruptedSend,
): Promise<boolean> =>
  keepsHours !== 1
    ? Promise.resolve(false)
    : withZonesOfNumbers(async () => {
        const readAt = await clock.now()
        if ((await readOpening(accountQuery(connection.read, job.account_id), phone, readAt)) === readAt) return false
        return connection.write({ account: job.account_id }, async (query) => {
          const now = await clock.now(query)
          const opening = await readOpening(query, phone, now)
          if (opening !== undefined) return opening > now && rescheduleJob(query, job.kind, job.subject, opening)
          const { text } = failures[neverOpen]
          const refusal = { reason: text, source: contactSources.hours }
          await recordSkippedContact(
            query,
            { channel, phone, subject: `${subjects[channel]} ${job.subject}` },
            refusal,
            now,
          )
          await end(query, { kind: neverOpen, text }, now)
          return true
        })
      })

/**
 * Marks something that waited as started, in the transaction that stores its start. Does nothing for what did not wait.
 * @throws Failure `contacts.not_waiting` if it was cancelled in the meantime, so that it does not start
 */
export async function markStarted(query: AccountQuery, outside: OutsideHours | 'reply', id: number, now: Micros) {
  if (typeof outside !== 'object' || !('waiting' in outside)) return
  const change = { state: 'started', started_id: id, updated_at: now } as const
  if (!(await updateWaitingContact(query, outside.waiting, change)))
    throw notWaiting((await findWaitingContact(query, outside.waiting))?.state ?? 'cancelled')
}

/** Returns the answer to a request that waits. If it has failed or was cancelled since, the answer says so. */
export function waitingFailure(row: WaitingContactRow): Failure {
  if (row.state === 'cancelled') return notWaiting(row.state)
  if (row.failure !== null) {
    const { kind, text, code } = parseJson(row.failure)
    return new Failure(kind, { text, ...(code !== undefined && { providerCode: code }) })
  }
  const { id, channel, phone_number, opens_at } = row
  return new WaitingFailure(opens_at, {
    id,
    channel,
    phone_number,
    opens_at: toIsoMicros(opens_at),
  })
}

/** Returns the refusal of what cannot be done any more, because something does not wait. */
export const notWaiting = (state: WaitingContactRow['state']): Failure =>
  new Failure('contacts.not_waiting', { text: failures['contacts.not_waiting'].text.replace('{state}', () => state) })

/** Says that something waits, and until when. */
export class WaitingFailure extends Failure {
  readonly opensAt: Micros

  constructor(opensAt: Micros, waiting: Readonly<Record<string, unknown>>) {
    const text = failures['contacts.waiting'].text.replace('{time}', () => String(waiting.opens_at))
    super('contacts.waiting', { text, extra: { waiting } })
    this.opensAt = opensAt
  }
}
