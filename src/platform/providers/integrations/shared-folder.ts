import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFile } from '../../../node/replace-file.ts'
import type { Connection } from '../../store/database/connection.ts'
import { digest } from '../local/digest.ts'
import { SheetFailure } from './sheet-files.ts'

/** File in a shared folder by which servers recognize it. Folders in use have it: the name never changes. */
const markerFile = '.parley-shared'

/**
 * Checks that all servers of a database see the same folder under a path. The first one that uses it leaves a file with
 * a mark, and stores the mark in the database: after a crash between both, the next one stores the mark of the file.
 * @throws SheetFailure if this server sees another folder
 */
export async function requireSharedFolder(connection: Connection, folder: string): Promise<void> {
  const id = `shared folder ${folder}`
  const known = await readMark(connection, id)
  const found = readMarker(folder)
  if (known !== undefined && found === known) return
  if (known === undefined) {
    const mark = found ?? digest(`${id} ${Math.random()}`, 32)
    if (found === undefined) leaveMarker(folder, mark)
    await connection.write('rows', (query) =>
      query
        .insertInto('local_sheet')
        .values({ file: id, changes: 0, content: readMarker(folder) ?? mark })
        .onConflict((it) => it.doNothing())
        .execute(),
    )
    return requireSharedFolder(connection, folder)
  }
  throw new SheetFailure(
    `The folder ${folder} of the connection is not the one that another server has used. Mount the same folder on all servers, or remove "folder" from the connection.`,
    'missing',
  )
}

function leaveMarker(folder: string, mark: string): void {
  try {
    createFile(join(folder, markerFile), mark)
  } catch (error) {
    throw new SheetFailure(
      `The folder ${folder} of the connection cannot be written: ${(error as Error).message}.`,
      'missing',
    )
  }
}

async function readMark({ read }: Connection, id: string): Promise<string | undefined> {
  const row = await read.selectFrom('local_sheet').select('content').where('file', '=', id).executeTakeFirst()
  return row?.content ?? undefined
}

function readMarker(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, markerFile), 'utf8')
  } catch {
    return undefined
  }
}
