import { join } from 'node:path'
import type { ConnectionAccess, SheetLocation } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import { requireSharedFolder } from './shared-folder.ts'
import { formatRows, parseRows, readRows, readText, SheetFailure, writeRows } from './sheet-files.ts'

/**
 * Returns whether a name is safe as part of a path: letters, digits, spaces, dots, dashes and underscores, and neither
 * hidden nor a parent folder.
 */
const isName = (text: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u.test(text) && !text.includes('..')

/** Place of a sheet. */
interface SheetPlace {
  /** `<spreadsheet>.csv` for the first sheet, `<spreadsheet>/<sheet>.csv` for others, below the folder. */
  readonly file: string
  /** Name in the database, whose rows have it: it never changes. Undefined if the connection names a folder. */
  readonly name: string | undefined
  /** The folder that the connection names. */
  readonly folder: string | undefined
}

/** Returns the folder that a connection names; undefined for the folder or database of the platform. */
export const namedFolder = ({ secret }: ConnectionAccess): string | undefined =>
  typeof secret.folder === 'string' && secret.folder !== '' ? secret.folder : undefined

/**
 * Returns the place of a sheet. The folder is the one that the connection names, else the account's folder below
 * `folder`. @throws SheetFailure for an invalid name
 */
export function sheetPlace(
  folder: string,
  access: ConnectionAccess,
  { spreadsheet, sheet }: SheetLocation,
): SheetPlace {
  const named = namedFolder(access)
  const names = sheet === undefined || sheet === '0' ? [spreadsheet] : [spreadsheet, sheet]
  const invalidName = names.find((it) => !isName(it))
  if (invalidName !== undefined)
    throw new SheetFailure(`Invalid spreadsheet name ${stringifyJson(invalidName)}.`, 'missing')
  const own = ['spreadsheets', String(access.account), ...names]
  return named === undefined
    ? { file: `${join(folder, ...own)}.csv`, name: `${own.join('/')}.csv`, folder: undefined }
    : { file: `${join(named, ...names)}.csv`, name: undefined, folder: named }
}

/** A sheet in a file or in the database. Reading and writing reject with SheetFailure. */
export interface Sheet {
  /** The same for all servers that see the sheet. It is the name of the lock, and rows of changes have it. */
  readonly id: string
  read(query: PlatformQuery): Promise<string[][]>
  write(query: PlatformQuery, rows: readonly (readonly string[])[]): Promise<void>
}

/**
 * Returns a sheet. On PostgreSQL, where several servers use it, it is in the database, or in a folder that the
 * connection names and all servers share. On SQLite it is a file, unless it was copied here from PostgreSQL.
 */
export async function openSheet(connection: Connection, { file, name, folder }: SheetPlace): Promise<Sheet> {
  if (connection.dialect === 'postgres' && folder !== undefined) await requireSharedFolder(connection, folder)
  const isInDatabase =
    name !== undefined &&
    (connection.dialect === 'postgres' || (await readContent(connection.read, name)) !== undefined)
  return isInDatabase ? sheetInDatabase(name, file) : sheetInFile(file)
}

const sheetInFile = (file: string): Sheet => ({
  id: file,
  read: async () => readRows(file),
  write: async (_, rows) => writeRows(file, rows),
})

/**
 * A sheet in the database, whose row `lockAndFinishPending` inserts before the first change. Until then it is read from the file that it
 * has in the data folder of a server.
 */
const sheetInDatabase = (name: string, file: string): Sheet => ({
  id: name,
  async read(query) {
    const text = (await readContent(query, name)) ?? readText(file)
    if (text !== undefined) return parseRows(text, name)
    throw new SheetFailure(`Spreadsheet not found: ${name}. Create it: parley server sheets create.`, 'missing')
  },
  async write(query, rows) {
    await query
      .updateTable('local_sheet')
      .set({ content: formatRows(rows, name) })
      .where('file', '=', name)
      .execute()
  },
})

async function readContent(query: PlatformQuery, name: string): Promise<string | undefined> {
  const row = await query.selectFrom('local_sheet').select('content').where('file', '=', name).executeTakeFirst()
  return row?.content ?? undefined
}
