import type { FailureName } from '../contract/errors.ts'
import type { Offer } from '../services/ports.ts'

export interface MagicNumber {
  /** What buying it raises; null when the purchase succeeds. */
  readonly raises: FailureName | null
  /** What it does, for documentation. */
  readonly sentence: string
}

/** Numbers with which every outcome of a purchase can be had on demand. Only the local providers know them, and only a search for all their digits shows them. */
export const magicNumbers = {
  '+15005550000': { raises: 'numbers.in_use', sentence: 'Is already in use.' },
  '+15005550001': { raises: 'numbers.not_available', sentence: 'Is not for sale.' },
  '+15005550002': { raises: 'numbers.no_payment_method', sentence: 'Is refused as if the account had no payment method.' },
  '+15005550003': { raises: 'numbers.payment_failed', sentence: 'Is for sale, but the payment is declined.' },
  '+15005550004': { raises: 'numbers.provider_failed', sentence: 'Is for sale and paid for, then the provider fails and the payment is refunded.' },
  '+15005550006': { raises: null, sentence: 'Is for sale and succeeds; once released it can be bought again.' },
} as const satisfies Readonly<Record<string, MagicNumber>>

/** What buying the number raises: null when it succeeds, undefined when the number is an ordinary one. */
export const magicFailure = (phoneNumber: string): FailureName | null | undefined =>
  (magicNumbers as Readonly<Record<string, MagicNumber>>)[phoneNumber]?.raises

/** What the provider says about a magic number: null when it is not for sale, undefined when the number is an ordinary one. */
export function magicOffer(phoneNumber: string): Offer | null | undefined {
  const raises = magicFailure(phoneNumber)
  if (raises === undefined) return undefined
  if (raises === 'numbers.not_available') return null
  const formatted = `+1 500 555 ${phoneNumber.slice(-4)}`
  const offer: Offer = { phoneNumber, formatted, country: 'US', region: null, addressRequirements: 'none', smsCapable: true }
  if (raises === 'numbers.in_use') return { ...offer, refuses: 'in_use' }
  if (raises === 'numbers.no_payment_method') return { ...offer, refuses: 'no_payment_method' }
  return offer
}

/** The magic number that is for sale and whose digits a search names in full: what it costs can be asked like that of any other. */
export function magicMatch({ country, contains }: { country: string; contains?: string | undefined }): Offer | undefined {
  if (contains?.length !== 10) return undefined
  const offer = magicOffer(`+1${contains}`)
  return offer?.country === country && offer.refuses !== 'in_use' ? offer : undefined
}

/** Websites on this host cannot be read: a document made from one fails. */
export const unreadableHost = 'unreadable.example'

/** What the local calendars do not have: an event id, and the end of an event type URI that is another account's. */
export const magicCalendar = { missingEvent: '404', foreignEventType: '00000000-0000-0000-0000-000000000000' } as const

/** A SIP server with which no trunk can be made: the voice infrastructure refuses it. */
export const refusingSipAddress = 'fail.sip.example'

/** Messages with which every kind of reply can be had on demand. Only the local language model knows them. */
export const magicMessages = {
  '#fail': 'Makes the language model fail: the message is refused, kept nowhere and costs nothing.',
  '#function': 'Makes the assistant run a function before it answers: `function_calls` has it.',
} as const

/** Numbers that go with every end of a call. Only the local carrier knows them; all others are answered by a person. */
export const magicCallees = {
  '+15005550300': { status: 'busy', sentence: 'Is busy.' },
  '+15005550301': { status: 'no-answer', sentence: 'Is never answered.' },
  '+15005550302': { status: 'completed', sentence: 'Is answered by a machine.' },
  '+15005550303': { status: 'ended_by_assistant', sentence: 'Is answered by somebody who makes the assistant hang up.' },
  '+15005550304': { status: 'failed', sentence: 'Cannot be called: the carrier refuses, and what was held for the call is given back.' },
} as const

/** A number no SMS can be sent to: the carrier refuses, and the price is given back. */
export const refusedSmsRecipient = '+15005550200'
