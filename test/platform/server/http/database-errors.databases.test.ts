import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createServersDatabase, startPgBouncer } from '../../../soak/cluster/system-services.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases } from '../../../support/databases.ts'
import { fresh, newPlace, openAt } from '../../../support/platform/test-platforms.ts'
import { startPostgres } from '../../../support/servers/postgres-process.ts'
import { order } from '../../../support/servers/postgres-server.ts'
import { findProgram } from '../../../support/servers/system-programs.ts'

describe.each(databases)('errors of the database on $name', (database) => {
  if (database.name === 'sqlite') return it.skip('are those of a file')

  it('a statement that takes too long is answered with 503 and Retry-After, without the host', async () => {
    const place = await newPlace(database)
    const logged: string[] = []
    const { ask } = await openAt(place, {
      database: {
        urls: [{ url: place.database ?? '', source: '--database', use: 'given' }],
        statementTimeoutMs: 300,
      },
      log: (text) => logged.push(text),
    })
    const client = new pg.Client({ connectionString: place.database })
    await client.connect()
    await client.query('begin')
    await client.query('lock table tool in access exclusive mode')
    try {
      const { status, headers, text } = await ask('GET', '/api/user/tools')
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect(JSON.parse(text).message).toBe('The database is too busy. Nothing was saved. Try again.')
      expect(text).not.toContain('127.0.0.1')
      expect(logged.join('\n')).toContain('127.0.0.1')
    } finally {
      await client.end()
    }
    expect((await ask('GET', '/api/user/tools')).status).toBe(200)
  })

  it('/readyz answers 503 with the reason, without a host', async () => {
    const { ask, place } = await fresh(database)
    const url = place.database ?? ''
    expect(await ask('GET', '/readyz', { key: null })).toMatchObject({ status: 200, body: { status: 'ready' } })
    const name = new URL(url).pathname.slice(1)
    await order(url, `alter database ${name} set default_transaction_read_only = on`)
    await order(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    await expect
      .poll(async () => (await ask('GET', '/readyz', { key: null })).body)
      .toEqual({
        status: 'unavailable',
        reason: 'database_read_only',
        message: 'The database is read-only. Nothing was saved.',
      })
  })

  it('/readyz and requests say that a stopped database cannot be reached', async () => {
    const server = await startPostgres()
    const logged: string[] = []
    const { ask } = await openAt(
      { dataDir: (await newPlace(database)).dataDir, database: server.url },
      { log: (text) => logged.push(text) },
    )
    await server.stop()
    const ready = await ask('GET', '/readyz', { key: null })
    expect([ready.status, ready.body.reason]).toEqual([503, 'database_unreachable'])
    const { status, headers, text } = await ask('GET', '/api/user/tools')
    expect([status, headers['retry-after'], JSON.parse(text).message]).toEqual([
      503,
      '1',
      'The database cannot be reached. Nothing was saved. Try again.',
    ])
    for (const answer of [ready.text, text]) expect(answer).not.toMatch(/127\.0\.0\.1|\/postgres/)
    expect(logged.join('\n')).toContain('127.0.0.1')
  })

  it.skipIf(!findProgram('pgbouncer'))('/readyz behind a pooler without a database says where to look', async () => {
    const server = await startPostgres()
    const pooler = await startPgBouncer(await createServersDatabase(server.url))
    afterFile(() => pooler?.stop())
    const { ask } = await openAt({ dataDir: (await newPlace(database)).dataDir, database: pooler?.url ?? '' })
    expect((await ask('GET', '/readyz', { key: null })).status).toBe(200)
    await server.stop()
    const ready = await ask('GET', '/readyz', { key: null })
    expect([ready.status, ready.body]).toEqual([
      503,
      {
        status: 'unavailable',
        reason: 'database_unreachable',
        message:
          'The pooler answers, but has no connection to the database. See whether the primary of the database runs, and whether the pooler reaches it.',
      },
    ])
  })
})
