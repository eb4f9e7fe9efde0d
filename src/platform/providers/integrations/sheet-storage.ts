import type { Connection, Query } from '../../store/database/connection.ts'
import { requireSharedFolder } from './shared-folder.ts'
import { formatRows, parseRows, readRows, readText, writeRows } from './sheet-files.ts'
import { SheetFailure, type SheetPlace } from './sheet-place.ts'

/** A sheet in a file or in the database. Reading and writing reject with SheetFailure. */
export interface Sheet {
  /** The same for all servers that see the sheet. */
  readonly id: string
  read(query: Query): Promise<string[][]>
  write(query: Query, rows: readonly (readonly string[])[]): Promise<void>
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

/** The file is where the data folder of a server has the sheet, until its first change. */
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

async function readContent(query: Query, name: string): Promise<string | undefined> {
  const row = await query.selectFrom('local_sheet').select('content').where('file', '=', name).executeTakeFirst()
  return row?.content ?? undefined
}
