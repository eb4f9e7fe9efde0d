import type { Generated } from 'kysely'
import type { SlotEvent } from '../assistants/event-slots.ts'

export type AutomationStatus = 'enabled' | 'disabled'
export type RunStatus = 'RUNNING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED'
/** `WAITING` is between two attempts. */
export type StepStatus = 'RUNNING' | 'WAITING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED'
/** What starts an automation: an address, an event of an assistant, the clock, a service that is asked for news. */
export type TriggerKind = 'webhook' | 'event' | 'schedule' | 'poll'

/**
 * An automation (section 2.10). `draft_version` is a definition that could not be published, `draft_note` why; `cursor` is how far a service
 * was read that is asked for news.
 */
export interface AutomationTable {
  id: string
  account_id: number
  name: string
  status: AutomationStatus
  live_version: string | null
  draft_version: string | null
  draft_note: string | null
  cursor: string | null
  created_at: number
  updated_at: number
}

/**
 * A definition, which never changes once published. `position` counts an automation's published versions; a draft has none.
 * `program` is what publishing made of the definition, for running. `event` and `assistant_id` say what it is bound to while it is live and proved.
 */
export interface AutomationVersionTable {
  id: string
  account_id: number
  automation_id: string
  position: number | null
  definition: string
  program: string | null
  hash: string
  trigger_kind: TriggerKind
  event: SlotEvent | null
  assistant_id: number | null
  /** Names of the connections its steps use. */
  connections: string
  restored_from: string | null
  created_at: number
  published_at: number | null
}

/**
 * A run: the queue itself. One that has not ended has a row of due work, leased by the process that runs it (`held`) or waiting for its time.
 * `claims` grows whenever a process takes it: whoever took it before can write no more. `stalls` counts the processes that died over it one
 * after another with no step ended since; `mark` is how many steps had ended when it was last taken. `round` is 1, and one more for each retry
 * somebody asked for. `active` is how long it was worked on.
 */
export interface AutomationRunTable {
  number: Generated<number>
  id: string
  account_id: number
  automation_id: string
  version_id: string
  testing: number
  status: RunStatus
  payload: string
  claims: number
  held: number
  mark: number
  stalls: number
  round: number
  active: number
  /** What a respond step answered. */
  answer: string | null
  error: string | null
  /** Accepting the same thing twice makes one run. */
  dedupe_key: string | null
  created_at: number
  finished_at: number | null
}

/**
 * A step of a run. `path` is its name, after the turns of the loops around it: `step_5[3]/step_6`, turns counted from 1. `failures` counts the attempts
 * that failed, of all those begun; `items` is what a loop goes through. Whatever was decided is read from here again and never decided twice.
 * `input` is what the last attempt was given, for people: without secrets, and limited in size. `shown` is the output without secrets, where it has any.
 */
export interface AutomationStepTable {
  run: number
  path: string
  account_id: number
  name: string
  /** Steps in the order they were begun. */
  position: number
  status: StepStatus
  attempt: number
  failures: number
  items: string | null
  input: string | null
  output: string | null
  shown: string | null
  error: string | null
  classification: string | null
  unresolved: string | null
  log: string | null
  started_at: number
  finished_at: number | null
}

/** What a paused step waits for: a time, a call to `id`, or whichever comes first. */
export interface AutomationWaitTable {
  id: string
  account_id: number
  run: number
  path: string
  until: number | null
  payload: string | null
  resumed_at: number | null
}

/** What automations keep between runs. `owner` is empty for values all automations of the account share. */
export interface AutomationValueTable {
  account_id: number
  owner: string
  key: string
  value: string
}

/** What a step did here under its idempotency key: asked again it is told the same. */
export interface AutomationActTable {
  account_id: number
  key: string
  result: string
  created_at: number
}

/** An account elsewhere. The secret is sealed. */
export interface AutomationConnectionTable {
  id: Generated<number>
  account_id: number
  kind: string
  name: string
  status: 'active' | 'expired'
  secret: string
  created_at: number
  updated_at: number
}

/** Where the failed runs of an account are sent to. */
export interface AutomationWebhookTable {
  account_id: number
  url: string
}

export interface AutomationTables {
  automation: AutomationTable
  automation_version: AutomationVersionTable
  automation_run: AutomationRunTable
  automation_step: AutomationStepTable
  automation_wait: AutomationWaitTable
  automation_value: AutomationValueTable
  automation_act: AutomationActTable
  automation_connection: AutomationConnectionTable
  automation_webhook: AutomationWebhookTable
}
