import { resource } from '../endpoint/endpoint.ts'
import {
  amount,
  dataList,
  e164Number,
  id,
  isoMicros,
  messageResponse,
  messageWithData,
  text,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { countries } from '../values/countries.ts'

/** Number that can be purchased (section 2.4). */
export const AvailableNumber = z.object({
  phone_number: e164Number,
  phone_number_formatted: z.string(),
  country_code: z.string().regex(/^[A-Z]{2}$/),
  price: amount.describe('USD per month'),
  payment_price_id: z.string(),
  address_requirements: z.enum(['none', 'local', 'foreign', 'inventory']),
  sms_capable: z.boolean(),
})
export type AvailableNumber = z.output<typeof AvailableNumber>

/** Purchased number (section 2.5). */
export const PurchasedNumber = z.object({
  id: z.int(),
  phone_number: z.string(),
  country_code: z.string(),
  type: z.enum(['normal', 'sip', 'caller_id']),
  sms_capable: z.boolean(),
})
export type PurchasedNumber = z.output<typeof PurchasedNumber>

/** Owned number as the list shows it. Its state follows from `has_active_subscription` and `ends_at` (`numberState` of states.ts). */
export const OwnedNumber = PurchasedNumber.extend({
  nickname: z.string().nullable(),
  type_label: z.string(),
  region: z.string().nullable(),
  has_active_subscription: z.boolean(),
  price: amount.nullable().describe('USD per month; null without a subscription; not on public deployments'),
  renews_at: isoMicros.nullable().describe('When the subscription renews; not on public deployments'),
  ends_at: isoMicros.nullable().describe('When a released number is removed; not on public deployments'),
  created_at: isoMicros,
})
export type OwnedNumber = z.output<typeof OwnedNumber>

const path = z.object({ id: id.describe('Id of the number') })

export const numbers = resource('numbers', {
  search: {
    method: 'GET',
    path: '/api/user/phone-numbers/search',
    summary: 'Search for phone numbers to buy',
    query: z.object({
      country_code: z.enum(countries).default('US').describe('Country (ISO 3166-1 alpha-2)'),
      contains: z
        .string()
        .regex(/^\d{0,10}$/, { error: 'The contains field must contain digits only, at most 10.' })
        .optional()
        .describe('Digits that the number must contain, at most 10'),
    }),
    status: 200,
    output: dataList(AvailableNumber),
    errors: [],
    risk: 'read',
    section: '4.4',
    items: 'data',
  },
  buy: {
    method: 'POST',
    path: '/api/user/phone-numbers/purchase',
    summary: 'Buy a phone number (monthly, non-refundable)',
    body: z.object({ phone_number: z.string().describe('Number to buy, E.164, as returned by the search') }),
    status: 201,
    output: messageWithData(PurchasedNumber),
    errors: [
      'numbers.in_use',
      'numbers.not_available',
      'numbers.no_payment_method',
      'numbers.payment_failed',
      'numbers.unparseable',
      'numbers.provider_failed',
    ],
    risk: 'spends',
    section: '4.5',
    record: 'data',
    successProof: { 'data.id': 'id', 'data.phone_number': { inputField: 'phone_number' } },
  },
  list: {
    method: 'GET',
    path: '/api/user/phone-numbers/all',
    summary: 'List your phone numbers',
    status: 200,
    output: dataList(OwnedNumber),
    errors: [],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
    items: 'data',
  },
  update: {
    method: 'PUT',
    path: '/api/user/phone-numbers/{id}',
    summary: 'Update the nickname of a phone number',
    params: path,
    body: z.object({ nickname: text(50).nullable().optional().describe('Nickname, at most 50 characters') }),
    status: 200,
    output: messageWithData(OwnedNumber),
    errors: ['numbers.not_found'],
    risk: 'write',
    section: '4.22',
    assumed: 'public deployments',
    record: 'data',
  },
  release: {
    method: 'DELETE',
    path: '/api/user/phone-numbers/{id}',
    summary: 'Release a phone number',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['numbers.not_found', 'numbers.release_scheduled', 'numbers.release_failed'],
    risk: 'destructive',
    takesEffectLater: true,
    section: '4.22',
    assumed: 'public deployments',
  },
})
