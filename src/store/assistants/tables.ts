import type { Generated } from 'kysely'
import type { EngineMode } from '../../contract/assistants/engine-modes.ts'

/**
 * An assistant. `settings` holds, as JSON by their names on the wire, all fields that have neither a column nor a table of their own.
 * A deleted one keeps its row, for the conversations it had, and nothing else: ask for assistants with `deleted_at` null.
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
  settings: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** Which labels an assistant has. */
export interface AssistantLabelTable {
  account_id: number
  assistant_id: number
  label_id: number
}

/** Which mid-call tools an assistant has, in order. */
export interface AssistantToolTable {
  account_id: number
  assistant_id: number
  tool_id: number
  position: number
}

/** Who is told of an event of an assistant: one automation or one webhook (section 6.3). `target` is its id or address. */
export interface EventSlotTable {
  account_id: number
  assistant_id: number
  event: string
  holder: 'webhook' | 'automation'
  target: string
  created_at: number
}

/** Folders sort assistants, one each. */
export interface FolderTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

/** Labels sort assistants, any number each. */
export interface LabelTable {
  id: Generated<number>
  account_id: number
  name: string
  color: string | null
  created_at: number
}

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
  schema: string
  /** The automation behind it when type is `automation`. */
  automation_id: string | null
  created_at: number
  updated_at: number
}

export interface AssistantTables {
  assistant: AssistantTable
  assistant_label: AssistantLabelTable
  assistant_tool: AssistantToolTable
  event_slot: EventSlotTable
  folder: FolderTable
  label: LabelTable
  tool: ToolTable
}
