import type { Country } from '../../contract/values/countries.ts'
import type { CalendarProvider, CrmProvider, MailProvider, SpreadsheetProvider } from './connected-accounts.ts'

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
export interface NumberOffer extends InventoryNumber {
  /** A provider may refuse a number by name: the purchase then ends as `numbers.<refuses>` before anything is reserved or charged. */
  readonly refusal?: 'in_use' | 'no_payment_method'
}

export type ProviderOutcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string }

/** Who answers, for people who ask which outside world a platform is connected to. */
export interface Provider {
  /** One word, such as `local`. */
  readonly name: string
  /** A sentence saying what it is. */
  readonly description: string
  /** The same of one that is set up or made only when it is asked; rejects where it cannot be. */
  describe?(): Promise<string>
}

/**
 * The provider that owns the numbers. Every call that changes something takes an idempotency key:
 * the same key again gives the first answer (a refusal too) and does nothing more, so a caller that crashed may simply ask again.
 * A key belongs to one request for good: with other arguments, or for another call, it rejects.
 */
export interface TelephonyProvider extends Provider {
  /** Numbers of a country whose E.164 digits contain `contains`, in a stable order, without those ordered already. */
  search(query: { country: Country; contains?: string | undefined; limit: number }): Promise<readonly InventoryNumber[]>
  /** The number when it is for sale now, else null. */
  find(phoneNumber: string): Promise<NumberOffer | null>
  order(key: string, phoneNumber: string): Promise<ProviderOutcome<{ readonly sid: string }>>
  /** Gives back the number's live order; refused when there is none. */
  release(key: string, phoneNumber: string): Promise<ProviderOutcome<object>>
}

export interface ChargeRequest {
  /** Identifier of a payment method on file. */
  readonly method: string
  readonly amount: MicroUsd
  /** Appears on the statement. */
  readonly about: string
  /** The phone number it pays for, kept with the charge. */
  readonly number?: string | undefined
}

/** The payment processor. Charging is idempotent by key, as above, whichever method is on file by now: who asks again after a crash is told what became of the first. */
export interface PaymentProvider extends Provider {
  /** Price of a month in a country, and its identifier at the processor. */
  price(country: Country): { readonly amount: MicroUsd; readonly priceId: string }
  charge(key: string, charge: ChargeRequest): Promise<ProviderOutcome<{ readonly chargeId: string }>>
  /** Gives a whole charge back. A charge is refunded once, however often and under whichever key it is asked. */
  refund(key: string, chargeId: string): Promise<ProviderOutcome<object>>
}

/** What a document of a knowledge base is made from: a site from its address, or single pages of one. */
export interface WebsiteSource {
  readonly url?: string | undefined
  readonly links?: readonly string[] | undefined
  /** Pages to follow from each address. */
  readonly limit: number
}

/** A page that was read. */
export interface WebPage {
  readonly address: string
  readonly title: string | null
  readonly text: string
}

/** Who fetches documents and makes them fit for looking things up. Asking again does no harm: nothing is changed outside. */
export interface WebsiteReader extends Provider {
  /** Whether reading it takes a while, since others are asked. */
  isRemote(source: WebsiteSource): boolean
  /** Takes a website in; refused when it cannot be read, `again` when that may pass. */
  read(
    source: WebsiteSource,
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly pages: readonly WebPage[] }
    | { readonly ok: false; readonly reason: string; readonly again?: boolean }
  >
}

export type TrunkDirection = 'inbound' | 'outbound'

/** Who carries calls to and from SIP servers. A trunk is known by the key it was asked for with, so a caller that never heard its identifier can take it away. */
export interface VoiceInfrastructure extends Provider {
  /** The same key again gives the first answer (a refusal too) and makes nothing more; with another configuration it rejects. */
  createTrunk(
    key: string,
    direction: TrunkDirection,
    configuration: Readonly<Record<string, unknown>>,
  ): Promise<ProviderOutcome<{ readonly trunkId: string }>>
  /** Takes away what the key made, if anything; from then on it makes nothing, even where a creation is still on its way. */
  deleteTrunk(key: string): Promise<ProviderOutcome<object>>
}

/** Where a calendar of the first kind is, and what opens it. */
export interface CalendarAccess {
  readonly apiKey: string
  /** `us`, `eu`, or the base URL of a deployment of its own. */
  readonly endpoint: string
}

