// Copies of the records of contract/automations that the page shows: the server sends those.

import type { FlowNode } from './flow-layout.ts'

/** Automation in a list. */
export interface AutomationBrief {
  readonly id: string
  readonly name: string
  readonly status: string
  /** Newest live run; null if there is none, missing on platforms that do not report it. */
  readonly last_run?: Pick<RunSummary, 'id' | 'status' | 'start_time' | 'error'> | null
  /** Number of its newest live runs, at most 100, and of those that failed. */
  readonly recent_runs?: number
  readonly recent_failures?: number
  readonly binding: { readonly type: string; readonly assistant_id: number; readonly assistant_name: string } | null
}

/** Automation with its definition. */
export interface AutomationRecord extends AutomationBrief {
  readonly updated_at: string
  readonly definition: FlowNode
}

/** Version in a list. `changes` compares it with the version before, by step name; null if there is none to compare. */
export interface VersionBrief {
  readonly number: number
  readonly id: string
  readonly published_at: string
  readonly live: boolean
  readonly restored_from: number | null
  readonly changes: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly moved: readonly string[]
    readonly changed: readonly { readonly step: string; readonly fields: readonly string[] }[]
  } | null
}

/** Run in a list. */
export interface RunSummary {
  readonly id: string
  readonly automation_id: string
  readonly automation_name: string
  readonly version: number | null
  readonly status: string
  readonly testing: boolean
  readonly start_time: string
  readonly end_time: string | null
  readonly duration_ms: number | null
  readonly error: string | null
}

/** Answer to a cancellation. `also_cancelled` are ids of further runs that ended with it. */
export interface CancelledRun extends RunSummary {
  readonly also_cancelled: readonly string[]
}

/** Execution of a step in a run. `path` has the iterations of loops, `name` does not. */
export interface RunStep {
  readonly name: string
  readonly path: string
  readonly display_name: string | null
  readonly type: string | null
  readonly status: string
  readonly classification: string | null
  readonly attempts: number
  readonly started_at: string
  readonly duration_ms: number | null
  readonly wakes_at: string | null
  readonly called_run: string | null
  readonly input: unknown
  readonly output: unknown
  readonly error: string | null
  readonly earlier_errors: readonly { readonly attempt: number; readonly failed_at: string; readonly error: string }[]
  readonly error_line: { readonly number: number; readonly text: string } | null
  readonly branches: readonly string[] | null
  readonly iterations:
    | readonly { readonly index: number; readonly item: unknown; readonly status: string | null }[]
    | null
  readonly unresolved: readonly string[]
  readonly log: readonly string[]
}

/** Run with its steps. */
export interface RunRecord extends RunSummary {
  readonly trigger: unknown
  readonly response: unknown
  readonly steps: readonly RunStep[]
  readonly steps_omitted: number
  readonly shortened: boolean
}

export const flowsPath = '/api/user/automate/flows'
