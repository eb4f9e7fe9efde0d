import { CompiledQuery, DefaultQueryExecutor, type QueryExecutor, type QueryResult, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { controlTour } from '../../../../src/generate/control-tour.ts'
import { tour } from '../../../../src/generate/endpoint-tour.ts'
import { accountColumn, accountTables as allTables } from '../../../../src/platform/store/database/account-tables.ts'
import type { Dialect, PlatformQuery } from '../../../../src/platform/store/database/connection.ts'
import { databases, sqlite } from '../../../support/databases.ts'
import { delay, hook, keep, respond } from '../../../support/flow-definitions.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh, newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

/** The account that has all rows. No other value of the tests is this number, so that a statement shows where it names the account. */
const owner = 6_000_001
/** An account without rows. */
const other = 7_000_002

/** The tables that queries use: only the writer of transactions on PostgreSQL uses that of the markers of commits. */
const accountTables = allTables.filter((it) => it !== 'account_commit')

/** A statement of the owner that ran for the other account, with the ids of the owner's rows. */
interface Attempt {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Undefined if the database refused it. */
  readonly result: object | undefined
  /** Tables in which an insert changed rows of the owner. */
  readonly changed: readonly string[]
}

/** A statement differs by its text; its first uses are enough. */
const attemptsOfText = 3

const forOther = (value: unknown): unknown =>
  value === owner ? other : typeof value === 'string' ? value.replaceAll(String(owner), String(other)) : value
const isSelect = (text: string): boolean => /^\s*(?:select|with)\b/i.test(text)
const isInsert = (text: string): boolean => /^\s*insert\b/i.test(text)
const resultOf = ({ rows, numAffectedRows = 0n }: QueryResult<unknown>): object => ({
  rows,
  changes: Number(numAffectedRows),
})

/**
 * Runs each statement of the owner's queries for the other account, too, right before it runs for the owner, and reverts
 * it. So every function of the store that the platform calls is tried with the ids of another account, also those that a
 * request with such ids never reaches, because the rule before it refuses them.
 */
function watchStatements(): readonly Attempt[] {
  const attempts: Attempt[] = []
  const uses = new Map<string, number>()
  const { executeQuery } = DefaultQueryExecutor.prototype
  const run = (executor: QueryExecutor, text: string, parameters: readonly unknown[] = []) =>
    executeQuery.call(executor, CompiledQuery.raw(text, [...parameters])) as Promise<QueryResult<unknown>>

  async function rowsOfOwner(executor: QueryExecutor): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const table of accountTables) {
      const { rows } = await run(executor, `select * from "${table}" where ${accountColumn(table)} = ${owner}`)
      found.set(table, JSON.stringify(rows))
    }
    return found
  }
  async function attempt(executor: QueryExecutor, text: string, parameters: readonly unknown[]): Promise<Attempt> {
    if (isSelect(text))
      return { sql: text, parameters, result: resultOf(await run(executor, text, parameters)), changed: [] }
    // The number of rows that an update or deletion changed is in its result.
    const rows = isInsert(text) ? rowsOfOwner : async () => new Map<string, string>()
    for (;;) {
      const before = await rows(executor)
      await run(executor, 'savepoint attempt')
      const result = await run(executor, text, parameters).then(resultOf, () => undefined)
      if (result === undefined) await run(executor, 'rollback to savepoint attempt')
      const after = await rows(executor)
      await run(executor, 'rollback to savepoint attempt')
      await run(executor, 'release savepoint attempt')
      const reverted = await rows(executor)
      const changed = accountTables.filter((it) => before.get(it) !== after.get(it))
      // On PostgreSQL, another transaction of the owner may have committed in between: then the attempt is repeated.
      if (accountTables.every((it) => before.get(it) === reverted.get(it)))
        return { sql: text, parameters, result, changed }
    }
  }
  vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async function <R>(
    this: QueryExecutor,
    query: CompiledQuery<R>,
  ) {
    const scope = this.plugins.find((it) => 'account' in it && it.account === owner)
    const count = uses.get(query.sql) ?? 0
    if (scope && count < attemptsOfText) {
      uses.set(query.sql, count + 1)
      attempts.push(await attempt(this, query.sql, query.parameters.map(forOther)))
    }
    return executeQuery.call(this, query) as Promise<QueryResult<R>>
  })
  return attempts
}

