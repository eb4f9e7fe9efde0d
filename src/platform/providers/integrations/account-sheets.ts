import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ConnectionAccess, SheetLocation } from '../../../engine/ports.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { createFile } from '../../../node/replace-file.ts'
import type { Connection } from '../../store/database/connection.ts'
import { listSheetFiles } from './import-sheets.ts'
import { requireSharedFolder } from './shared-folder.ts'
import { formatRows, parseRows, SheetFailure } from './sheet-files.ts'
import { namedFolder, sheetPlace } from './sheet-storage.ts'

/** A spreadsheet in a list. `sheets.list` of the control API answers with it: `Sheet` of contract/control/sheets.ts has the same fields. */
interface SheetSummary {
  readonly name: string
  /** Name of the sheet; null for the first one. */
  readonly sheet: string | null
  /** Number of rows without the header; null if it is not valid CSV. */
  readonly rows: number | null
  /** Path of the file; null if the spreadsheet is in the database. */
  readonly file: string | null
}

/** Returns the spreadsheets of an account in the order of their names. `folder` is the data folder. */
export async function listSheets(
  connection: Connection,
  folder: string,
  access: ConnectionAccess,
): Promise<SheetSummary[]> {
  const named = namedFolder(access)
  if (named !== undefined) return sortByName(fileSummaries(named))
  const own = `spreadsheets/${access.account}/`
  const stored = await connection.read
    .selectFrom('local_sheet')
    .select(['file', 'content'])
    .where('file', 'like', `${own}%`)
    .where('content', 'is not', null)
    .execute()
  const inDatabase = stored.flatMap(({ file, content }) => summaryOf(file.slice(own.length), String(content), null))
  if (connection.dialect === 'postgres') return sortByName(inDatabase)
  const known = new Set(inDatabase.map(keyOf))
  const files = fileSummaries(join(folder, 'spreadsheets', String(access.account)))
  return sortByName([...inDatabase, ...files.filter((it) => !known.has(keyOf(it)))])
}

/**
 * Creates a spreadsheet with a header row. Returns false if it exists. @throws SheetFailure for an invalid name or a
 * folder that cannot be written
 */
export async function createSheet(
  connection: Connection,
  folder: string,
  { access, location, columns }: { access: ConnectionAccess; location: SheetLocation; columns: readonly string[] },
): Promise<SheetSummary | undefined> {
  const { file, name, folder: named } = sheetPlace(folder, access, location)
  const content = formatRows([columns], location.spreadsheet)
  const summary = { name: location.spreadsheet, sheet: location.sheet ?? null, rows: 0 }
  if (named === undefined && connection.dialect === 'postgres') {
    const row = await connection.write('rows', (query) =>
      query
        .insertInto('local_sheet')
        .values({ file: String(name), changes: 0, content })
        .onConflict((it) => it.column('file').doUpdateSet({ content }).where('local_sheet.content', 'is', null))
        .returning('file')
        .executeTakeFirst(),
    )
    return row && { ...summary, file: null }
  }
  if (named === undefined && (await isInDatabase(connection, String(name)))) return undefined
  if (named !== undefined && connection.dialect === 'postgres') await requireSharedFolder(connection, named)
  try {
    makeFolder(dirname(file))
    return createFile(file, content, { mode: 'keep' }) ? { ...summary, file } : undefined
  } catch (error) {
    throw new SheetFailure(`The spreadsheet cannot be created: ${(error as Error).message}.`)
  }
}

async function isInDatabase({ read }: Connection, name: string): Promise<boolean> {
  const row = await read.selectFrom('local_sheet').select('content').where('file', '=', name).executeTakeFirst()
  return typeof row?.content === 'string'
}

const fileSummaries = (folder: string): SheetSummary[] =>
  listSheetFiles(folder).flatMap((file) =>
    summaryOf(relative(folder, file).split(sep).join('/'), decodeText(readFileSync(file)), file),
  )

/** Returns the summary of `<name>.csv` or `<name>/<sheet>.csv`; nothing for files that are not spreadsheets. */
function summaryOf(path: string, content: string, file: string | null): SheetSummary[] {
  const [name = '', sheet = null, ...rest] = path.replace(/\.csv$/, '').split('/')
  return rest.length > 0 ? [] : [{ name, sheet, rows: countRows(content, path), file }]
}

function countRows(content: string, name: string): number | null {
  try {
    return Math.max(0, parseRows(content, name).length - 1)
  } catch {
    return null
  }
}

const keyOf = ({ name, sheet }: SheetSummary): string => `${name}/${sheet ?? ''}`

const sortByName = (list: readonly SheetSummary[]): SheetSummary[] =>
  [...list].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