/** The calendars assistants book in. They are only asked: nothing is changed there. */
export interface CalendarLookup extends Provider {
  /** Name of an event, by its id; refused when what opens the calendar does not show one. */
  eventName(access: CalendarAccess, event: string): Promise<ProviderOutcome<{ readonly name: string }>>
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
export type SendResult =
  | { readonly ok: true; readonly sid: string; readonly status: string }
  | { readonly ok: false; readonly code: string | null; readonly reason: string }

/** What the channel says of a sender, where it says anything; `messagingLimit` is null for no limit. */
export interface SenderStatus {
  readonly status?: 'online' | 'offline'
  readonly qualityRating?: string
  readonly messagingLimit?: number | null
}

/** The provider of the messaging channel. Sending is idempotent by key, as above; looking changes nothing. */
export interface MessagingChannel extends Provider {
  send(key: string, message: ChannelMessage): Promise<SendResult>
  /** A sender by its number, E.164. */
  sender(phone: string): Promise<SenderStatus>
  /** The templates registered for a sender of which it says anything. */
  templates(
    phone: string,
  ): Promise<readonly { readonly name: string; readonly language: string; readonly status: string }[]>
}

/** A turn in a conversation as a language model is given it. */
export interface ModelRequest {
  /** Names of the models the assistant was given, in the order they are to be asked: the next one where one cannot be asked at all. */
  readonly models: readonly string[]
  /** 0 to 1. */
  readonly temperature: number
  /** Name of the assistant, and how it shall behave. */
  readonly assistant: string
  readonly instructions: string
  /** What `{{name}}` stands for in the texts of the assistant. */
  readonly variables: Readonly<Record<string, unknown>>
  /** What was said so far, oldest first; the last is what is to be answered. */
  readonly messages: readonly ChatMessage[]
  /** What the model may have done before it answers. */
  readonly functions: readonly ModelFunction[]
  /** Gets the reply in pieces, as they come, from a model that can do so. */
  readonly onText?: (piece: string) => void
  /** Gets each function as soon as it has run. */
  readonly onRun?: (run: FunctionRun) => void
  readonly signal?: AbortSignal
}

/** Something that was said, and what was done for it. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly calls?: readonly FunctionRun[] | undefined
}

/** Something a model can have done. */
export interface ModelFunction {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** What came of it, for the model: what went wrong stands there as `error`. */
  run(args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

/** A function that was run, and what came of it. */
export interface FunctionRun {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
}

export interface ModelReply {
  readonly text: string
  /** In the order they were run. */
  readonly calls: readonly FunctionRun[]
}

/** Who thinks of what assistants say in chats. It is asked outside any transaction and changes nothing but through the functions it is given. */
export interface LanguageModel extends Provider {
  /** Whether it reads conversations that are over; where not, what they were about is found by rules. */
  canExtract?(): boolean
  /** Finds values in what was said, as it reads it; those it has none for are left out. */
  extract?(request: ExtractionRequest): Promise<ProviderOutcome<{ readonly values: Readonly<Record<string, unknown>> }>>
  /** The whole reply, after whatever functions it took; or why there is none. */
  reply(turn: ModelRequest): Promise<ProviderOutcome<ModelReply>>
}

/** What is to be found in a conversation that is over. */
export interface ExtractionRequest {
  /** Name of the model of the assistant. */
  readonly model: string
  readonly fields: readonly {
    readonly name: string
    readonly type: 'string' | 'number' | 'bool'
    readonly description: string
  }[]
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly signal: AbortSignal
}

/** A call for the carrier. Numbers in E.164; `from` is null where the carrier shall use one of its own. */
export interface CarrierCall {
  readonly from: string | null
  readonly to: string
  /** What the assistant says first. */
  readonly opening: string
  /** Seconds it may ring, and last. */
  readonly ringTimeoutSeconds: number
  readonly maxDurationSeconds: number
}

/** Something that was said, by whom and when: microseconds of the platform's time. */
export interface TranscriptLine {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly at: number
}

/** How a call stands. */
export interface CallProgress {
  readonly status:
    | 'ringing'
    | 'in-progress'
    | 'busy'
    | 'no-answer'
    | 'completed'
    | 'ended_by_customer'
    | 'ended_by_assistant'
    | 'failed'
  /** Seconds since it was answered. */
  readonly duration: number
  readonly answeredBy: 'human' | 'machine' | 'unknown' | null
  readonly transcript: string | null
  /** What was said, turn by turn, where the carrier knows. */
  readonly turns?: readonly TranscriptLine[]
  /** What was found out, where somebody says so beforehand. */
  readonly extracted?: Readonly<Record<string, unknown>>
  readonly recordingUrl?: string | undefined
  /** When it was over, in microseconds of the time that was asked with; whoever looks may look later. */
  readonly endedAt?: number
  /** When there is more to know, in microseconds of the time that was asked with; null when the call is over. */
  readonly nextPollAt: number | null
}

/** The carrier of calls. Placing one is idempotent by key, as above; looking changes nothing. `now` is the platform's time. */
export interface CallCarrier extends Provider {
  dial(key: string, call: CarrierCall, now: number): Promise<ProviderOutcome<{ readonly sid: string }>>
  /** Takes a call that comes in; `from` is who calls. Idempotent like dialling. */
  answer(key: string, call: CarrierCall, now: number): Promise<ProviderOutcome<{ readonly sid: string }>>
  getProgress(sid: string, call: CarrierCall, now: number): Promise<CallProgress>
}

/** The carrier of SMS. Sending is idempotent by key, as above. */
export interface SmsProvider extends Provider {
  send(key: string, message: { readonly from: string; readonly to: string; readonly body: string }): Promise<SendResult>
}

/** What the services ask of the outside world. */
export interface Providers {
  readonly telephony: TelephonyProvider
  readonly payments: PaymentProvider
  readonly channel: MessagingChannel
  readonly reader: WebsiteReader
  readonly voice: VoiceInfrastructure
  readonly calendars: CalendarLookup
  readonly language: LanguageModel
  readonly carrier: CallCarrier
  readonly sms: SmsProvider
  readonly mail: MailProvider
  readonly sheets: SpreadsheetProvider
  readonly calendarA: CalendarProvider
  readonly calendarB: CalendarProvider
  readonly crmB: CrmProvider
}
