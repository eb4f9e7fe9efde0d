import type {
  ConnectionAccess,
  ProviderResult,
  SheetLocation,
  SheetRow,
  SpreadsheetProvider,
} from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { SheetFailure } from './sheet-files.ts'
import { openSheet, type Sheet, sheetPlace } from './sheet-storage.ts'

/**
 * A change of a sheet. Row numbers count from 1 and include the header row. It is stored as JSON under its key, and compared with
 * a repeated request: the names and their order never change.
 */
type SheetChange =
  | { readonly kind: 'append'; readonly cells: Readonly<Record<string, string>> }
  | { readonly kind: 'update'; readonly row: number; readonly cells: Readonly<Record<string, string>> }
  | { readonly kind: 'remove'; readonly row: number }

/** Returns the letters of a column: 0 is A, 26 is AA. */
function columnLetter(column: number): string {
  let letters = ''
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26))
    letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

function columnIndex(letters: string): number | undefined {
  if (!/^[A-Z]{1,2}$/.test(letters)) return undefined
  return [...letters].reduce((sum, it) => sum * 26 + it.charCodeAt(0) - 64, 0) - 1
}

/** Returns the name of a column: its header, or its letters if it has none or shares it with an earlier column. */
const columnName = (headers: readonly string[], column: number): string => {
  const header = headers[column] ?? ''
  return header === '' || headers.indexOf(header) !== column ? columnLetter(column) : header
}

/** Returns a row by its number, with the cells by column name. */
function rowAt(rows: readonly (readonly string[])[], number: number): SheetRow {
  const [headers = []] = rows
  const cells = rows[number - 1] ?? []
  const width = Math.max(headers.length, cells.length)
  return {
    number,
    values: Object.fromEntries(Array.from({ length: width }, (_, at) => [columnName(headers, at), cells[at] ?? ''])),
  }
}

/**
 * Fills cells into a row. A name that is neither a header nor a column letter becomes a new header, so that no value is
 * lost.
 */
function fillRow(headers: string[], row: readonly string[], cells: Readonly<Record<string, string>>): string[] {
  const out = [...row]
  for (const [name, cell] of Object.entries(cells)) {
    const known = headers.indexOf(name)
    const column = known >= 0 ? known : (columnIndex(name) ?? headers.push(name) - 1)
    while (out.length < column) out.push('')
    out[column] = cell
  }
  return out
}

/** Returns the rows after a change, and the number of the changed row. */
function applyChange(
  rows: readonly (readonly string[])[],
  change: SheetChange,
): { readonly rows: string[][]; readonly number: number } {
  const [headers = [], ...rest] = rows.map((it) => [...it])
  const body = rows.length === 0 ? [] : rest
  if (change.kind === 'remove')
    return { rows: [headers, ...body.filter((_, at) => at !== change.row - 2)], number: change.row }
  if (change.kind === 'append') {
    const row = fillRow(headers, [], change.cells)
    // The columns of a sheet without headers get their letters as headers.
    for (let at = headers.length; rows.length === 0 && at < row.length; at++) headers.push(columnLetter(at))
    return { rows: [headers, ...body, row], number: body.length + 2 }
  }
  return {
    rows: [headers, ...body.map((it, at) => (at === change.row - 2 ? fillRow(headers, it, change.cells) : it))],
    number: change.row,
  }
}

type ChangeResult = ProviderResult<{ readonly value: SheetRow }>

interface Options {
  readonly connection: Connection
  readonly folder: string
  readonly gate?: FaultInjector | undefined
}

/**
 * Creates spreadsheets that are CSV files in a folder, which people can open and edit too; or, if several servers share
 * the database, CSV texts in it. A change is first recorded in `local_sheet_change` with the number of lines, then
 * applied. After a crash the number of lines shows whether the change was applied, so each key changes the sheet once.
 */
