import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { connectionKinds } from '../../contract/control/connections.ts'

/** Microseconds since the epoch, UTC: the platform's unit of time. */
export type Micros = number

/** Why a step failed, as test results and runs tell it (section 2.10). */
export type FailureClass = 'wiring_error' | 'missing_connection' | 'missing_record'

export interface FailureDetails {
  readonly classification?: FailureClass
  /** Whether trying again may help. */
  readonly retriable?: boolean
  /** Microseconds the other side asked to be left alone. */
  readonly retryAfter?: Micros
  /** What later steps see of this one when it may fail. */
  readonly output?: unknown
}

/** How steps, and the ports they use, say that a step failed. The message is for people. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly classification: FailureClass
  readonly retriable: boolean
  readonly retryAfter: Micros | undefined
  readonly output: unknown

  constructor(
    message: string,
    { classification = 'wiring_error', retriable = false, retryAfter, output }: FailureDetails = {},
  ) {
    super(message)
    this.classification = classification
    this.retriable = retriable
    this.retryAfter = retryAfter
    this.output = output
  }
}

/** One attempt of one step of a run. */
export interface StepContext {
  readonly account: number
  readonly automation: string
  readonly run: string
  /** Name of the step, such as `step_3`. */
  readonly step: string
  /** 1 for the first. */
  readonly attempt: number
  /** Idempotency key: the same for every attempt of this step of this run, and of this turn of the loops around it. */
  readonly key: string
  /** What `inputOf(node)` holds, with every `{{ }}` resolved. */
  readonly input: unknown
  /** The platform's time, which may be frozen or shifted. */
  readonly now: Micros
  /** Whether this is a test run. */
  readonly testing: boolean
  readonly signal: AbortSignal
  /** Present when the step asked to pause and its time has come, or somebody called the run back. */
  readonly resumed?: { readonly payload?: unknown }
  /** Keeps a line with the step. */
  log(text: string): void
  readonly ports: AutomationPorts
}

export type StepOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  /** Parks the run until then, or until it is called back when null; the step is run again with `resumed`. */
  | { readonly kind: 'pause'; readonly until: Micros | null; readonly output?: unknown }
  /** Answers whoever waits for the run, which then ends well when `stop` is set, or goes on. */
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: unknown
      readonly stop: boolean
      readonly output: unknown
      /** Whether the run is parked after the answer until it is called back. */
      readonly waits?: boolean
    }

/** Does what a node says. @throws StepFailure */
export type StepRunner = (context: StepContext, node: AutomationNode) => Promise<StepOutcome>

/** Who acts, and the key under which doing it again does nothing more and gives the first answer. */
export interface ActionKey {
  readonly account: number
  readonly key: string
}

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Milliseconds for the whole exchange. */
  readonly timeout: number
}

