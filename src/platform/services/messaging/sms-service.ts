import { Failure } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import { parseE164 } from '../../../contract/values/phone-number.ts'
import { countSegments } from '../../../contract/values/sms-segments.ts'
import type { MicroUsd } from '../../../engine/ports.ts'
import { requireValue } from '../../../node/require-value.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { completeSms, findSms, insertSms, type SmsRow } from '../../store/messaging/channel-messages.ts'
import { findNumber } from '../../store/numbers/numbers.ts'
import { findByRequestKey, releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Payer } from '../billing/key-budget.ts'
import { charge, refundByReference } from '../billing/ledger.ts'
import type { Deps } from '../runtime/deps.ts'

/** Kind of the job that finishes an SMS whose process crashed. The subject is the SMS's id. Its rows have this name, so it never changes. */
export const smsJobKind = 'sms'

/** Price of one segment of an SMS. The specification names no price. */
export const segmentPrice: MicroUsd = 10_000

/** The input for an SMS. */
interface SmsDraft {
  /** Id of the number that sends the SMS. */
  readonly from: number
  readonly to: string
  readonly body: string
}

/** An SMS that the carrier accepted. */
export type SentSmsMessage = SmsRow & { sms_sid: string; delivery_status: string }

/** Sends SMS. An SMS is a durable row, `sending -> sent` or `failed`, and is charged like messages of the channel. */
export function smsService(deps: Deps) {
  const { connection, clock, providers } = deps
  /** Returns the idempotency key of a part of an SMS. The provider knows the operation by it after a crash, so it never changes. */
  const operationKey = (row: SmsRow, part: string): string => `sms-${row.id}-${row.created_at}-${part}`

  const reserve = (
    account: Payer,
    { from, body }: SmsDraft,
    to: string | undefined,
    key: string | undefined,
  ): Promise<SmsRow> =>
    connection.write({ account: account.id }, async (query) => {
      const now = await clock.now(query)
      const earlier = key === undefined ? undefined : await findByRequestKey(query, 'sms_message', key, now - day)
      if (earlier) return earlier
      if (key !== undefined) await releaseRequestKey(query, 'sms_message', key, now - day)
      const number = (await findNumber(query, from))?.number
      if (!number) throw new Failure('sms.from_not_found')
      if (to === undefined) throw new Failure('sms.invalid_to')
      if (number.sms_capable === 0) throw new Failure('sms.not_capable')
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
        cost: segments * segmentPrice,
        sms_sid: null,
        delivery_status: null,
        failure: null,
        idempotency_key: key ?? null,
        created_at: now,
        updated_at: now,
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
      return row
    })

  async function finish(row: SmsRow): Promise<SmsRow> {
    if (row.state !== 'sending') return row
    return deps.leases.during(smsJobKind, [row.id], () => send(row))
  }

  async function send(row: SmsRow): Promise<SmsRow> {
    const result = await providers.sms.send(operationKey(row, 'send'), {
      from: row.sender,
      to: row.recipient,
      body: row.body,
    })
    return connection.write({ account: row.account_id }, async (query) => {
      const now = await clock.now(query)
      const updated = await completeSms(query, row.id, {
        updated_at: now,
        ...(result.ok
          ? { state: 'sent', sms_sid: result.sid, delivery_status: result.status }
          : { state: 'failed', failure: result.reason }),
      })
      if (!updated) return requireValue(await findSms(query, row.id))
      const refund = { reason: `SMS to ${row.recipient} was refused`, reference: operationKey(row, 'refund'), now }
      if (result.ok)
        await appendEvent(query, {
          account: row.account_id,
          kind: 'sms.sent',
          subject: String(row.id),
          payload: { sms_sid: result.sid },
          now,
        })
      else
        await refundByReference(
          query,
          requireValue(await findAccount(query, row.account_id)),
          operationKey(row, 'charge'),
          refund,
        )
      await unscheduleJob(query, smsJobKind, String(row.id))
      return updated
    })
  }

  return {
    /**
     * Sends an SMS. A request with the same idempotency key within a day continues the same SMS. @throws Failure 400,
     * 500
     */
    async send(account: Payer, draft: SmsDraft, key?: string): Promise<SentSmsMessage> {
      const row = await finish(await reserve(account, draft, await parseE164(draft.to), key))
      if (row.failure !== null) throw new Failure('sms.failed')
      return row as SentSmsMessage
    },

    /** Finishes an SMS that its process did not finish. */
    async resume({ account_id: account, subject }: JobRow): Promise<void> {
      const row = await findSms(accountQuery(connection.read, account), Number(subject))
      if (row) await finish(row)
      await connection.write({ rows: account }, (query) => unscheduleJob(query, smsJobKind, subject))
    },
  }
}
