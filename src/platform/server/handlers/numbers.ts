import {
  type AvailableNumber,
  numbers,
  type OwnedNumber,
  type PurchasedNumber,
} from '../../../contract/resources/numbers.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { purchaseService } from '../../services/billing/purchase-service.ts'
import { numberService, type PricedNumber } from '../../services/numbers/number-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { NumberRow, NumberWithSubscription } from '../../store/numbers/numbers.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const numberResource = (deps: Deps): LoadedResource => loadedResource(numbers, numberHandlers(deps))

/** Creates the handlers of phone numbers. */
function numberHandlers(deps: Deps): HandlersOf<typeof numbers> {
  const service = numberService(deps)
  const purchases = purchaseService(deps)
  return {
    search: async ({ country_code, contains }) => ({
      data: (await service.search(country_code, contains)).map(toOffer),
    }),
    buy: async ({ phone_number }, { account, idempotencyKey }) => ({
      message: 'Phone number purchased successfully.',
      data: toPurchased(await purchases.buy(account, phone_number, idempotencyKey)),
    }),
    list: async (_, { account }) => ({ data: (await service.list(account.id)).map(toOwned) }),
    update: async ({ id, nickname }, { account }) => ({
      message: 'Phone number updated successfully.',
      data: toOwned(await service.rename(account.id, id, nickname)),
    }),
    release: async ({ id }, { account }) => ({
      message:
        (await service.release(account.id, id)) === 'done'
          ? 'Phone number deleted successfully.'
          : 'Phone number release scheduled successfully. It will be removed at the end of the billing period.',
    }),
  }
}

const toOffer = (offer: PricedNumber): AvailableNumber => ({
  phone_number: offer.phoneNumber,
  phone_number_formatted: offer.formatted,
  country_code: offer.country,
  price: fromMillionths(offer.price),
  payment_price_id: offer.priceId,
  address_requirements: offer.addressRequirements,
  sms_capable: offer.smsCapable,
})

const toPurchased = (row: NumberRow): PurchasedNumber => ({
  id: row.id,
  phone_number: row.phone_number,
  country_code: row.country_code,
  type: row.type,
  sms_capable: row.sms_capable === 1,
})

/** Words of the answers for the type of a number; clients show them. */
const typeLabels = { normal: 'Normal', sip: 'SIP', caller_id: 'Caller ID' } as const

const toOwned = ({ number, subscription }: NumberWithSubscription): OwnedNumber => ({
  ...toPurchased(number),
  nickname: number.nickname,
  type_label: typeLabels[number.type],
  region: number.region,
  has_active_subscription: subscription !== undefined && subscription.status !== 'ended',
  price: subscription && subscription.status !== 'ended' ? fromMillionths(subscription.price) : null,
  renews_at: subscription && subscription.status !== 'ending' ? toIsoMicros(subscription.period_end) : null,
  ends_at: subscription?.status === 'ending' ? toIsoMicros(subscription.period_end) : null,
  created_at: toIsoMicros(number.created_at),
})
