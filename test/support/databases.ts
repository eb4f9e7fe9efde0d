import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { Connection, Dialect } from '../../src/platform/store/database/connection.ts'
import { openStore, type StoreTarget } from '../../src/platform/store/database/open-store.ts'
import { afterFile } from './cleanup.ts'
import { databaseUrl, order, type Template } from './servers/postgres-server.ts'

export interface TestDatabase {
  readonly name: Dialect
  /** Returns a new database with the current schema and no data, deleted after the tests of the file. */
  fresh(): Promise<Connection>
  /** Like `fresh`, for tests that open the database themselves, perhaps several times. */
  target(): Promise<StoreTarget>
  /** Like `target`, without a schema if the dialect allows it: a SQLite file that does not exist. */
  unmade(): Promise<StoreTarget>
}

/** Registers a function to call after the tests of the file, in reverse order of registration. */
export const afterwards = afterFile

/** Returns a folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-store-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a database and closes it after the tests of the file. */
export async function opened(target: StoreTarget): Promise<Connection> {
  const connection = await openStore(target)
  afterwards(() => connection.close())
  return connection
}

let schema: Promise<string> | undefined

/**
 * Returns an empty file with the current schema. Created once per worker and copied, because creating the tables takes
 * 0.1 s.
 */
function schemaFile(): Promise<string> {
  schema ??= (async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'parley-schema-')), 'parley.db')
    const connection = await openStore({ file, durable: false })
    await connection.close()
    return file
  })()
  return schema
}

async function sqliteTarget(): Promise<StoreTarget> {
  const file = join(temporaryFolder(), 'parley.db')
  copyFileSync(await schemaFile(), file)
  return { file, durable: false }
}

async function postgresTarget(): Promise<StoreTarget> {
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

/** SQLite alone, for tests of what does not depend on the database. */
export const sqlite: TestDatabase = {
  name: 'sqlite',
  target: sqliteTarget,
  unmade: async () => ({ file: join(temporaryFolder(), 'parley.db') }),
  fresh: async () => opened(await sqliteTarget()),
}

const postgres: TestDatabase = {
  name: 'postgres',
  target: postgresTarget,
  unmade: postgresTarget,
  fresh: async () => opened(await postgresTarget()),
}

/**
 * Databases for `describe.each(databases)('... on $name', ({ fresh }) => ...)`: SQLite, and in the project `postgres`
 * also PostgreSQL. A file that uses them is named `*.databases.test.ts`.
 */
export const databases: readonly TestDatabase[] = process.env.PARLEY_TEST_POSTGRES ? [sqlite, postgres] : [sqlite]
