import { Failure } from '../../../contract/errors/failures.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { withZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import { parseE164 } from '../../../contract/values/phone-number.ts'
import { countSegments } from '../../../contract/values/sms-segments.ts'
import type { MicroUsd } from '../../../engine/ports.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { handedOverAt, releaseHandOver } from '../../store/contacts/blocked-contacts.ts'
import type { WaitingContactRow } from '../../store/contacts/waiting-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { completeSms, findSms, insertSms, type SmsRow } from '../../store/messaging/channel-messages.ts'
import { findNumber } from '../../store/numbers/numbers.ts'
import { findByRequestKey, releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Payer } from '../billing/key-budget.ts'
import { charge, refundByReference } from '../billing/ledger.ts'
import { recordSkippedContact, requireContactAllowed } from '../contacts/contact-permission.ts'
import { beginHandOver, type HandOver, handOver, startHandedOver } from '../contacts/hand-over.ts'
import {
  holdOutsideHours,
  keepsHours,
  markStarted,
  type OutsideHours,
  waitingFailure,
  waitsForHours,
} from '../contacts/outside-hours.ts'
import { requireNotStopped, waitsForResume } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'

/** Kind of the job that finishes an SMS whose process crashed. The subject is the SMS's id. Its rows have this name, so it never changes. */
export const smsJobKind = 'sms'

/** Price of one segment of an SMS. The specification names no price. */
export const segmentPrice: MicroUsd = 10_000

/** Returns the price of an SMS with a text. */
export const smsCost = (body: string): MicroUsd => countSegments(body) * segmentPrice

/** The input for an SMS. */
interface SmsDraft {
  /** Id of the number that sends the SMS. */
  readonly from: number
  readonly to: string
  readonly body: string
}

/** An SMS that was stored, or what waits for the hours of the account instead. */
type Reserved = { readonly row: SmsRow; readonly given?: HandOver } | { readonly waiting: WaitingContactRow }

/** An SMS that the carrier accepted. */
export type SentSmsMessage = SmsRow & { sms_sid: string; delivery_status: string }

