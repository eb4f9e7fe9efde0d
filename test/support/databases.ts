import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { Connection, Dialect } from '../../src/store/database/connection.ts'
import { openStore, type StoreTarget } from '../../src/store/database/open-store.ts'
import { afterFile } from './cleanup.ts'
import { databaseUrl, order, type Template } from './postgres-server.ts'

export interface TestDatabase {
  readonly name: Dialect
  /** A database of its own with the current schema and nothing in it, gone after the file's tests. */
  fresh(): Promise<Connection>
  /** The same, for those who open it themselves, perhaps several times. */
  target(): Promise<StoreTarget>
  /** The same without its schema where this dialect allows it: a SQLite file that does not exist. */
  unmade(): Promise<StoreTarget>
}

/** Has something done after the file's tests; what was asked for last comes first. */
export const afterwards = afterFile

/** A folder that is gone after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-store-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a database and closes it after the file's tests. */
export async function opened(target: StoreTarget): Promise<Connection> {
  const connection = await openStore(target)
  afterwards(() => connection.close())
  return connection
}

let schema: Promise<string> | undefined

/** A file with the current schema and nothing in it: made once for a worker and copied, because making the tables takes 0.1 s. */
function schemaFile(): Promise<string> {
  schema ??= (async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'parley-schema-')), 'parley.db')
    const connection = await openStore({ file, durable: false })
    await connection.close()
    return file
  })()
  return schema
}

async function sqlite(): Promise<StoreTarget> {
  const file = join(temporaryFolder(), 'parley.db')
  copyFileSync(await schemaFile(), file)
  return { file, durable: false }
}

async function postgres(): Promise<StoreTarget> {
  const template = await ask()
  const name = `parley_test_${randomBytes(8).toString('hex')}`
  await order(template.url, `create database ${name} template ${template.name}`)
  afterwards(() => order(template.url, `drop database ${name} with (force)`))
  return { url: databaseUrl(template.url, name) }
}

async function ask(): Promise<Template> {
  const answer = JSON.parse(await text(connect(inject('postgresDoor'), '127.0.0.1'))) as Template | { error: string }
  if ('error' in answer) throw new Error(answer.error)
  return answer
}

const both: readonly TestDatabase[] = [
  {
    name: 'sqlite',
    target: sqlite,
    unmade: async () => ({ file: join(temporaryFolder(), 'parley.db') }),
    fresh: async () => opened(await sqlite()),
  },
  { name: 'postgres', target: postgres, unmade: postgres, fresh: async () => opened(await postgres()) },
]

/** For `describe.each(databases)('... on $name', ({ fresh }) => ...)`: SQLite, and in the project `postgres` PostgreSQL as well. */
export const databases: readonly TestDatabase[] = process.env.PARLEY_TEST_POSTGRES ? both : both.slice(0, 1)
