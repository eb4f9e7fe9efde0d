import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { operator } from '../../../support/operator.ts'
import { databaseUrl, order } from '../../../support/servers/postgres-server.ts'

// On Citus: database.citus.neutral.test.ts.

test.each(['server database status', 'server database distribute'])(
  'says that SQLite has no nodes, and how to get there: %s',
  async (line) => {
    const { exitCode, stdout, stderr } = await operator().run(line)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain('has its data in SQLite, which has no nodes.')
    expect(stderr).toContain('parley server migrate --to <url> --switch')
  },
)

test.each([
  ['--shards 0', 'Invalid --shards "0".'],
  ['--shards 1025', 'Invalid --shards "1025". Use a whole number from 1 to 1024.'],
  ['--shards many', 'Invalid --shards "many".'],
  ['--database parley.db', '--database is not a valid database URL.'],
  ['--print-curl', '--print-curl cannot show several requests.'],
])('refuses %s', async (flags, message) => {
  const { exitCode, stderr } = await operator({ fresh: true }).run(`server database distribute ${flags}`)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
})

describe.each(databases.filter(({ name }) => name === 'postgres' && !process.env.PARLEY_TEST_CITUS))(
  'a database in $name without Citus',
  ({ target }) => {
    const urlOf = async (made: Promise<object>): Promise<string> => ((await made) as { url: string }).url

    test('is shown with its tables, while servers may run', async () => {
      const by = operator({ reopens: true, fresh: true, env: { PARLEY_DATABASE: await urlOf(target()) } })
      await by.run('server seed --seed 7')
      const status = await by.json('server database status')
      expect(status).toMatchObject({ state: 'local', citus: null, nodes: [], shards: null, steps_left: 0 })
      expect(status.tables).toContainEqual({
        table: 'tool',
        kind: 'local',
        shards: 0,
        rows: 4,
        bytes: expect.any(Number),
      })
      const { stdout } = await by.run('server database status')
      expect(stdout).toMatch(/^127\.0\.0\.1:\d+\/\w+: on one server \(PostgreSQL without Citus, schema \d+\)\.$/m)
      expect(stdout).toMatch(/^tool\tlocal\t0\t4\t/m)
      expect((await by.run('server database status -o id')).stdout).toBe(`${status.database}\n`)
    })

    test('of which a distribution starts while a server starts: the server stops, and leaves no session', async () => {
      const url = await urlOf(target())
      const by = operator({ reopens: true, fresh: true, env: { PARLEY_DATABASE: url } })
      await by.run('server seed --seed 7')
      await order(
        url,
        `create function distribute_now() returns trigger language plpgsql as $$ begin
          insert into meta (key, value) values ('distribution', '{"shards":4,"is_complete":false}'); return null; end $$;
        create trigger distribute_now after insert on server_node for each row execute function distribute_now()`,
      )
      const { exitCode, stderr } = await by.run('server start --port 0')
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('are being spread over nodes')])
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      onTestFinished(() => client.end())
      const ask = async (statement: string) => (await client.query(statement)).rows
      expect(await ask('select id from server_node')).toEqual([])
      const sessions =
        "select pid from pg_stat_activity where datname = current_database() and application_name = 'parley'"
      await expect.poll(() => ask(sessions)).toEqual([])
    })

    test('is not distributed: the message says what to install', async () => {
      const by = operator({ reopens: true, fresh: true })
      const url = await urlOf(target())
      for (const flags of ['--dry-run', '--yes']) {
        const { exitCode, stdout, stderr } = await by.run(`server database distribute --database ${url} ${flags}`)
        expect([exitCode, stdout]).toEqual([2, ''])
        expect(stderr).toContain('does not have the extension Citus, which spreads tables over nodes.')
        expect(stderr).toContain('create extension citus')
        expect(stderr).toContain('citus_add_node')
      }
    })

    test('is refused with another schema than that of this version, and without data', async () => {
      const by = operator({ reopens: true, fresh: true })
      const url = await urlOf(target())
      const refusal = async (at: string) => by.run(`server database distribute --dry-run --database ${at}`)
      await order(url, "update meta set value = '3' where key = 'schema_version'")
      const older = await refusal(url)
      expect([older.exitCode, older.stderr]).toEqual([5, expect.stringContaining('has schema 3, but this version')])
      expect(older.stderr).toContain('Upgrade it first: start a server of this version')
      const empty = await refusal(databaseUrl(url, 'postgres'))
      expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringContaining('/postgres has no data of Parley.')])
    })
  },
)
