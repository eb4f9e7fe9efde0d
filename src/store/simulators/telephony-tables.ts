import type { Generated } from 'kysely'

/** What the simulated telephony provider and voice infrastructure know: kept apart from the platform's own tables. */

/** The local telephony provider's own books: what the outside world knows, kept apart from the platform's. */
export interface LocalOrderTable {
  key: string
  phone_number: string
  sid: string | null
  failure: string | null
  released: number
}

/** The local carrier's own books of calls; `at` is when the call was placed. */
export interface LocalCallTable {
  key: string
  sid: string | null
  caller: string | null
  callee: string
  at: number
  failure: string | null
  /** How the call is to go, as JSON, where somebody has said so. */
  script: Generated<string | null>
}

/** How the next calls to a number are to go, in order: the local carrier's own books. */
export interface LocalScriptTable {
  id: Generated<number>
  callee: string
  script: string
}

/** The local carrier's own books of SMS. */
export interface LocalSmsTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  failure: string | null
}

/** The local voice infrastructure's own books, a line a key: a trunk (`id`), a refusal (`failure`), or the end of either (`deleted`). Passwords are not in them. */
export interface LocalTrunkTable {
  key: string
  id: string | null
  direction: string | null
  configuration: string | null
  failure: string | null
  deleted: number
}

export interface TelephonySimulatorTables {
  local_order: LocalOrderTable
  local_call: LocalCallTable
  local_script: LocalScriptTable
  local_sms: LocalSmsTable
  local_trunk: LocalTrunkTable
}
