import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { connectionKinds } from '../../contract/control/connections.ts'

/** Microseconds since the epoch, UTC: the time unit of the platform. */
export type Micros = number

/** Reason why a step failed, as test results and runs show it (section 2.10). */
export type FailureClass = 'wiring_error' | 'missing_connection' | 'missing_record'

export interface FailureDetails {
  readonly classification?: FailureClass
  /** Whether a retry may succeed. */
  readonly retriable?: boolean
  /** Delay before a retry that the server requested, in microseconds. */
  readonly retryAfter?: Micros
  /** Output that later steps see if the step is allowed to fail. */
  readonly output?: unknown
}

/** Error that steps and ports throw when a step fails. The message is for users. */
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

/** Context of one attempt of one step of a run. */
export interface StepContext {
  readonly account: number
  readonly automation: string
  readonly run: string
  /** Name of the step, such as `step_3`. */
  readonly step: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Idempotency key: the same for every attempt of this step in this run and loop iteration. */
  readonly key: string
  /** Result of `nodeInput(node)` with every `{{ }}` resolved. */
  readonly input: unknown
  /** Time of the platform, which may be frozen or shifted. */
  readonly now: Micros
  /** Whether this is a test run. */
  readonly testing: boolean
  readonly signal: AbortSignal
  /** Set if the step paused and is run again, because its time has come or the run was called back. */
  readonly resumed?: { readonly payload?: unknown }
  /** Adds a line to the log of the step. */
  log(text: string): void
  readonly ports: AutomationPorts
}

export type StepOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  /** Pauses the run until a time, or until it is called back if null. The step is then run again with `resumed`. */
  | { readonly kind: 'pause'; readonly until: Micros | null; readonly output?: unknown }
  /** Sends a response to the caller of the run. With `stop` the run then ends successfully, otherwise it continues. */
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: unknown
      readonly stop: boolean
      readonly output: unknown
      /** Whether the run pauses after the response until it is called back. */
      readonly waits?: boolean
    }

/** Executes a node. @throws StepFailure */
export type StepRunner = (context: StepContext, node: AutomationNode) => Promise<StepOutcome>

/** Acting account and idempotency key. Repeating an action with the same key only returns the first result. */
export interface ActionKey {
  readonly account: number
  readonly key: string
}

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Timeout of the whole exchange in milliseconds. */
  readonly timeout: number
}

export interface HttpResponse {
  /** Final URL after redirects, if known. */
  readonly url?: string
  readonly status: number
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Sends requests with verified TLS and limited redirects, size, addresses. Any status is valid. @throws StepFailure */
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

/** Row of a sheet. `number` counts from 1 and includes the header row. */
export interface SheetRow {
  readonly number: number
  readonly values: Readonly<Record<string, string>>
}

export interface SheetLocation {
  readonly spreadsheet: string
  /** Name of the sheet (default: the first sheet). */
  readonly sheet?: string | undefined
}

/** Spreadsheets. Cells are keyed by header, else by column letter (`A`). @throws StepFailure `missing_record` */
export interface SheetsPort {
  append(action: ActionKey, location: SheetLocation, values: Readonly<Record<string, string>>): Promise<SheetRow>
  update(
    action: ActionKey,
    location: SheetLocation,
    row: number,
    values: Readonly<Record<string, string>>,
  ): Promise<SheetRow>
  remove(action: ActionKey, location: SheetLocation, row: number): Promise<void>
  /** Returns at most `limit` rows after row number `after`, without the header row. */
  rows(account: number, location: SheetLocation, after: number, limit: number): Promise<readonly SheetRow[]>
}

export interface SmsPort {
  send(
    action: ActionKey,
    sms: { readonly from: number; readonly to: string; readonly body: string },
  ): Promise<Readonly<Record<string, unknown>>>
}

export interface MessagingPort {
  /** Sends a template. `template` is its id or name; `variables` are keyed by number or name of the placeholder. */
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
  /** Queues a lead again and merges variables. The lead is found by id, or by number within a campaign. */
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

/** Calendar, through a connection if there is one. @throws StepFailure `missing_record`, `missing_connection` */
export interface CalendarPort {
  /** Finds appointments, earliest first. Canceled ones are included only if `id` is given. */
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
  /** Creates a contact, or updates the one with the same phone number or email address. */
  saveContact(action: ActionKey, contact: Partial<Omit<Contact, 'id'>>): Promise<Contact>
  addNote(action: ActionKey, contact: string, text: string): Promise<{ readonly id: string }>
  /** Returns the contacts created after the contact with this id, or all of them, in order of creation. */
  contactsAfter(account: number, id: string | null): Promise<readonly Contact[]>
}

/** Scope of a stored value. All automations of an account share the scope `account`. */
export interface StoreScope {
  readonly account: number
  readonly owner: { readonly kind: 'account' } | { readonly kind: 'automation' | 'run'; readonly id: string }
}

/** Access to values stored between runs. Keys have at most 128 characters, values at most 512 KB as JSON. */
export interface StorePort {
  /** Returns a stored value; undefined if it does not exist. */
  get(scope: StoreScope, key: string): Promise<unknown>
  /** Replaces a value with the result of `change`, once per `action`; undefined removes it. Returns the new value. */
  change(action: ActionKey, scope: StoreScope, key: string, change: (value: unknown) => unknown): Promise<unknown>
}

/** Kinds of external accounts that a user connects once (section 4.20). */
export type ConnectionKind = (typeof connectionKinds)[number]

export interface ConnectionsPort {
  /** Finds a connection by its name or kind. The secret is returned only while it is active. */
  find(
    account: number,
    name: string,
  ): Promise<{ readonly status: 'active'; readonly secret: unknown } | { readonly status: 'missing' | 'expired' }>
}

/** Access of steps to the platform and to external services. Errors are thrown as StepFailure. */
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
