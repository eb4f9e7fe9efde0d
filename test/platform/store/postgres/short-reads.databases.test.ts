import { describe, expect, it } from 'vitest'
import { compiledQuery } from '../../../../src/platform/store/database/compiled-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases, onOnePostgres } from '../../../support/databases.ts'
import { watchStatements } from '../../../support/servers/sent-statements.ts'

const nameQuery = compiledQuery(
  (query, id: unknown) =>
    query
      .selectFrom('account')
      .select('name')
      .where('id', '=', id as number),
  { isSingleRow: true },
)

describe.each(databases)('reads of at most one row on $name', ({ name, fresh }) => {
  if (name === 'sqlite') return it.skip('have no answer of another process')

  const sentDuring = watchStatements()
  const nameOf = async ({ read }: Connection, id: unknown): Promise<string | undefined> =>
    (await nameQuery(read, id))[0]?.name

  /** Opens a database with the accounts 1, 2 and 3, whose names are their ids. */
  async function withAccounts(): Promise<Connection> {
    const connection = await fresh()
    const account = {
      email: '',
      kind: 'tenant',
      balance: 0,
      minute_rate: 0,
      payment_method: null,
      created_at: 0,
    } as const
    for (const id of ['1', '2', '3'])
      await connection.write('everything', (query) =>
        query
          .insertInto('account')
          .values({ ...account, name: id })
          .execute(),
      )
    await nameOf(connection, 1)
    return connection
  }

  onOnePostgres('accounts lie on several nodes')('are answered together when they arrive together', async () => {
    const connection = await withAccounts()
    let names: unknown
    const { statements, answers } = await sentDuring(async () => {
      names = await Promise.all([1, 2, 3, 4].map((it) => nameOf(connection, it)))
    })
    expect(names).toEqual(['1', '2', '3', undefined])
    expect({ reads: statements.length, answers }).toEqual({ reads: 4, answers: 1 })
  })

  it('have their results although one of them fails', async () => {
    const connection = await withAccounts()
    const read = await Promise.allSettled([1, 'no number', 2, 'none', 3].map((it) => nameOf(connection, it)))
    expect(read.map((it) => (it.status === 'fulfilled' ? it.value : String(it.reason)))).toEqual([
      '1',
      expect.stringContaining('"no number"'),
      '2',
      expect.stringContaining('"none"'),
      '3',
    ])
  })
})