export function localSpreadsheets({ connection, folder, gate }: Options): SpreadsheetProvider {
  const open = async (access: ConnectionAccess, location: SheetLocation): Promise<Sheet> =>
    openSheet(connection, sheetPlace(folder, access, location))

  async function change(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    sheetChange: SheetChange,
  ): Promise<ChangeResult> {
    try {
      const sheet = await open(access, location)
      const scope = { name: `spreadsheet ${sheet.id}` }
      await withFaultInjection(gate, 'sheets.change', () =>
        connection.write(scope, (query) => begin(query, key, sheet, sheetChange)),
      )
      return await withFaultInjection(gate, 'sheets.apply', () =>
        connection.write(scope, (query) => finish(query, key, sheet)),
      )
    } catch (error) {
      if (error instanceof SheetFailure) return refusal(error)
      throw error
    }
  }

  return {
    name: 'local',
    description:
      connection.dialect === 'sqlite'
        ? 'Local spreadsheets: CSV files in the folder named by the connection, or in the data folder of this platform.'
        : 'Local spreadsheets: CSV files in the shared folder named by the connection, or in the database of this platform.',

    append: (key, access, location, cells) => change(key, access, location, { kind: 'append', cells }),
    update: (key, access, location, row, cells) => change(key, access, location, { kind: 'update', row, cells }),
    async remove(key, access, location, row) {
      const result = await change(key, access, location, { kind: 'remove', row })
      return result.ok ? { ok: true, value: undefined } : result
    },

    async rows(access, location, after, limit) {
      try {
        const sheet = await open(access, location)
        const rows = await sheet.read(connection.read)
        const first = Math.max(after, 1) + 1
        const count = Math.max(0, Math.min(limit, rows.length - first + 1))
        return { ok: true, value: Array.from({ length: count }, (_, n) => rowAt(rows, first + n)) }
      } catch (error) {
        if (error instanceof SheetFailure) return refusal(error)
        throw error
      }
    },
  }
}

const refusal = ({ message, because }: SheetFailure) =>
  ({ ok: false, reason: message, ...(because && { because }) }) as const

/** Locks a sheet for this transaction, and finishes the changes that another process started. */
async function lockAndFinishPending(query: PlatformQuery, sheet: Sheet): Promise<void> {
  const { id: file } = sheet
  await query
    .insertInto('local_sheet')
    .values({ file, changes: 0 })
    .onConflict((it) => it.column('file').doUpdateSet((old) => ({ changes: old('local_sheet.changes', '+', 1) })))
    .execute()
  const pending = await query
    .selectFrom('local_sheet_change')
    .selectAll()
    .where('file', '=', file)
    .where('result', 'is', null)
    .orderBy('number')
    .execute()
  for (const { key, lines, change } of pending) {
    const rows = await sheet.read(query)
    const sheetChange = parseJson(change) as SheetChange
    const made = applyChange(rows, sheetChange)
    // An update does not change the number of lines, and repeating it has no further effect.
    const isDone = sheetChange.kind !== 'update' && rows.length !== lines
    if (!isDone) await sheet.write(query, made.rows)
    const after = isDone ? rows : made.rows
    const number = sheetChange.kind === 'append' ? Math.max(lines, 1) + 1 : sheetChange.row
    const row = sheetChange.kind === 'remove' ? { number, values: {} } : rowAt(after, number)
    await query
      .updateTable('local_sheet_change')
      .set({ result: stringifyJson(row) })
      .where('key', '=', key)
      .execute()
  }
}

async function begin(query: PlatformQuery, key: string, sheet: Sheet, sheetChange: SheetChange): Promise<void> {
  const { id: file } = sheet
  await lockAndFinishPending(query, sheet)
  const change = stringifyJson(sheetChange)
  const known = await query.selectFrom('local_sheet_change').selectAll().where('key', '=', key).executeTakeFirst()
  if (known && (known.file !== file || known.change !== change)) throw new IdempotencyKeyReused(key)
  if (known) return
  const lines = (await sheet.read(query)).length
  if (sheetChange.kind !== 'append' && (sheetChange.row < 2 || sheetChange.row > lines))
    throw new SheetFailure(`The spreadsheet has no row ${sheetChange.row}.`, 'missing')
  const { changes } = await query
    .selectFrom('local_sheet')
    .select('changes')
    .where('file', '=', file)
    .executeTakeFirstOrThrow()
  await query
    .insertInto('local_sheet_change')
    .values({ key, file, number: changes, lines, change, result: null })
    .execute()
}

async function finish(query: PlatformQuery, key: string, sheet: Sheet): Promise<ChangeResult> {
  await lockAndFinishPending(query, sheet)
  const { result } = await query
    .selectFrom('local_sheet_change')
    .select('result')
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return { ok: true, value: parseJson(result ?? '{}') as SheetRow }
}
