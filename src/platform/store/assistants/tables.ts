// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType, Generated } from 'kysely'
import type { EngineMode } from '../../../contract/assistants/engine-modes.ts'
import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import type { Assistant } from '../../../contract/resources/assistants.ts'
import type { Tool } from '../../../contract/resources/tools.ts'
import type { JsonText } from '../../../node/json.ts'

/**
 * Assistant. `settings` is JSON with all fields, by wire name, that have neither a column nor a separate table.
 * A deleted assistant keeps its row for its conversations; queries must require `deleted_at` to be null.
 */
export interface AssistantTable {
  id: Generated<number>
  account_id: number
  uuid: string
  name: string
  type: 'inbound' | 'outbound'
  mode: EngineMode
  status: 'active' | 'inactive'
  phone_number_id: number | null
  folder_id: number | null
  knowledgebase_id: number | null
  settings: ColumnType<JsonText<Partial<Assistant>>, string, string>
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** Labels of an assistant. */
interface AssistantLabelTable {
  account_id: number
  assistant_id: number
  label_id: number
}

/** Mid-call tools of an assistant, in order. */
interface AssistantToolTable {
  account_id: number
  assistant_id: number
  tool_id: number
  position: number
}

/** Receiver of an event of an assistant: one automation or one webhook (section 6.3). `target` is its id or URL. */
export interface EventSlotTable {
  account_id: number
  assistant_id: number
  event: SlotEvent
  holder: 'webhook' | 'automation'
  target: string
  created_at: number
}

/** Folder of assistants. An assistant is in at most one. */
export interface FolderTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** Label of assistants. An assistant has any number of them. */
interface LabelTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** Tool of an account, which assistants call during a conversation. */
export interface ToolTable {
  id: Generated<number>
  account_id: number
  type: 'http' | 'automation'
  name: string
  description: string
  endpoint: string
  method: string
  body_format: string
  timeout: number
  headers: string
  static_fields: string
  schema: ColumnType<JsonText<Tool['schema']>, string, string>
  /** Automation behind the tool, if its type is `automation`. */
  automation_id: string | null
  created_at: number
  updated_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface AssistantTables {
  assistant: AssistantTable
  assistant_label: AssistantLabelTable
  assistant_tool: AssistantToolTable
  event_slot: EventSlotTable
  folder: FolderTable
  label: LabelTable
  tool: ToolTable
}
