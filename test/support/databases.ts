import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject, test } from 'vitest'
import type { Connection, Dialect } from '../../src/platform/store/database/connection.ts'
import { openStore, type StoreTarget } from '../../src/platform/store/database/open-store.ts'
import { afterFile } from './cleanup.ts'
import { createClusterDatabase } from './servers/citus-cluster.ts'
import { requireNothingRefused, watchNotices } from './servers/citus-watch.ts'
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

/** Returns a folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-store-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a database and closes it after the tests of the file. */
export async function opened(target: StoreTarget): Promise<Connection> {
  const connection = await openStore(target)
  afterFile(() => connection.close())
  return connection
}

/** Template for new databases, shared by all tests of a run, because creating the tables takes 0.3 s of CPU time. */
export const schemaTemplate = join(tmpdir(), 'schema-template.db')

const sqliteTarget = async (): Promise<StoreTarget> => ({
  file: join(temporaryFolder(), 'parley.db'),
  durable: false,
  template: schemaTemplate,
})

async function postgresTarget(): Promise<StoreTarget> {
  const template = await ask()
  if (template.workers.length > 0) {
    watchNotices()
    afterFile(requireNothingRefused)
  }
  const name = newName(template)
  // A template of Citus is a database on each node: its copies know the same shards.
  await Promise.all(nodesOf(template).map((url) => order(url, `create database ${name} template ${template.name}`)))
  return { url: databaseUrl(template.url, name) }
}

/** Only in the project `citus`: returns the URL of a database without a schema, which all nodes have. */
export async function undistributedUrl(): Promise<string> {
  const template = await ask()
  return createClusterDatabase(template, newName(template))
}

const nodesOf = ({ url, workers }: Template): readonly string[] => [...workers, url]

/** Returns the name of a new database, which is deleted on all nodes after the tests of the file. */
function newName(template: Template): string {
  const name = `parley_test_${randomBytes(8).toString('hex')}`
  afterFile(async () => {
    for (const url of nodesOf(template).toReversed()) await dropDatabase(url, name)
  })
  return name
}

/** Drops a database on one node. Another node of Citus may open connections to it in the same moment, again and again on a busy machine. */
async function dropDatabase(url: string, name: string): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; await sleep(100))
    try {
      return void (await order(url, `drop database if exists ${name} with (force)`))
    } catch (error) {
      if ((error as { readonly code?: string }).code !== '55006' || performance.now() > deadline) throw error
    }
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

/** Only in the project `citus`: PostgreSQL with the tables spread over nodes. */
export const sharded = postgres

/**
 * Databases for `describe.each(databases)('... on $name', ({ fresh }) => ...)`: SQLite, and in the project `postgres`
 * also PostgreSQL. In the project `citus`, PostgreSQL alone, with the tables spread over nodes. A file that uses them is
 * named `*.databases.test.ts`.
 */
export const databases: readonly TestDatabase[] = process.env.PARLEY_TEST_CITUS
  ? [postgres]
  : process.env.PARLEY_TEST_POSTGRES
    ? [sqlite, postgres]
    : [sqlite]

/** Returns `test` for what needs one PostgreSQL, whose tables are not spread over nodes. `_why` says what differs on Citus, where the test is skipped. */
export const onOnePostgres = (_why: string) => test.skipIf(process.env.PARLEY_TEST_CITUS !== undefined)