/** Lets the sample account, which has the id of the owner, use every endpoint, and what happens later. */
async function useEverything(api: Api, dialect: Dialect): Promise<readonly string[]> {
  const failed: string[] = []
  let n = 0
  const ask: Api['ask'] = (method, url, asked) =>
    api.ask(method, url, { ...asked, headers: method === 'POST' ? { 'idempotency-key': `key ${++n}` } : {} })
  // The tours name the accounts 1 and 2.
  const idOf = (account: unknown): number => Number(account) + owner - 1
  const control: Api['control'] = (method, url, body) =>
    api.control(
      method,
      url.replace(/(?<=\/accounts\/)\d+/, (it) => String(idOf(it))),
      typeof body === 'object' && body !== null && 'account' in body ? { ...body, account: idOf(body.account) } : body,
    )
  const succeed = async (answer: ReturnType<Api['ask']>) => {
    const { status, text, body } = await answer
    if (status >= 300) failed.push(text)
    return body
  }
  const flow = async (name: string, steps: readonly object[]): Promise<string> =>
    (await succeed(ask('POST', '/api/user/automate/flows', { body: { name, flow: { trigger: hook, steps } } })))
      .automation_id
  const call = (automation: string) =>
    succeed(ask('POST', `/automate/api/v1/webhooks/${automation}`, { key: null, body: {} }))

  for await (const [name, { status, text }] of tour({ ...api, ask, control }))
    if (status >= 300) failed.push(`${name}: ${text}`)
  await call(await flow('Waits', [delay({ unit: 'hours', delayFor: 1 }), keep('a', 1), respond({})]))
  const token = (await succeed(control('POST', '/control/accounts/1/keys', { name: 'Limited', budget: '5/day' }))).token
  const sms = (await ask('GET', '/api/user/phone-numbers/all')).body.data.find(
    (it: { sms_capable: boolean }) => it.sms_capable,
  )
  await succeed(ask('POST', '/api/user/sms', { key: token, body: { from: sms.id, to: '+14155550111', body: 'Hello' } }))
  await succeed(ask('POST', '/api/user/campaigns/update-status', { body: { campaign_id: 1, action: 'start' } }))
  await succeed(control('POST', '/control/clock/advance', { by: '48h' }))
  const tool = { name: 'once', description: 'Once.', endpoint: 'https://example.com', method: 'GET' }
  for (const _ of [1, 2])
    await succeed(api.ask('POST', '/api/user/tools', { body: tool, headers: { 'idempotency-key': 'twice' } }))
  await succeed(ask('GET', '/api/user/billing/usage?by=campaign&since=2020-01-01T00:00:00Z'))
  const refused = (await controlTour(ask, control)).failed
  // PostgreSQL has no snapshots, and an insert that was reverted has used up the id of the first delivery.
  const isExpected = (it: string) => dialect === 'postgres' && /\/control\/(?:snapshots|deliveries)\b/.test(it)
  return [...failed, ...refused.filter((it) => !isExpected(it))]
}

describe.each(databases)('the statements of an account on $name', (database) => {
  let attempts: readonly Attempt[] = []

  beforeAll(async () => {
    const { body } = await (await fresh(sqlite)).control('GET', '/control/export')
    const place = await newPlace(database)
    const tables = await tablesOf(place)
    await tables.write('everything', (query) =>
      (tables.dialect === 'sqlite'
        ? sql`insert into sqlite_sequence (name, seq) values ('account', ${owner - 1})`
        : sql`select setval(pg_get_serial_sequence('account', 'id'), ${owner - 1})`
      ).execute(query),
    )
    const open = () => openAt(place, { data: body.data, limit: { name: 'api', max: 10_000, seconds: 60 } })
    // The tours name the first ids of the sample data. On PostgreSQL, an insert that is reverted uses up an id.
    const api = database.name === 'postgres' ? await open() : undefined
    attempts = watchStatements()
    expect(await useEverything(api ?? (await open()), database.name)).toEqual([])
  }, 180_000)
  afterAll(() => void vi.restoreAllMocks())

  const shown = ({ sql, parameters }: Attempt): string => `${sql} ${JSON.stringify(parameters)}`
  const differing = async (query: PlatformQuery, tried: readonly Attempt[]): Promise<readonly string[]> => {
    const found: string[] = []
    for (const attempt of tried) {
      const expected = resultOf(await query.executeQuery(CompiledQuery.raw(attempt.sql, [...attempt.parameters])))
      if (JSON.stringify(expected) !== JSON.stringify(attempt.result)) found.push(shown(attempt))
    }
    return found
  }

  test('are tried for another account, for each table', () => {
    const names = attempts.map((it) => it.sql).join()
    expect(accountTables.filter((it) => !names.includes(`"${it}"`))).toEqual([])
  })

  test('read nothing of it: the other account gets what an empty database answers', async () => {
    // The clock belongs to all accounts.
    const reads = attempts.filter((it) => isSelect(it.sql) && !it.sql.includes('from "clock"'))
    expect(await differing((await database.fresh()).read, reads)).toEqual([])
  })

  test('change nothing of it', () => {
    expect(attempts.filter((it) => it.changed.length > 0).map(shown)).toEqual([])
    // Names are unique over all accounts, and are found by name.
    const changes = attempts.filter(
      (it) => !isSelect(it.sql) && !isInsert(it.sql) && !it.sql.includes('"account_name"'),
    )
    expect(changes.filter((it) => JSON.stringify(it.result) !== '{"rows":[],"changes":0}').map(shown)).toEqual([])
  })
})
