import type { Country } from '../contract/values/countries.ts'
import type { Micros } from '../contract/values/micros.ts'

/** An external service that a platform is connected to. */
export interface Provider {
  /** One word, such as `local`. */
  readonly name: string
  /** A sentence that describes the provider, for the status of the platform and `parley doctor`. */
  readonly description: string
  /** Returns the description of a provider that is created on first use; rejects if it cannot be created. */
  describe?(): Promise<string>
}

/**
 * A refusal by a provider. `because` is set if a record is missing, access is denied, or the provider is busy: create-ports.ts of the
 * platform makes the class of the failed step of it. `reason` is shown to users.
 */
export interface ProviderRefusal {
  readonly ok: false
  readonly reason: string
  readonly because?: 'missing' | 'access' | 'busy'
}

/** The result of a provider call. */
export type ProviderResult<T> = ({ readonly ok: true } & T) | ProviderRefusal

/** Whole millionths of a USD. Money is never a floating-point number. */
export type MicroUsd = number

/** A request of a step, sent through `HttpPort`, which checks its address. */
export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Timeout of the whole exchange in milliseconds. */
  readonly timeout: number
}

/** The last response to a request, after redirects. Its body is bytes, also for a text. */
export interface HttpResponse {
  /** Final URL after redirects, if known. */
  readonly url?: string
  readonly status: number
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Which hosts with private addresses may be contacted: all, none, certain names, addresses and networks, or what a
 * function says at the time of the request.
 */
export type PrivateAccess = boolean | readonly string[] | (() => boolean)

/** Sends requests with verified TLS and limited redirects, size, addresses. Any status is valid. @throws StepFailure */
export interface HttpPort {
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
}

/** An appointment as a calendar has it. A cancelled one is found only by its id. */
export interface Appointment {
  readonly id: string
  readonly title: string
  /** ISO 8601 with a time zone. */
  readonly start: string
  readonly end: string
  readonly status: 'booked' | 'cancelled'
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
}

/** Filter for appointments: all given fields must match. Times are ISO 8601. */
export interface AppointmentQuery {
  readonly id?: string | undefined
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
}

/** An appointment to book. Its end follows from its type. */
export interface AppointmentDraft {
  /** Type of appointment: slug, URI or id, depending on the provider. */
  readonly event: string
  readonly start: string
  readonly timezone: string
  readonly name: string
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly notes?: string | undefined
}

/** The calendar of a connected account. Without a connection it is the calendar of the account's assistants. */
export interface CalendarProvider extends Provider {
  /** Returns booked appointments, earliest first, or with `id` the one appointment in any status. */
  find(access: ConnectionAccess, query: AppointmentQuery): ConnectedResult<readonly Appointment[]>
  book(key: string, access: ConnectionAccess, appointment: AppointmentDraft): ConnectedResult<Appointment>
  move(key: string, access: ConnectionAccess, id: string, start: string, timezone: string): ConnectedResult<Appointment>
  cancel(key: string, access: ConnectionAccess, id: string, reason: string): ConnectedResult<Appointment>
}

/** The endpoint and credentials of a calendar of the first kind. */
interface CalendarAccess {
  readonly apiKey: string
  /** `us`, `eu`, or the base URL of a self-hosted deployment. */
  readonly endpoint: string
}

/** Reads the calendars that assistants book in. It changes nothing there. */
export interface CalendarLookup extends Provider {
  /** Returns the name of an event; refused if the credentials give no access to it. */
  eventName(access: CalendarAccess, event: string): Promise<ProviderResult<{ readonly name: string }>>
  /** Returns whether an event type of the second kind, a URI, belongs to the account of the token. */
  ownsEventType(token: string, uri: string): Promise<boolean>
}

/** A contact as a CRM has it; null where it has no value. */
export interface Contact {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly tags: readonly string[]
  readonly fields: Readonly<Record<string, unknown>>
}

/** The CRM of a connected account, with its calendar. */
export interface CrmProvider extends CalendarProvider {
  findContact(
    access: ConnectionAccess,
    query: { readonly email?: string | undefined; readonly phone?: string | undefined },
  ): ConnectedResult<Contact | null>
  /** Creates a contact, or updates the one with the same phone number or email address. */
  saveContact(key: string, access: ConnectionAccess, contact: Partial<Omit<Contact, 'id'>>): ConnectedResult<Contact>
  addNote(
    key: string,
    access: ConnectionAccess,
    contact: string,
    text: string,
  ): ConnectedResult<{ readonly id: string }>
  /** Returns the contacts created after the one with that id, or all of them, in the order of creation. */
  contactsAfter(access: ConnectionAccess, id: string | null): ConnectedResult<readonly Contact[]>
}

/** Row of a sheet. `number` counts from 1 and includes the header row. */
export interface SheetRow {
  readonly number: number
  readonly values: Readonly<Record<string, string>>
}

/** Where rows are: a spreadsheet, and one of its sheets. */
export interface SheetLocation {
  readonly spreadsheet: string
  /** Name of the sheet (default: the first sheet). */
  readonly sheet?: string | undefined
}

/** Spreadsheets of a connected account. Cells are keyed by header, else by column letter (`A`). */
export interface SpreadsheetProvider extends Provider {
  append(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    cells: Readonly<Record<string, string>>,
  ): ConnectedResult<SheetRow>
  update(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    row: number,
    cells: Readonly<Record<string, string>>,
  ): ConnectedResult<SheetRow>
  remove(key: string, access: ConnectionAccess, location: SheetLocation, row: number): ConnectedResult<undefined>
  /** Returns at most `limit` rows after row number `after`, without the header row. */
  rows(
    access: ConnectionAccess,
    location: SheetLocation,
    after: number,
    limit: number,
  ): ConnectedResult<readonly SheetRow[]>
}

/** The account that uses a connection, with its credentials. */
export interface ConnectionAccess {
  readonly account: number
  /** The secret of the connection, in the form its kind needs; empty without a connection. */
  readonly secret: Readonly<Record<string, unknown>>
  /** Time of the platform. */
  readonly now: Micros
}

/**
 * The result of a call to an account that a person connects once. A call that changes something takes an idempotency
 * key before the access: a repeated key returns the first result and does nothing more, and a key always belongs to one
 * request. Steps of automations call the same methods through `ConnectedPort`.
 */
export type ConnectedResult<T> = Promise<ProviderResult<{ readonly value: T }>>

/** A request to a language model for the next turn of a conversation. */
export interface ModelRequest {
  /** Whose share of the requests to models it uses. */
  readonly account: number
  /** Names of the models to try, in order. The next one is used when one is unavailable. */
  readonly models: readonly string[]
  /** 0 to 1. */
  readonly temperature: number
  /** Name and instructions of the assistant. */
  readonly assistant: string
  readonly instructions: string
  /** Values of `{{name}}` in the texts of the assistant. */
  readonly variables: Readonly<Record<string, unknown>>
  /** The conversation so far, oldest first. The last message is to be answered. */
  readonly messages: readonly ChatMessage[]
  /** Functions the model may call before it replies. */
  readonly functions: readonly ModelFunction[]
  /** Receives the reply in pieces, if the model streams. */
  readonly onText?: (piece: string) => void
  /** Receives each function call when it has finished. */
  readonly onRun?: (run: FunctionRun) => void
  readonly signal?: AbortSignal
}

/** A message, with the functions called for it. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly calls?: readonly FunctionRun[] | undefined
}

/** A function that a model can call. */
export interface ModelFunction {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Returns the result for the model. A failure is reported as `error`. */
  run(args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

/** A function call and its result. Messages of conversations are stored with it as JSON: fields are added and not renamed. */
export interface FunctionRun {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
}

/** What an assistant says, with the functions that the model called before it. */
export interface ModelReply {
  readonly text: string
  /** In the order of execution. */
  readonly calls: readonly FunctionRun[]
}

/** Generates what assistants say in chats. It runs outside any transaction; only functions have effects. */
export interface LanguageModel extends Provider {
  /** Returns whether it can extract values from ended conversations. Otherwise rules are used. */
  canExtract?(): boolean
  /** Extracts values from a conversation. Fields without a value are omitted. */
  extract?(request: ExtractionRequest): Promise<ProviderResult<{ readonly values: Readonly<Record<string, unknown>> }>>
  /** Returns the complete reply after all function calls, or a reason for its absence. */
  reply(turn: ModelRequest): Promise<ProviderResult<ModelReply>>
}

/** A request to extract values from an ended conversation. */
export interface ExtractionRequest {
  /** Whose share of the requests to models it uses. */
  readonly account: number
  /** Name of the assistant's model. */
  readonly model: string
  readonly fields: readonly {
    readonly name: string
    readonly type: 'string' | 'number' | 'bool'
    readonly description: string
  }[]
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly signal: AbortSignal
}

/** A message for the channel: the final text, and the template it was made from. */
export interface ChannelMessage {
  /** Phone numbers in E.164. */
  readonly sender: string
  readonly recipient: string
  /** Empty for media without a caption. */
  readonly body: string
  /** The template and its values in order; absent inside the 24-hour window. */
  readonly template?: { readonly name: string; readonly language: string; readonly placeholders: readonly string[] }
  readonly media?: { readonly url: string; readonly filename?: string | undefined }
}

/** The channel's first response: an id and a delivery status, or a refusal with its code if it has one. */
export type SendResult =
  | { readonly ok: true; readonly sid: string; readonly status: string }
  | { readonly ok: false; readonly code: string | null; readonly reason: string }

/** What the channel reports about a sender. A `messagingLimit` of null means no limit. */
interface SenderStatus {
  readonly status?: 'online' | 'offline'
  readonly qualityRating?: string
  readonly messagingLimit?: number | null
}

/** The messaging channel. Sending is idempotent by key, as above; reading changes nothing. */
export interface MessagingChannel extends Provider {
  send(key: string, message: ChannelMessage): Promise<SendResult>
  /** Returns the status of a sender by its number in E.164. */
  sender(phone: string): Promise<SenderStatus>
  /** Returns the templates of a sender that the channel reports. */
  templates(
    phone: string,
  ): Promise<readonly { readonly name: string; readonly language: string; readonly status: string }[]>
}

/** The SMS carrier. Sending is idempotent by key, as above. */
export interface SmsProvider extends Provider {
  send(key: string, message: { readonly from: string; readonly to: string; readonly body: string }): Promise<SendResult>
}

/** A mail to send through a connected account. */
export interface Mail {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  readonly text?: string | undefined
  readonly html?: string | undefined
  readonly replyTo?: string | undefined
  readonly senderName?: string | undefined
}

/** Mail through a connected account. */
export interface MailProvider extends Provider {
  send(key: string, access: ConnectionAccess, mail: Mail): ConnectedResult<{ readonly id: string }>
}

/** A phone number for sale at a telephony provider. */
export interface InventoryNumber {
  readonly phoneNumber: string
  readonly formatted: string
  readonly country: Country
  /** Two-letter or named region; null if the numbering plan has none. */
  readonly region: string | null
  readonly addressRequirements: 'none' | 'local' | 'foreign' | 'inventory'
  readonly smsCapable: boolean
}

/** A provider's offer for one number. */
export interface NumberOffer extends InventoryNumber {
  /** Set when the provider refuses it. The purchase then fails as `numbers.<refusal>` before any charge. */
  readonly refusal?: 'in_use' | 'no_payment_method'
}

/**
 * The provider that owns the numbers. Changes take an idempotency key, so they can be repeated after a crash: the same
 * key returns the first result (also a refusal) and does nothing more. With another request or call, the key rejects.
 */
export interface TelephonyProvider extends Provider {
  /** Returns numbers whose E.164 digits contain `contains`, in a stable order, without ordered ones. */
  search(query: { country: Country; contains?: string | undefined; limit: number }): Promise<readonly InventoryNumber[]>
  /** Returns the number if it is for sale now, else null. */
  find(phoneNumber: string): Promise<NumberOffer | null>
  order(key: string, phoneNumber: string): Promise<ProviderResult<{ readonly sid: string }>>
  /** Releases the active order of the number; refused when there is none. */
  release(key: string, phoneNumber: string): Promise<ProviderResult<object>>
}

/** A call for the carrier. Numbers in E.164; with `from` null the carrier chooses a number. */
export interface CarrierCall {
  readonly from: string | null
  readonly to: string
  /** What the assistant says first. */
  readonly opening: string
  /** Maximum seconds of ringing and of the call. */
  readonly ringTimeoutSeconds: number
  readonly maxDurationSeconds: number
}

/** A spoken or written line. `at` is platform time in microseconds. */
export interface TranscriptLine {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly at: number
}

/** The state of a call. */
export interface CallProgress {
  readonly status:
    | 'ringing'
    | 'in-progress'
    | 'busy'
    | 'no-answer'
    | 'completed'
    | 'ended'
    | 'ended_by_customer'
    | 'ended_by_assistant'
    | 'failed'
  /** Seconds since the call was answered. */
  readonly duration: number
  readonly answeredBy: 'human' | 'machine' | 'unknown' | null
  readonly transcript: string | null
  /** The lines of the call, if the carrier reports them. */
  readonly turns?: readonly TranscriptLine[]
  /** Extracted variables, if a script sets them. */
  readonly extracted?: Readonly<Record<string, unknown>>
  readonly recordingUrl?: string | undefined
  /** End of the call, in microseconds of the `now` passed. It may lie before `now`. */
  readonly endedAt?: number
  /** When to poll next, in microseconds of the `now` passed; null when the call is over. */
  readonly nextPollAt: number | null
}

/** The final state of a call; `wasOver` when it had ended before it was hung up. */
export type HungUpCall = Omit<CallProgress, 'nextPollAt'> & { readonly wasOver: boolean }

/** The call carrier. `dial` is idempotent by key, as above; reading changes nothing. `now` is platform time. */
export interface CallCarrier extends Provider {
  dial(key: string, call: CarrierCall, now: number): Promise<ProviderResult<{ readonly sid: string }>>
  /** Answers an inbound call; `from` is the caller. Idempotent like `dial`. */
  answer(key: string, call: CarrierCall, now: number): Promise<ProviderResult<{ readonly sid: string }>>
  getProgress(sid: string, call: CarrierCall, now: number): Promise<CallProgress>
  /** Ends a call: `ended`, or `no-answer` while it rings. A call that is over is not changed. */
  hangUp(sid: string, call: CarrierCall, now: number): Promise<HungUpCall>
}

/** Direction of the calls that a SIP trunk carries. */
export type TrunkDirection = 'inbound' | 'outbound'

/** Creates and deletes SIP trunks. A trunk is identified by its key, so it can be deleted without its id. */
export interface VoiceInfrastructure extends Provider {
  /** Creates a trunk. The same key returns the first result; a key with another configuration rejects. */
  createTrunk(
    key: string,
    direction: TrunkDirection,
    configuration: Readonly<Record<string, unknown>>,
  ): Promise<ProviderResult<{ readonly trunkId: string }>>
  /** Deletes the trunk of the key, if any. The key creates nothing from then on, even if a creation is pending. */
  deleteTrunk(key: string): Promise<ProviderResult<object>>
}

/** The source of a document in a knowledge base: a website, or single pages. Rows of documents have it as JSON: the names never change. */
export interface WebsiteSource {
  readonly url?: string | undefined
  readonly links?: readonly string[] | undefined
  /** Maximum linked pages to follow. */
  readonly limit: number
}

/** A page that was read. */
export interface WebPage {
  readonly address: string
  readonly title: string | null
  readonly text: string
}

/** Fetches websites and converts them to text. It changes nothing outside and can be repeated. */
export interface WebsiteReader extends Provider {
  /** Returns whether reading the source makes network requests, which take a while. */
  isRemote(source: WebsiteSource): boolean
  /** Reads a website. `again` marks a temporary failure. */
  read(
    source: WebsiteSource,
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly pages: readonly WebPage[] }
    | { readonly ok: false; readonly reason: string; readonly again?: boolean }
  >
}

/** All external services that the platform uses. */
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

/** An amount to charge to a payment method. */
export interface ChargeRequest {
  /** Id of a payment method on file. */
  readonly method: string
  readonly amount: MicroUsd
  /** Text on the statement. */
  readonly about: string
  /** The phone number it pays for, stored with the charge. */
  readonly number?: string | undefined
}

/** The payment processor. Charges are idempotent by key as above, whichever payment method is on file. */
export interface PaymentProvider extends Provider {
  /** Returns the monthly price in a country, with its id at the processor. */
  price(country: Country): { readonly amount: MicroUsd; readonly priceId: string }
  charge(key: string, charge: ChargeRequest): Promise<ProviderResult<{ readonly chargeId: string }>>
  /** Refunds a whole charge. A charge is refunded only once, under any key. */
  refund(key: string, chargeId: string): Promise<ProviderResult<object>>
}
