// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType } from 'kysely'
import type { ContactHours } from '../../../contract/resources/contacts.ts'
import type { OptOutSettings } from '../../../contract/values/opt-out-words.ts'
import type { JsonText } from '../../../node/json.ts'
import type { Channel } from '../campaigns/tables.ts'
import type { StoredFailure } from '../messaging/tables.ts'

/** The input of what waits, as it was requested. Stored rows have it: the names never change. */
export interface WaitingRequest {
  readonly template?: {
    readonly senderId: number
    readonly templateId: number
    readonly recipient: string
    readonly recipientName?: string | undefined
    readonly variables: Readonly<Record<string, string>>
  }
  readonly freeform?: {
    readonly senderId: number
    readonly recipient: string
    readonly message?: string | undefined
    readonly mediaUrl?: string | undefined
    readonly filename?: string | undefined
  }
  readonly sms?: { readonly from: number; readonly to: string; readonly body: string }
  readonly call?: {
    readonly phone: string
    readonly assistantId: number
    readonly variables: Readonly<Record<string, unknown>>
  }
}

/** Phone number that an account must not contact over a channel. A number that is blocked on all channels has a row for each. */
interface BlockedContactTable {
  account_id: number
  /** In E.164. */
  phone_number: string
  channel: Channel
  reason: string | null
  /** Where the block comes from. The contract lists the values that the platform sets itself. */
  source: string
  created_at: number
}

/** What an account changes of the words to opt out. */
interface OptOutSettingTable {
  account_id: number
  settings: ColumnType<JsonText<OptOutSettings>, string, string>
  updated_at: number
}

/** Hours, days and holidays of an account. */
interface ContactHoursTable {
  account_id: number
  settings: ColumnType<JsonText<ContactHours>, string, string>
  updated_at: number
}

/**
 * Message, SMS or call that waits until the hours of the account are open: `waiting -> started` with the id of what was sent,
 * `failed`, or `cancelled`. A row with `parked` marks a run of an automation that waits for them. `id` counts within the account.
 */
interface WaitingContactTable {
  account_id: number
  id: number
  channel: Channel
  /** In E.164. */
  phone_number: string
  state: 'waiting' | 'started' | 'failed' | 'cancelled' | 'parked'
  /** What is sent, as the service of its channel takes it. */
  request: ColumnType<JsonText<WaitingRequest>, string, never>
  run_id: string | null
  /** The restricted key that pays; null for none. */
  key_id: number | null
  idempotency_key: string | null
  opens_at: number
  started_id: number | null
  failure: ColumnType<JsonText<StoredFailure> | null, string | null, string | null>
  created_at: number
  updated_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface ContactTables {
  blocked_contact: BlockedContactTable
  opt_out_setting: OptOutSettingTable
  contact_hours: ContactHoursTable
  waiting_contact: WaitingContactTable
}