export interface HttpResponse {
  /** Where it came from in the end, where that is known. */
  readonly url?: string
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Requests to other people's servers: TLS always checked, redirects, size and addresses limited. Any status is a reply. @throws StepFailure */
export interface HttpPort {
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
}

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

export interface MailPort {
  send(action: ActionKey, mail: Mail): Promise<{ readonly id: string }>
}

/** A row of a sheet. `number` counts from 1, the row of headers included. */
export interface SheetRow {
  readonly number: number
  readonly values: Readonly<Record<string, string>>
}

export interface SheetLocation {
  readonly spreadsheet: string
  /** The first sheet unless given. */
  readonly sheet?: string | undefined
}

/** Values go by header, or by letter of the column (`A`) where there is none. @throws StepFailure `missing_record` for a spreadsheet or row that is not there */
export interface SheetsPort {
  append(action: ActionKey, location: SheetLocation, values: Readonly<Record<string, string>>): Promise<SheetRow>
  update(
    action: ActionKey,
    location: SheetLocation,
    row: number,
    values: Readonly<Record<string, string>>,
  ): Promise<SheetRow>
  remove(action: ActionKey, location: SheetLocation, row: number): Promise<void>
  /** Rows after number `after`, without the headers, at most `limit`. */
  rows(account: number, location: SheetLocation, after: number, limit: number): Promise<readonly SheetRow[]>
}

export interface SmsPort {
  send(
    action: ActionKey,
    sms: { readonly from: number; readonly to: string; readonly body: string },
  ): Promise<Readonly<Record<string, unknown>>>
}

export interface MessagingPort {
  /** `template` is its id or its name; `variables` by number or name of the placeholder. */
  sendTemplate(
    action: ActionKey,
    message: {
      readonly sender: number
      readonly template: number | string
      readonly to: string
      readonly variables: Readonly<Record<string, string>>
    },
  ): Promise<Readonly<Record<string, unknown>>>
  sendText(
    action: ActionKey,
    message: { readonly sender: number; readonly to: string; readonly body: string },
  ): Promise<Readonly<Record<string, unknown>>>
}

export interface CallsPort {
  start(
    action: ActionKey,
    call: { readonly assistant: number; readonly phone: string; readonly variables: Readonly<Record<string, unknown>> },
  ): Promise<Readonly<Record<string, unknown>>>
}

export interface LeadDraft {
  readonly campaign: number
  readonly phone: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly allowDuplicate: boolean
  readonly secondary: readonly { readonly phone: string; readonly variables: Readonly<Record<string, unknown>> }[]
}

export interface LeadsPort {
  add(action: ActionKey, lead: LeadDraft): Promise<Readonly<Record<string, unknown>>>
  /** Queues a lead again, known by its id, or by its number in a campaign; merges variables. */
  requeue(
    action: ActionKey,
    lead: { readonly id: number } | { readonly campaign: number; readonly phone: string },
    variables: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
  remove(action: ActionKey, id: number): Promise<void>
}

export interface Appointment {
  readonly id: string
  readonly title: string
  /** ISO 8601 with a zone. */
  readonly start: string
  readonly end: string
  readonly status: 'booked' | 'cancelled'
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
}

/** Whose appointments: any that matches all that is given. Times are ISO 8601. */
export interface AppointmentQuery {
  readonly id?: string | undefined
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
}

export interface AppointmentDraft {
  /** Kind of appointment: slug, URI or id, as the provider has it. */
  readonly event: string
  readonly start: string
  readonly timezone: string
  readonly name: string
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly notes?: string | undefined
}

/** A calendar, through a connection of the account where it has one. @throws StepFailure `missing_record`, `missing_connection` */
export interface CalendarPort {
  /** Those still booked unless `id` is given, earliest first. */
  find(account: number, query: AppointmentQuery): Promise<readonly Appointment[]>
  book(action: ActionKey, appointment: AppointmentDraft): Promise<Appointment>
  move(action: ActionKey, id: string, start: string, timezone: string): Promise<Appointment>
  cancel(action: ActionKey, id: string, reason: string): Promise<Appointment>
}

export interface Contact {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly tags: readonly string[]
  readonly fields: Readonly<Record<string, unknown>>
}

export interface CrmPort extends CalendarPort {
  findContact(
    account: number,
    query: { readonly email?: string | undefined; readonly phone?: string | undefined },
  ): Promise<Contact | null>
  /** Makes a contact, or changes the one with that number or mail address. */
  saveContact(action: ActionKey, contact: Partial<Omit<Contact, 'id'>>): Promise<Contact>
  addNote(action: ActionKey, contact: string, text: string): Promise<{ readonly id: string }>
  /** Contacts made after the one with that id, or all of them; in the order they were made. */
  contactsAfter(account: number, id: string | null): Promise<readonly Contact[]>
}

/** Where a stored value lives: `account` is seen by all automations of it. */
export interface StoreScope {
  readonly account: number
  readonly owner: { readonly kind: 'account' } | { readonly kind: 'automation' | 'run'; readonly id: string }
}

/** Values automations keep between runs. Keys have at most 128 characters, values 512 KB as JSON. */
export interface StorePort {
  /** Undefined when there is none. */
  get(scope: StoreScope, key: string): Promise<unknown>
  /** Replaces what `change` makes of the value there is; undefined removes it. Done once under `act`; gives the value there is then. */
  change(action: ActionKey, scope: StoreScope, key: string, change: (value: unknown) => unknown): Promise<unknown>
}

/** Kinds of accounts elsewhere that a person connects once (section 4.20). */
export type ConnectionKind = (typeof connectionKinds)[number]

export interface ConnectionsPort {
  /** `name` is the name it was given, or its kind. The secret is there while it is active. */
  find(
    account: number,
    name: string,
  ): Promise<{ readonly status: 'active'; readonly secret: unknown } | { readonly status: 'missing' | 'expired' }>
}

/** What steps ask of the platform and of the world. Refusals are thrown as StepFailure. */
export interface AutomationPorts {
  readonly http: HttpPort
  readonly mail: MailPort
  readonly sheets: SheetsPort
  readonly sms: SmsPort
  readonly messaging: MessagingPort
  readonly calls: CallsPort
  readonly leads: LeadsPort
  readonly calendarA: CalendarPort
  readonly calendarB: CalendarPort
  readonly crmB: CrmPort
  readonly store: StorePort
  readonly connections: ConnectionsPort
}
