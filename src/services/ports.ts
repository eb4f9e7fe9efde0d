import type { Country } from '../contract/countries.ts'

/** Micro-USD: money is whole numbers of these, never floats. */
export type MicroUsd = number

/** A number a telephony provider has for sale. */
export interface InventoryNumber {
  readonly phoneNumber: string
  readonly formatted: string
  readonly country: Country
  /** Two-letter or named region, null where the plan has none. */
  readonly region: string | null
  readonly addressRequirements: 'none' | 'local' | 'foreign' | 'inventory'
  readonly smsCapable: boolean
}

/** What a provider says about one number. */
export interface Offer extends InventoryNumber {
  /** A provider may refuse a number by name: the purchase then ends as `numbers.<refuses>` before anything is reserved or charged. */
  readonly refuses?: 'in_use' | 'no_payment_method'
}

export type Outcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string }

/** Who answers, for people who ask which outside world a platform is connected to. */
export interface Provider {
  /** One word, such as `local`. */
  readonly name: string
  /** A sentence saying what it is. */
  readonly description: string
}

/**
 * The provider that owns the numbers. Every call that changes something takes an idempotency key:
 * the same key again gives the first answer (a refusal too) and does nothing more, so a caller that crashed may simply ask again.
 * A key belongs to one request for good: with other arguments, or for another call, it rejects.
 */
export interface Telephony extends Provider {
  /** Numbers of a country whose E.164 digits contain `contains`, in a stable order, without those ordered already. */
  search(query: { country: Country; contains?: string | undefined; limit: number }): Promise<readonly InventoryNumber[]>
  /** The number when it is for sale now, else null. */
  find(phoneNumber: string): Promise<Offer | null>
  order(key: string, phoneNumber: string): Promise<Outcome<{ readonly sid: string }>>
  /** Gives back the number's live order; refused when there is none. */
  release(key: string, phoneNumber: string): Promise<Outcome<object>>
}

export interface Charge {
  /** Identifier of a payment method on file. */
  readonly method: string
  readonly amount: MicroUsd
  /** Appears on the statement. */
  readonly about: string
  /** The phone number it pays for, kept with the charge. */
  readonly number?: string | undefined
}

/** The payment processor. Charging is idempotent by key, as above, whichever method is on file by now: who asks again after a crash is told what became of the first. */
export interface Payments extends Provider {
  /** Price of a month in a country, and its identifier at the processor. */
  price(country: Country): { readonly amount: MicroUsd; readonly priceId: string }
  charge(key: string, charge: Charge): Promise<Outcome<{ readonly chargeId: string }>>
  /** Gives a whole charge back. A charge is refunded once, however often and under whichever key it is asked. */
  refund(key: string, chargeId: string): Promise<Outcome<object>>
}

/** What a document of a knowledge base is made from: a site from its address, or single pages of one. */
export interface WebsiteSource {
  readonly url?: string | undefined
  readonly links?: readonly string[] | undefined
  /** Pages to follow from each address. */
  readonly limit: number
}

/** Who fetches documents and makes them fit for looking things up. Asking again does no harm: nothing is changed outside. */
export interface Reader extends Provider {
  /** Takes a website in; refused when it cannot be read. */
  read(source: WebsiteSource): Promise<Outcome<object>>
}

export type TrunkDirection = 'inbound' | 'outbound'

/** Who carries calls to and from SIP servers. A trunk is known by the key it was asked for with, so a caller that never heard its identifier can take it away. */
export interface VoiceInfrastructure extends Provider {
  /** The same key again gives the first answer (a refusal too) and makes nothing more; with another configuration it rejects. */
  createTrunk(key: string, direction: TrunkDirection, configuration: Readonly<Record<string, unknown>>): Promise<Outcome<{ readonly trunkId: string }>>
  /** Takes away what the key made, if anything; from then on it makes nothing, even where a creation is still on its way. */
  deleteTrunk(key: string): Promise<Outcome<object>>
}

/** Where a calendar of the first kind is, and what opens it. */
export interface CalendarAccess {
  readonly apiKey: string
  /** `us`, `eu`, or the base URL of a deployment of its own. */
  readonly endpoint: string
}

/** The calendars assistants book in. They are only asked: nothing is changed there. */
export interface Calendars extends Provider {
  /** Name of an event, by its id; refused when what opens the calendar does not show one. */
  eventName(access: CalendarAccess, event: string): Promise<Outcome<{ readonly name: string }>>
  /** Whether an event type of the second kind, a URI, belongs to the account of the token. */
  ownsEventType(token: string, uri: string): Promise<boolean>
}

/** A message for the channel: the text as the recipient shall read it, and what it was made from. */
export interface ChannelMessage {
  /** Numbers in E.164. */
  readonly sender: string
  readonly recipient: string
  /** Empty for media without a caption. */
  readonly body: string
  /** The registered template and the values of its placeholders, in order; absent inside the 24-hour window. */
  readonly template?: { readonly name: string; readonly language: string; readonly placeholders: readonly string[] }
  readonly media?: { readonly url: string; readonly filename?: string | undefined }
}

/** What the channel says first: its identifier and a delivery status, or why not, with its own code where it has one. */
export type Handed =
  | { readonly ok: true; readonly sid: string; readonly status: string }
  | { readonly ok: false; readonly code: string | null; readonly reason: string }

/** The provider of the messaging channel. Sending is idempotent by key, as above. */
export interface Channel extends Provider {
  send(key: string, message: ChannelMessage): Promise<Handed>
}

/** What the services ask of the outside world. */
export interface Providers {
  readonly telephony: Telephony
  readonly payments: Payments
  readonly channel: Channel
  readonly reader: Reader
  readonly voice: VoiceInfrastructure
  readonly calendars: Calendars
}
