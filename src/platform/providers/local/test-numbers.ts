// Documentation, tests of users and the conformance check have these values: they are added, not changed.

import type { FailureName } from '../../../contract/errors/failures.ts'
import type { NumberOffer } from '../../../engine/ports.ts'

/** A test number for purchases. */
interface TestNumber {
  /** The failure of a purchase; null when it succeeds. */
  readonly failure: FailureName | null
  /** What the number does, for the documentation. */
  readonly sentence: string
}

/**
 * Test numbers that produce every outcome of a purchase. Only the local providers know them, and only a search for all
 * their digits finds them.
 */
export const testNumbers = {
  '+15005550000': { failure: 'numbers.in_use', sentence: 'Is already in use.' },
  '+15005550001': { failure: 'numbers.not_available', sentence: 'Is not for sale.' },
  '+15005550002': {
    failure: 'numbers.no_payment_method',
    sentence: 'Is rejected as if the account had no payment method.',
  },
  '+15005550003': { failure: 'numbers.payment_failed', sentence: 'Is for sale, but the payment is declined.' },
  '+15005550004': {
    failure: 'numbers.provider_failed',
    sentence: 'Is for sale. The payment succeeds, the provider fails, and the payment is refunded.',
  },
  '+15005550006': {
    failure: null,
    sentence: 'Is for sale. The purchase succeeds, and the number can be bought again after its release.',
  },
} as const satisfies Readonly<Record<string, TestNumber>>

/** Returns the failure of purchasing a number: null when it succeeds, undefined when it is not a test number. */
export const testNumberFailure = (phoneNumber: string): FailureName | null | undefined =>
  (testNumbers as Readonly<Record<string, TestNumber>>)[phoneNumber]?.failure

/**
 * Returns the provider's offer for a test number: null when it is not for sale, undefined when it is not a test number.
 */
export function testNumberOffer(phoneNumber: string): NumberOffer | null | undefined {
  const failure = testNumberFailure(phoneNumber)
  if (failure === undefined) return undefined
  if (failure === 'numbers.not_available') return null
  const formatted = `+1 500 555 ${phoneNumber.slice(-4)}`
  const offer: NumberOffer = {
    phoneNumber,
    formatted,
    country: 'US',
    region: null,
    addressRequirements: 'none',
    smsCapable: true,
  }
  if (failure === 'numbers.in_use') return { ...offer, refusal: 'in_use' }
  if (failure === 'numbers.no_payment_method') return { ...offer, refusal: 'no_payment_method' }
  return offer
}

/**
 * Returns the test number for sale whose digits a search contains in full, so that its price can be queried like any
 * other.
 */
export function searchTestNumber({
  country,
  contains,
}: {
  country: string
  contains?: string | undefined
}): NumberOffer | undefined {
  if (contains?.length !== 10) return undefined
  const offer = testNumberOffer(`+1${contains}`)
  return offer?.country === country && offer.refusal !== 'in_use' ? offer : undefined
}

/** Host whose websites cannot be read. A document from it fails. */
export const unreadableHost = 'unreadable.example'

/**
 * Values that the local calendars do not have: an event id, and the end of an event type URI that belongs to another
 * account.
 */
export const testCalendar = { missingEvent: '404', foreignEventType: '00000000-0000-0000-0000-000000000000' } as const

/** SIP server for which the voice infrastructure refuses to create trunks. */
export const refusingSipAddress = 'fail.sip.example'

/** Test messages that produce every kind of reply. Only the local language model knows them. */
export const testMessages = {
  '#fail': 'Makes the language model fail. The message is rejected, not stored and free of charge.',
  '#function': 'Makes the assistant run a function before it answers. The reply lists it in `function_calls`.',
} as const

/**
 * Test numbers that produce every outcome of a call. Only the local carrier knows them; a person answers all others.
 */
export const testCallees = {
  '+15005550300': { status: 'busy', sentence: 'Is busy.' },
  '+15005550301': { status: 'no-answer', sentence: 'Is never answered.' },
  '+15005550302': { status: 'completed', sentence: 'Is answered by a machine.' },
  '+15005550303': {
    status: 'ended_by_assistant',
    sentence: 'Is answered by a person who makes the assistant hang up.',
  },
  '+15005550304': {
    status: 'failed',
    sentence: 'Cannot be called. The carrier rejects the call, and the reserved minute is refunded.',
  },
} as const

/** Number that cannot receive SMS: the carrier refuses, and the price is refunded. */
export const refusedSmsRecipient = '+15005550200'
