import type { SheetPlace, SheetRow } from '../../automation/ports.ts'
import type { Spreadsheets, Told, Whose } from '../../services/connected-ports.ts'
import type { Connection, Query } from '../../store/connection.ts'
import { type Gate, throughGate } from '../gate.ts'
import { KeyReused } from '../key-reused.ts'
import { fileOf, readRows, SheetFailure, writeRows } from './files.ts'
import { type Change, changed, rowAt } from './rows.ts'

type Changed = Told<{ readonly row: SheetRow }>

interface Options {
  readonly connection: Connection
  readonly folder: string
  readonly gate?: Gate | undefined
}

/**
 * Spreadsheets that are CSV files in a folder, for people to open and to write in too. A change is first written down in `local_sheet_change` with the
 * number of lines the file had, then made: whoever finds one unfinished can tell by the lines whether it was, and a key changes the file once.
 */
export function localSheets({ connection, folder, gate }: Options): Spreadsheets {
  async function change(key: string, whose: Whose, at: SheetPlace, wanted: Change): Promise<Changed> {
    try {
      const file = fileOf(folder, whose, at)
      await throughGate(gate, 'sheets.change', () => connection.write((query) => begin(query, key, file, wanted)))
      return await throughGate(gate, 'sheets.apply', () => connection.write((query) => finish(query, key, file)))
    } catch (error) {
      if (error instanceof SheetFailure) return refusal(error)
      throw error
    }
  }

  return {
    name: 'local',
    description: 'Spreadsheets are CSV files in the folder a connection names, or in the data folder of this platform.',

    append: (key, whose, at, cells) => change(key, whose, at, { kind: 'append', cells }),
    update: (key, whose, at, row, cells) => change(key, whose, at, { kind: 'update', row, cells }),
    async remove(key, whose, at, row) {
      return change(key, whose, at, { kind: 'remove', row })
    },

    async rows(whose, at, after, limit) {
      try {
        const rows = readRows(fileOf(folder, whose, at))
        const first = Math.max(after, 1) + 1
        const count = Math.max(0, Math.min(limit, rows.length - first + 1))
        return { ok: true, rows: Array.from({ length: count }, (_, n) => rowAt(rows, first + n)) }
      } catch (error) {
        if (error instanceof SheetFailure) return refusal(error)
        throw error
      }
    },
  }
}

const refusal = ({ message, because }: SheetFailure) => ({ ok: false, reason: message, ...(because && { because }) }) as const

/** Lets one process at a time on to a file, and ends what another began. */
async function hold(query: Query, file: string): Promise<void> {
  await query
    .insertInto('local_sheet')
    .values({ file, changes: 0 })
    .onConflict((it) => it.column('file').doUpdateSet((old) => ({ changes: old('local_sheet.changes', '+', 1) })))
    .execute()
  const pending = await query.selectFrom('local_sheet_change').selectAll().where('file', '=', file).where('result', 'is', null).orderBy('number').execute()
  for (const { key, lines, change } of pending) {
    const rows = readRows(file)
    const wanted = JSON.parse(change) as Change
    const made = changed(rows, wanted)
    // Rows that are only changed leave the lines as they are: changing them again does nothing more.
    const isDone = wanted.kind !== 'update' && rows.length !== lines
    if (!isDone) writeRows(file, made.rows)
    const after = isDone ? rows : made.rows
    const number = wanted.kind === 'append' ? Math.max(lines, 1) + 1 : wanted.row
    const row = wanted.kind === 'remove' ? { number, values: {} } : rowAt(after, number)
    await query
      .updateTable('local_sheet_change')
      .set({ result: JSON.stringify(row) })
      .where('key', '=', key)
      .execute()
  }
}

async function begin(query: Query, key: string, file: string, wanted: Change): Promise<void> {
  await hold(query, file)
  const change = JSON.stringify(wanted)
  const known = await query.selectFrom('local_sheet_change').selectAll().where('key', '=', key).executeTakeFirst()
  if (known && (known.file !== file || known.change !== change)) throw new KeyReused(key)
  if (known) return
  const lines = readRows(file).length
  if (wanted.kind !== 'append' && (wanted.row < 2 || wanted.row > lines)) throw new SheetFailure(`The spreadsheet has no row ${wanted.row}.`, 'missing')
  const { changes } = await query.selectFrom('local_sheet').select('changes').where('file', '=', file).executeTakeFirstOrThrow()
  await query.insertInto('local_sheet_change').values({ key, file, number: changes, lines, change, result: null }).execute()
}

async function finish(query: Query, key: string, file: string): Promise<Changed> {
  await hold(query, file)
  const { result } = await query.selectFrom('local_sheet_change').select('result').where('key', '=', key).executeTakeFirstOrThrow()
  return { ok: true, row: JSON.parse(result ?? '{}') as SheetRow }
}
