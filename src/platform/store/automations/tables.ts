// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType, Generated } from 'kysely'
import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import type { StepStatus } from '../../../engine/runs/run-state.ts'
import type { JsonText } from '../../../node/json.ts'

/** Whether triggers start runs of an automation. */
type AutomationStatus = 'enabled' | 'disabled'
/** State of a run as stored. A cancelled run is a `FAILED` one with a time of cancellation. */
export type RunStatus = 'RUNNING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED'
/** Kind of trigger: a webhook URL, an event of an assistant, a schedule, a polled service, or a call of an automation. */
export type TriggerKind = 'webhook' | 'event' | 'schedule' | 'poll' | 'call'

/**
 * Automation (section 2.10). `draft_version` is a definition that could not be published, for the reason in
 * `draft_note`. `cursor` is the position in a polled service.
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
  /** The restricted key that started it; null for none. */
  key_id: Generated<number | null>
}

/**
 * Definition, immutable once published. `position` numbers the published versions of an automation; a draft has none.
 * `program` is the compiled definition. `event` and `assistant_id` are the binding while the version is live and
 * tested.
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
  /** Names of the connections that its steps use. */
  connections: ColumnType<JsonText<string[]>, string, string>
  restored_from: string | null
  created_at: number
  published_at: number | null
  /** Generation of the engine for which it was published. */
  engine: Generated<number>
}

/**
 * Run of an automation. This table is the run queue: an unfinished run has a scheduled job, which the process that runs
 * it leases (`held`) or which waits for its time. `claims` increases when a process claims the run; earlier holders can
 * no longer write. `stalls` counts consecutive processes that died during the run without completing a step. `mark` is
 * the number of completed steps at the last claim. `round` starts at 1 and increases with each requested retry.
 * `active` is the time spent running, in microseconds.
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
  /** Microseconds between the ends of failed attempts and their retries. */
  idle: Generated<number>
  /** Response of a respond step. */
  answer: string | null
  error: string | null
  /** Deduplication key: a second run with the same key is not accepted. */
  dedupe_key: string | null
  created_at: number
  finished_at: number | null
  /** When the run was cancelled. Its status is FAILED then. */
  cancelled_at: number | null
  /** The restricted key that started it; null for none. */
  key_id: Generated<number | null>
}

/**
 * Step of a run. `path` is its name after the iterations of the loops around it: `step_5[3]/step_6`, iterations counted
 * from 1. `failures` counts the failed attempts; `items` is the list a loop iterates over. Recorded decisions are read
 * from here when a run resumes and are not made again. `input` is the input of the last attempt for display: without
 * secrets, and limited in size. `shown` is the output with its secrets hidden, if it has any.
 */
export interface AutomationStepTable {
  run: number
  path: string
  account_id: number
  name: string
  /** Order in which the steps started. */
  position: number
  status: StepStatus
  attempt: number
  failures: number
  items: string | null
  input: string | null
  output: string | null
  shown: string | null
  error: string | null
  classification: 'wiring_error' | 'missing_connection' | 'missing_record' | null
  unresolved: string | null
  log: string | null
  started_at: number
  finished_at: number | null
  /** Microseconds between the ends of failed attempts of the run and their retries. */
  idle: Generated<number>
  /** Errors of the attempts before the last one, as `earlierErrors` reads them. */
  earlier_errors: Generated<string | null>
}

/** Wait of a paused step: for a time, for a call to `id`, or for whichever comes first. */
export interface AutomationWaitTable {
  id: string
  account_id: number
  run: number
  path: string
  until: number | null
  payload: string | null
  resumed_at: number | null
}

/** Values that automations store between runs. `owner` is empty for values shared by all automations of the account. */
interface AutomationValueTable {
  account_id: number
  owner: string
  key: string
  value: string
}

/** Result of a local action of a step, by idempotency key. A repeated request gets the same result. */
interface AutomationActTable {
  account_id: number
  key: string
  result: string
  created_at: number
}

/** External account of an account. The secret is encrypted. */
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

/** URL that receives the failed runs of an account. */
interface AutomationWebhookTable {
  account_id: number
  url: string
}

/** The tables of this file by name, a part of the type of the database. */
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
