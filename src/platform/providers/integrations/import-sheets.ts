import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Connection } from '../../store/database/connection.ts'
import { parseRows, readText } from './sheet-files.ts'

/**
 * Copies the spreadsheets of a data folder to the database, so that all servers see them. Those that are in the database
 * already are not changed. Returns the names of the files that were copied, for the log of the start. The names in the database
 * are those that `sheetPlace` of sheet-storage.ts makes.
 */
export async function importSheets(
  connection: Connection,
  dataDir: string,
  log: (text: string) => void,
): Promise<string[]> {
  const imported: string[] = []
  for (const file of listSheetFiles(join(dataDir, 'spreadsheets'))) {
    const name = relative(dataDir, file).split(sep).join('/')
    try {
      const content = readText(file)
      if (content === undefined) continue
      parseRows(content, name)
      const row = await connection.write('rows', (query) =>
        query
          .insertInto('local_sheet')
          .values({ file: name, changes: 0, content })
          .onConflict((it) => it.column('file').doUpdateSet({ content }).where('local_sheet.content', 'is', null))
          .returning('file')
          .executeTakeFirst(),
      )
      if (row) imported.push(name)
    } catch (error) {
      if ((error as Error).name !== 'SheetFailure') throw error
      log((error as Error).message)
    }
  }
  return imported
}

/** Returns the paths of all CSV files below a folder; none if it does not exist. */
export function listSheetFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((it) => it.endsWith('.csv'))
      .map((it) => join(folder, it))
  } catch {
    return []
  }
}
