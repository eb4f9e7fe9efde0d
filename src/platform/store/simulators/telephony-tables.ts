import type { Generated } from 'kysely'

/** Tables of the simulated telephony provider and voice infrastructure, separate from those of the platform. */

/** Orders recorded by the simulated telephony provider. */
export interface LocalOrderTable {
  key: string
  phone_number: string
  sid: string | null
  failure: string | null
  released: number
}

/** Calls recorded by the simulated carrier. `at` is the time when the call was placed. */
export interface LocalCallTable {
  key: string
  sid: string | null
  caller: string | null
  callee: string
  at: number
  failure: string | null
  /** Scripted course of the call as JSON, if one was set. */
  script: Generated<string | null>
}

/** Scripted courses of the next calls to a number, in order, for the simulated carrier. */
export interface LocalScriptTable {
  id: Generated<number>
  callee: string
  script: string
}

/** SMS recorded by the simulated carrier. */
export interface LocalSmsTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  failure: string | null
}

/** Simulated voice infrastructure, per key: a trunk (`id`), an error (`failure`), or a `deleted` one. No passwords. */
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
