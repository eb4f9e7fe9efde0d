import { Failure } from '../contract/errors.ts'
import { parsePhoneNumber } from '../contract/phone-number.ts'
import { day } from '../events/clock.ts'
import { schedule, unschedule } from '../events/due.ts'
import { type AccountRow, findAccount } from '../store/accounts.ts'
import { findNumber } from '../store/numbers.ts'
import { appendEvent } from '../store/outbox.ts'
import { endSms, findSms, findSmsByKey, forgetSmsKey, insertSms, type SmsRow } from '../store/sms-messages.ts'
import type { Deps } from './deps.ts'
import { charge, giveBack } from './ledger.ts'
import type { MicroUsd } from './ports.ts'
import { segmentsOf } from './sms-segments.ts'

/** Kind of the due work that finishes an SMS whose process died. Its subject is the SMS's id. */
export const smsWork = 'sms'

/** What a part of an SMS costs. The specification names no price. */
const segmentPrice: MicroUsd = 10_000

export interface SmsDraft {
  /** Id of the number it is sent from. */
  readonly from: number
  readonly to: string
  readonly body: string
}

/** An SMS the carrier has taken. */
export type SentSmsRow = SmsRow & { sms_sid: string; delivery_status: string }

/** Sending an SMS as a durable row, `sending -> sent` or `failed`, paid for as messages of the channel are. */
export function smsService(deps: Deps) {
  const { connection, clock, providers } = deps
  const keyOf = (row: SmsRow, part: string): string => `sms-${row.id}-${row.created_at}-${part}`

  const reserve = (account: AccountRow, { from, body }: SmsDraft, to: string | undefined, key: string | undefined): Promise<SmsRow> =>
    connection.write(async (query) => {
      const now = await clock.now(query)
      const earlier = key === undefined ? undefined : await findSmsByKey(query, account.id, key, now - day)
      if (earlier) return earlier
      if (key !== undefined) await forgetSmsKey(query, account.id, key, now - day)
      const number = (await findNumber(query, account.id, from))?.number
      if (!number) throw new Failure('sms.from_not_found')
      if (to === undefined) throw new Failure('sms.invalid_to')
      if (number.sms_capable === 0) throw new Failure('sms.not_capable')
      const segments = segmentsOf(body)
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
      if (!(await charge(query, account, row.cost, { reason: `SMS to ${to}`, reference: keyOf(row, 'charge'), now })))
        throw new Failure('sms.insufficient_balance')
      await schedule(query, { account: account.id, kind: smsWork, subject: String(row.id), at: now, lease: { owner: deps.owner, wall: deps.wall() } })
      return row
    })

  async function finish(row: SmsRow): Promise<SmsRow> {
    if (row.state !== 'sending') return row
    const handed = await providers.texting.send(keyOf(row, 'send'), { from: row.sender, to: row.recipient, body: row.body })
    return connection.write(async (query) => {
      const now = await clock.now(query)
      const ended = await endSms(query, row.id, {
        updated_at: now,
        ...(handed.ok ? { state: 'sent', sms_sid: handed.sid, delivery_status: handed.status } : { state: 'failed', failure: handed.reason }),
      })
      if (!ended) return (await findSms(query, row.id)) as SmsRow
      const refund = { reason: `SMS to ${row.recipient} was refused`, reference: keyOf(row, 'refund'), now }
      if (handed.ok) await appendEvent(query, { account: row.account_id, kind: 'sms.sent', subject: String(row.id), payload: { sms_sid: handed.sid }, now })
      else await giveBack(query, (await findAccount(query, row.account_id)) as AccountRow, keyOf(row, 'charge'), refund)
      await unschedule(query, smsWork, String(row.id))
      return ended
    })
  }

  return {
    /** Sends an SMS. With an idempotency key, asking again within a day finds the same SMS and goes on where it stood. @throws Failure 400, 500 */
    async send(account: AccountRow, draft: SmsDraft, key?: string): Promise<SentSmsRow> {
      const row = await finish(await reserve(account, draft, await parsePhoneNumber(draft.to), key))
      if (row.failure !== null) throw new Failure('sms.failed')
      return row as SentSmsRow
    },

    /** Finishes an SMS that its own process could not. */
    async resume(id: number): Promise<void> {
      const row = await findSms(connection.read, id)
      if (row) await finish(row)
      await connection.write((query) => unschedule(query, smsWork, String(id)))
    },
  }
}