/** Sends SMS. An SMS is a durable row, `sending -> sent` or `failed`, and is charged like messages of the channel. */
export function smsService(deps: Deps) {
  const { connection, clock, providers } = deps
  /** Returns the idempotency key of a part of an SMS. The provider knows the operation by it after a crash, so it never changes. */
  const operationKey = (row: SmsRow, part: string): string => `sms-${row.id}-${row.created_at}-${part}`

  const reserve = (
    account: Payer,
    draft: SmsDraft,
    to: string | undefined,
    key: string | undefined,
    outside: OutsideHours,
  ): Promise<Reserved> =>
    withZonesOfNumbers(() =>
      connection.write({ account: account.id }, async (query) => {
        const now = await clock.now(query)
        const earlier = key === undefined ? undefined : await findByRequestKey(query, 'sms_message', key, now - day)
        if (earlier && earlier.state !== 'sending') return { row: earlier }
        const conditions = await requireNotStopped(query, key)
        if (earlier) return { row: earlier }
        if (key !== undefined) await releaseRequestKey(query, 'sms_message', key, now - day)
        const { from, body } = draft
        const number = (await findNumber(query, from))?.number
        if (!number) throw new Failure('sms.from_not_found')
        if (to === undefined) throw new Failure('sms.invalid_to')
        if (number.sms_capable === 0) throw new Failure('sms.not_capable')
        await requireContactAllowed(query, 'sms', to)
        const contact = {
          conditions,
          outside,
          channel: 'sms',
          phone: to,
          request: { sms: draft },
          key,
          payer: account,
        } as const
        const waiting = await holdOutsideHours(query, contact, now)
        if (waiting) return { waiting }
        const given = beginHandOver(deps)
        const segments = countSegments(body)
        const row = await insertSms(query, {
          account_id: account.id,
          number_id: from,
          sender: number.phone_number,
          recipient: to,
          body,
          state: 'sending',
          segments,
          segment_price: segmentPrice,
          cost: smsCost(body),
          sms_sid: null,
          delivery_status: null,
          failure: null,
          idempotency_key: key ?? null,
          created_at: now,
          updated_at: now,
          ...handedOverAt(given.at),
          keeps_hours: keepsHours(conditions, outside),
        })
        if (
          !(await charge(query, account, row.cost, {
            reason: `SMS to ${to}`,
            reference: operationKey(row, 'charge'),
            now,
          }))
        )
          throw new Failure('sms.insufficient_balance')
        await scheduleJob(query, {
          account: account.id,
          kind: smsJobKind,
          subject: String(row.id),
          at: now,
          lease: { owner: deps.owner, wall: deps.wall() },
        })
        await markStarted(query, outside, row.id, now)
        return { row, given }
      }),
    )

  async function finish(reserved: Reserved): Promise<SmsRow> {
    if ('waiting' in reserved) throw waitingFailure(reserved.waiting)
    const { row, given } = reserved
    if (row.state !== 'sending') return row
    return deps.leases.during(smsJobKind, [row.id], () => send(row, given))
  }

  async function send(row: SmsRow, given: HandOver | undefined): Promise<SmsRow> {
    const handedOver = { channel: 'sms', id: row.id, account: row.account_id } as const
    const result = await startHandedOver(deps, handedOver, {
      given,
      renew: () => renewHandOver(row),
      start: () =>
        providers.sms.send(operationKey(row, 'send'), { from: row.sender, to: row.recipient, body: row.body }),
    })
    if (!result) return requireValue(await findSms(accountQuery(connection.read, row.account_id), row.id))
    return connection.write({ account: row.account_id }, async (query) => {
      const now = await clock.now(query)
      await releaseHandOver(query, handedOver)
      if (!result.ok) return markFailed(query, row, result.reason, now)
      const updated = await completeSms(query, row.id, {
        updated_at: now,
        state: 'sent',
        sms_sid: result.sid,
        delivery_status: result.status,
      })
      if (!updated) return requireValue(await findSms(query, row.id))
      await appendEvent(query, {
        account: row.account_id,
        kind: 'sms.sent',
        subject: String(row.id),
        payload: { sms_sid: result.sid },
        now,
      })
      await unscheduleJob(query, smsJobKind, String(row.id))
      return updated
    })
  }

  /** Hands the SMS over once more, or ends it if its recipient has opted out since. */
  const renewHandOver = (row: SmsRow): Promise<HandOver | undefined> =>
    connection.write({ account: row.account_id }, async (query) => {
      const given = await handOver(query, deps, { channel: 'sms', id: row.id, phone: row.recipient })
      if (!given || 'endsAt' in given) return given
      const now = await clock.now(query)
      await recordSkippedContact(query, { channel: 'sms', phone: row.recipient, subject: `sms ${row.id}` }, given, now)
      await markFailed(query, row, given.failure, now)
      return undefined
    })

  /** Ends an SMS that was not accepted, and refunds it, in the caller's transaction. */
  async function markFailed(query: AccountQuery, row: SmsRow, failure: string, now: Micros): Promise<SmsRow> {
    const updated = await completeSms(query, row.id, { updated_at: now, state: 'failed', failure })
    if (!updated) return requireValue(await findSms(query, row.id))
    const account = requireValue(await findAccount(query, row.account_id))
    await refundByReference(query, account, operationKey(row, 'charge'), {
      reason: `SMS to ${row.recipient} was refused`,
      reference: operationKey(row, 'refund'),
      now,
    })
    await unscheduleJob(query, smsJobKind, String(row.id))
    return updated
  }

  return {
    /**
     * Sends an SMS. A request with the same idempotency key within a day continues the same SMS. @throws Failure 400,
     * 500; `contacts.waiting` if it waits for the hours of the account
     */
    async send(
      account: Payer,
      draft: SmsDraft,
      key: string | undefined,
      outside: OutsideHours,
    ): Promise<SentSmsMessage> {
      const row = await finish(await reserve(account, draft, await parseE164(draft.to), key, outside))
      const { failure } = row
      if (failure === 'contacts.blocked' || failure === 'contacts.never_open') throw new Failure(failure)
      if (failure !== null) throw new Failure('sms.failed')
      return row as SentSmsMessage
    },

    /** Finishes an SMS that its process did not finish. */
    async resume(job: JobRow): Promise<void> {
      if (await waitsForResume(deps, job)) return
      const { account_id: account, subject } = job
      const row = await findSms(accountQuery(connection.read, account), Number(subject))
      const isHeld =
        row?.state === 'sending' &&
        (await waitsForHours(deps, job, {
          keepsHours: row.keeps_hours,
          channel: 'sms',
          phone: row.recipient,
          end: (query, { kind }, now) => markFailed(query, row, kind, now),
        }))
      if (isHeld) return
      if (row) await finish({ row })
      await connection.write({ rows: account }, (query) => unscheduleJob(query, smsJobKind, subject))
    },
  }
}
