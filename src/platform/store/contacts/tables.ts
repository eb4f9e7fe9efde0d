// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType } from 'kysely'
import type { ContactHours } from '../../../contract/resources/contacts.ts'
import type { OptOutSettings } from '../../../contract/values/opt-out-words.ts'
import type { JsonText } from '../../../node/json.ts'
import type { Channel } from '../campaigns/tables.ts'

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

/** The tables of this file by name, a part of the type of the database. */
export interface ContactTables {
  blocked_contact: BlockedContactTable
  opt_out_setting: OptOutSettingTable
  contact_hours: ContactHoursTable
}
