import type { ConnectedResult, ConnectionAccess } from './connection-access.ts'
import type { Provider } from './provider.ts'

/** Row of a sheet. `number` counts from 1 and includes the header row. */
export interface SheetRow {
  readonly number: number
  readonly values: Readonly<Record<string, string>>
}

export interface SheetLocation {
  readonly spreadsheet: string
  /** Name of the sheet (default: the first sheet). */
  readonly sheet?: string | undefined
}

/** Spreadsheets of a connected account. Cells are keyed by header, else by column letter (`A`). */
export interface SpreadsheetProvider extends Provider {
  append(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    cells: Readonly<Record<string, string>>,
  ): ConnectedResult<SheetRow>
  update(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    row: number,
    cells: Readonly<Record<string, string>>,
  ): ConnectedResult<SheetRow>
  remove(key: string, access: ConnectionAccess, location: SheetLocation, row: number): ConnectedResult<undefined>
  /** Returns at most `limit` rows after row number `after`, without the header row. */
  rows(
    access: ConnectionAccess,
    location: SheetLocation,
    after: number,
    limit: number,
  ): ConnectedResult<readonly SheetRow[]>
}
