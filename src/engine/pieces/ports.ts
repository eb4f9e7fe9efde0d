import type { connectionKinds } from '../../contract/control/connections.ts'
import type {
  CalendarProvider,
  ConnectedResult,
  ConnectionAccess,
  CrmProvider,
  HttpPort,
  MailProvider,
  Provider,
  SpreadsheetProvider,
} from '../ports.ts'

/** Acting account and idempotency key. Repeating an action with the same key only returns the first result. */
export interface ActionKey {
  readonly account: number
  readonly key: string
}

/**
 * The methods of a connected account's provider as steps call them: with an action or, for reads, an account instead of
 * key and credentials. They return the value, or throw a StepFailure.
 */
export type ConnectedPort<P extends Provider> = {
  readonly [M in Exclude<keyof P, keyof Provider>]: P[M] extends (
    key: string,
    access: ConnectionAccess,
    ...rest: infer Rest
  ) => ConnectedResult<infer T>
    ? (action: ActionKey, ...rest: Rest) => Promise<T>
    : P[M] extends (access: ConnectionAccess, ...rest: infer Rest) => ConnectedResult<infer T>
      ? (account: number, ...rest: Rest) => Promise<T>
      : never
}

/** Mail through a connected account, as steps send it. */
export type MailPort = ConnectedPort<MailProvider>
/** Spreadsheets of a connected account, as steps read and change them. */
export type SheetsPort = ConnectedPort<SpreadsheetProvider>
/** The calendar of a connected account, as steps read and change it. */
export type CalendarPort = ConnectedPort<CalendarProvider>
/** The CRM of a connected account with its calendar, as steps read and change it. */
export type CrmPort = ConnectedPort<CrmProvider>

/** Sends SMS from a number of the account. `from` is the id of that number. */
export interface SmsPort {
  send(
    action: ActionKey,
    sms: { readonly from: number; readonly to: string; readonly body: string },
  ): Promise<Readonly<Record<string, unknown>>>
}

/** Sends messages through a sender of the account. `sender` is its id. */
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

/** Starts calls of the account's assistants. `assistant` is an id. */
export interface CallsPort {
  start(
    action: ActionKey,
    call: { readonly assistant: number; readonly phone: string; readonly variables: Readonly<Record<string, unknown>> },
  ): Promise<Readonly<Record<string, unknown>>>
}

/** A lead to add to a campaign, with its secondary contacts. */
export interface LeadDraft {
  readonly campaign: number
  readonly phone: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly allowDuplicate: boolean
  readonly secondary: readonly { readonly phone: string; readonly variables: Readonly<Record<string, unknown>> }[]
}

/** Changes the leads of the account's campaigns. */
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

/** Scope of a stored value. All automations of an account share the scope `account`. Rows have the kinds: they never change. */
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

/** Finds the connections of an account, for `{{connections.name}}` in the input of a step. */
export interface ConnectionsPort {
  /** Finds a connection by its name or kind. The secret is returned only while it is active. */
  find(
    account: number,
    name: string,
  ): Promise<{ readonly status: 'active'; readonly secret: unknown } | { readonly status: 'missing' | 'expired' }>
}

/** Result of a called automation: its response, or why there is none. Waits are stored with it as JSON: fields are added, not renamed. */
export type CallResult =
  | { readonly status: 'success'; readonly data: unknown }
  | { readonly status: 'error'; readonly errorMessage: string }

/** Calls other automations of an account. */
export interface SubflowsPort {
  /**
   * Starts a run of another automation, once per action. `automation` is its id or name, `caller` the id of the calling
   * run. Returns the result for a test that waits for it, because a test cannot continue later.
   * @throws StepFailure if the automation cannot be called
   */
  start(
    action: ActionKey,
    call: { readonly automation: string; readonly data: unknown; readonly caller: string; readonly testing: boolean },
    waits: boolean,
  ): Promise<{ readonly run: string; readonly result?: CallResult | undefined }>
}

/** Creates the links with which a person approves or disapproves while a run waits. */
export interface ApprovalsPort {
  /** Returns links that end the wait of a run with a decision. @throws StepFailure where no server can receive them */
  createLinks(run: string): Promise<{ readonly approvalLink: string; readonly disapprovalLink: string }>
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
  readonly approvals: ApprovalsPort
  readonly subflows: SubflowsPort
}
