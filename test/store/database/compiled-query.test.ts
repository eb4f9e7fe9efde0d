import { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { findKeyByHash, findKeyOwner, listKeys, updateKeyLastUsed } from '../../../src/store/accounts/api-keys.ts'
import { findTool, listTools } from '../../../src/store/assistants/tools.ts'
import type { Query } from '../../../src/store/database/connection.ts'
import { readMeta, writeMeta } from '../../../src/store/database/meta.ts'
import { DirectQuery } from '../../../src/store/database/prepared-statement.ts'
import type { Tables } from '../../../src/store/database/tables.ts'
import { readClock } from '../../../src/store/runtime/clock.ts'
import { listDueJobs } from '../../../src/store/runtime/due-jobs.ts'
import { nextJobAt } from '../../../src/store/runtime/scheduled-jobs.ts'
import { sqliteDialect } from '../../../src/store/sqlite/kysely-dialect.ts'
import { sourcesIn } from '../../support/sources.ts'

// Queries whose text for SQLite is in the source, so that commands run them without kysely.

const queries: Readonly<Record<string, (query: Query) => Promise<unknown>>> = {
  readClock,
  readMeta: (query) => readMeta(query, 'seed'),
  listKeys: (query) => listKeys(query, 7),
  findKeyOwner: (query) => findKeyOwner(query, 5),
  updateKeyLastUsed: (query) => updateKeyLastUsed(query, 5, 1000),
  listTools: (query) => listTools(query, 7),
  findTool: (query) => findTool(query, 7, 3),
  writeMeta: (query) => writeMeta(query, 'seed', '5'),
  findKeyByHash: (query) => findKeyByHash(query, 'abc'),
  listDueJobs: (query) => listDueJobs(query, { until: 1000, limit: 50, own: { owner: 'a', wall: 9 } }),
  nextJobAt: (query) => nextJobAt(query, 1000),
}

test('all of them are checked here', () => {
  const texts = sourcesIn('src/store').flatMap((it) => it.text.match(/\bsqlite: \{\s*sql: /g) ?? [])
  expect(texts).toHaveLength(Object.keys(queries).length)
})

test.each(Object.entries(queries))('%s has the text and the values that kysely compiles', async (_, run) => {
  const sent: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  const built = new Kysely<Tables>({
    dialect: sqliteDialect(() => ({
      async executeQuery({ sql, parameters }) {
        sent.push({ sql, parameters })
        return { rows: [] }
      },
      streamQuery: () => expect.unreachable(),
    })),
  })
  const direct = DirectQuery.create(
    () => expect.unreachable(),
    ({ sql }, parameters) => {
      sent.push({ sql, parameters })
      return []
    },
  )
  await run(built)
  await run(direct)
  expect(sent).toHaveLength(2)
  expect(sent[1]).toEqual(sent[0])
})
