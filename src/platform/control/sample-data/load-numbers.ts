import { Failure, invalidField } from '../../../contract/errors/failures.ts'
import type { Country } from '../../../contract/values/countries.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { addMonths } from '../../jobs/clock.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { orderNumber } from '../../providers/telephony/number-orders.ts'
import type { TrunkSettings } from '../../services/numbers/sip-trunk-settings.ts'
import { insertSubscription } from '../../store/billing/subscriptions.ts'
import type { SubscriptionTable } from '../../store/billing/tables.ts'
import { insertNumber } from '../../store/numbers/numbers.ts'
import { hasDuplicateTrunk } from '../../store/numbers/sip-trunks.ts'
import { insertLiveTrunk } from '../seed/seed-sip-trunks.ts'
import { type Loading, loadEach, setUpdatedAt, timeOf } from './loading.ts'

type Fields = Readonly<Record<string, unknown>>

/** Loads the numbers and SIP trunks of an account, also at the local carrier and the local voice infrastructure. */
export async function loadNumbers(loading: Loading): Promise<void> {
  const { query, account, vault, secrets } = loading
  await loadEach(loading, 'numbers', async ({ record, createdAt }) => {
    const phone = String(record.phone_number)
    const isBought = record.type === 'normal'
    if (isBought && !(await orderNumber(query, `seed-${phone}`, phone, null)).ok)
      throw invalidField('phone_number', 'Another account of the file has this number.')
    const { id } = await insertNumber(query, {
      account_id: account.id,
      phone_number: phone,
      country_code: String(record.country_code),
      region: record.region as string | null,
      type: isBought ? 'normal' : 'caller_id',
      sms_capable: (record.sms_capable ?? isBought) ? 1 : 0,
      nickname: record.nickname as string | null,
      created_at: createdAt,
    })
    if (isBought)
      await subscribe(loading, id, record.country_code as Country, createdAt, (record.subscription ?? {}) as Fields)
    return id
  })
  await loadEach(loading, 'sip_trunks', async (record) => {
    const { sip_trunk_type: type, ...draft } = record.body
    const settings = {
      ...draft,
      nickname: draft.nickname || null,
      allowed_inbound_ips: draft.allowed_inbound_ips ?? null,
      sip_password: record.entry.item.sip_password ?? secrets(`trunk ${draft.phone_number}`, 24),
    } as TrunkSettings
    if (await hasDuplicateTrunk(query, { ...settings, account_id: account.id }))
      throw new Failure('sipTrunks.duplicate')
    const id = await insertLiveTrunk(query, vault, {
      account: account.id,
      type: String(type),
      settings,
      now: record.createdAt,
    })
    await setUpdatedAt(loading, 'sip_trunk', id, record)
    return id
  })
}

async function subscribe(
  loading: Loading,
  number: number,
  country: Country,
  createdAt: Micros,
  period: Fields,
): Promise<void> {
  const { query, account, payments, now } = loading
  const price = payments.price(country)
  const given = timeOf(loading, period.period_start, undefined)
  const anchor = (period.renewal_day as number | undefined) ?? new Date((given ?? createdAt) / 1000).getUTCDate()
  let start = given ?? createdAt
  // Without a given period, the number has been renewed every month since it was bought.
  if (given === undefined) while (addMonths(start, 1, anchor) <= now) start = addMonths(start, 1, anchor)
  const subscription = await insertSubscription(query, {
    account_id: account.id,
    number_id: number,
    status: (period.status ?? 'active') as SubscriptionTable['status'],
    price: price.amount,
    price_id: price.priceId,
    anchor,
    period_start: start,
    period_end: timeOf(loading, period.period_end, addMonths(start, 1, anchor)),
  })
  const job = { account: account.id, kind: 'subscription', subject: String(subscription.id) }
  await scheduleJob(query, { ...job, at: subscription.period_end })
}
