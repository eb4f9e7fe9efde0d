import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountTables } from '../../../../src/platform/store/database/account-tables.ts'
import { undistributedUrl } from '../../../support/databases.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'
import { createClusterDatabase, workersOf } from '../../../support/servers/citus-cluster.ts'
import { startOwnCluster } from '../../../support/servers/citus-nodes.ts'
import { order } from '../../../support/servers/postgres-server.ts'

/** An operator whose database has sample data and the extension, with all tables on the coordinator. */
async function withLocal(
  clock?: 'real',
): Promise<{ readonly by: Operator; readonly url: string; readonly name: string }> {
  const url = await undistributedUrl()
  const by = operator({ reopens: true, fresh: true, env: { PARLEY_DATABASE: url }, ...(clock && { clock }) })
  expect(await by.run('server seed --seed 7')).toMatchObject({ exitCode: 0 })
  return { by, url, name: `${new URL(url).host}${new URL(url).pathname}` }
}

const refused = (code: number, text: string) => ({ exitCode: code, stderr: expect.stringContaining(text) })

interface Plan {
  readonly state: string
  readonly tables: readonly { readonly table: string; readonly place: string; readonly rows: number }[]
}

describe.runIf(process.env.PARLEY_TEST_CITUS)('server database distribute', () => {
  test('shows its plan, asks, distributes, and reports what it has read back', async () => {
    const { by, url, name } = await withLocal()
    const before = await by.json('server export')
    const plan = await by.json<Plan>('server database distribute --dry-run --shards 2')
    expect(plan).toMatchObject({ database: name, state: 'local', shards: 2, accounts: 1, users: [], warnings: [] })
    const placed = (place: string) => plan.tables.filter((it) => it.place === place).map((it) => it.table)
    expect(placed('distributed')).toEqual([...accountTables].sort())
    expect(placed('reference')).toEqual(['account_name'])
    const shown = await by.run('server database distribute --dry-run --shards 2')
    expect(shown.stdout).toContain(`Distribution of ${name}: 1 account, schema`)
    expect(shown.stdout).toMatch(/^ {2}tool: 4 rows, /m)
    expect(shown.stdout).toMatch(
      /No server can use the database for about \d+ s \(an estimate: \d+ tables with 2 shards/,
    )
    expect(await by.json('server database status')).toMatchObject({ state: 'local' })

    const silent: readonly RunOptions[] = [
      {},
      { stdin: 'y\n' },
      { terminal: true, env: { PARLEY_NO_INPUT: '1' } },
      { terminal: true, env: { PARLEY_OUTPUT: 'json' } },
    ]
    for (const options of silent)
      expect(await by.run('server database distribute', options)).toMatchObject({
        ...refused(10, `Distributing the tables of ${name} with 1 account cannot be undone and requires confirmation.`),
        stdout: '',
        asked: [],
      })
    const question = `Distribute the tables of ${name} with 1 account over 2 shards?`
    const no = await by.run('server database distribute --shards 2', { answers: [[question, false]] })
    expect(no).toMatchObject(refused(10, 'Nothing was changed.'))
    expect(no.stderr).toContain('Stays on the coordinator:')
    expect(await by.json('server database status')).toMatchObject({ state: 'local' })

    const { exitCode, stdout } = await by.run('server database distribute --shards 2', { answers: [[question, true]] })
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`Distributed ${accountTables.length} tables of ${name} with 1 account in 2 shards each.`)
    expect(stdout).toMatch(/No server could use the database for [\d.]+ s, in \d+ steps\./)
    const status = await by.json('server database status')
    expect(status).toMatchObject({
      state: 'distributed',
      shards: 2,
      steps_left: 0,
      connections_per_session: 4,
      nodes: [
        { role: 'coordinator', is_active: true, has_shards: false, max_connections: expect.any(Number) },
        { role: 'worker', is_active: true, has_shards: true },
        { role: 'worker', is_active: true, has_shards: true },
      ],
    })
    expect(status.tables).toContainEqual(
      expect.objectContaining({ table: 'tool', kind: 'distributed', shards: 2, rows: 4 }),
    )
    expect(await by.json('server export')).toEqual(before)
    expect((await by.run('server check')).exitCode).toBe(0)
    expect(await by.json('server status')).toMatchObject({ database_distributed: true })

    const again = await by.run('server database distribute')
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('are distributed already, with 2 shards'),
    })
    expect(await by.run('server database distribute --shards 8 --yes')).toMatchObject(
      refused(5, 'have 2 shards, and this command does not change their number.'),
    )
    const strict = ['server', 'start', '--port', '0', '--database', url, '--database-isolation', 'serializable']
    expect((await by.run(strict)).stderr).toContain('where the isolation "serializable" does not hold')
  })

  test('refuses while a server or another session uses the database, and changes nothing', async () => {
    // The time at which a server was heard of is that of the database.
    const { by } = await withLocal('real')
    const interrupt = new AbortController()
    const serving = by.run('server start --port 0', { interrupt })
    await expect.poll(() => existsSync(join(by.dataDir, 'server.json'))).toBe(true)
    // A server says that it runs a moment after it listens. Until then only its sessions are seen.
    const planned = async (): Promise<string> => (await by.run('server database distribute --dry-run')).stderr
    await expect.poll(planned).toContain('http://127.0.0.1:')
    const during = await by.run('server database distribute --yes')
    expect(during).toMatchObject(refused(5, 'http://127.0.0.1:'))
    expect(during.stderr).toMatch(/version 0\.0\.0-test, last heard \d s ago\. Nothing was changed\./)
    expect((await by.run('server database distribute --dry-run')).stderr).toContain('These must stop first:')
    interrupt.abort(130)
    expect((await serving).exitCode).toBe(0)
    expect(await by.json('server database status')).toMatchObject({ state: 'local' })
    expect(await by.run('numbers list')).toMatchObject({ exitCode: 0 })
  })

  test('asks again when the data changed while the question was open', async () => {
    const { by, url } = await withLocal()
    const question = /^\[.*\] Distribute the tables of .* with \d accounts? over 1 shards\?/
    const add = `insert into account (name, email, kind, balance, minute_rate, created_at) values ('B', '', 'tenant', 0, 0, 0)`
    const { exitCode, stderr, asked } = await by.run('server database distribute --shards 1', {
      answers: [
        [question, () => order(url, add).then(() => true)],
        [question, false],
      ],
    })
    expect(exitCode).toBe(10)
    expect(stderr).toContain('rows of account: 1 -> 2')
    expect(asked[1]).toContain('with 2 accounts')
    expect(await by.json('server database status')).toMatchObject({ state: 'local' })
  })

  test('stopped in the middle, it keeps servers and commands out, and continues', async () => {
    const { by } = await withLocal()
    const before = await by.json('server export')
    const interrupt = new AbortController()
    interrupt.abort(130)
    const stopped: Run = await by.run('server database distribute --shards 2 --yes', { interrupt })
    expect(stopped.exitCode).toBe(130)
    expect(stopped.stderr).toContain('Stopped before the step "')
    expect(stopped.stderr).toContain('To continue: parley server database distribute.')
    const status = await by.run('server database status')
    expect(status.stdout).toMatch(/distribution unfinished, at least \d+ steps left/)
    for (const line of ['numbers list', 'server start --port 0'])
      expect(await by.run(line)).toMatchObject(refused(1, 'are being spread over nodes'))
    expect(await by.run('server database distribute --shards 4 --yes')).toMatchObject(refused(5, 'have 2 shards'))
    const continued = await by.run('server database distribute --yes --json')
    expect(JSON.parse(continued.stdout)).toMatchObject({ state: 'distributed', shards: 2 })
    expect(await by.json('server export')).toEqual(before)
  })

  test('names nodes that prevent it, before anything is changed', async () => {
    const { by, url } = await withLocal()
    const { port } = new URL(url)
    const setShards = (isTaking: boolean, condition: string) =>
      order(
        url,
        `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${isTaking}) from pg_dist_node where ${condition}`,
      )
    await setShards(false, 'groupid > 0')
    const line = 'server database distribute --shards 1 --yes'
    expect(await by.run(line)).toMatchObject(refused(5, 'takes shards.'))
    // The coordinator alone, to try it out.
    await setShards(true, 'groupid = 0')
    const alone = await by.run(line)
    expect(alone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('All shards lie on the coordinator') })
    expect(await by.run('tools list')).toMatchObject({ exitCode: 0 })
    expect((await by.json('server database status')).nodes[0]).toMatchObject({ node: `127.0.0.1:${port}` })
  })

  test('is refused through a pooler, which does not give it one session', async () => {
    const { by } = await withLocal()
    expect(await by.run('server database distribute --yes --database-pooled yes')).toMatchObject(
      refused(2, 'is a pooler, and the steps need one session.'),
    )
  })

  test('is refused while a node does not answer, which the status names', async () => {
    const cluster = await startOwnCluster()
    const worker = await cluster.workerOf(1)
    const node = new URL(worker).host
    const plain = await createClusterDatabase({ url: cluster.url, workers: await workersOf(cluster.url) }, 'plain')
    const at = (url: string) => operator({ reopens: true, fresh: true, env: { PARLEY_DATABASE: url } })
    const [spread, local] = [at(cluster.url), at(plain)]
    await local.run('server seed --seed 7')
    await spread.run('server seed --seed 7')
    await cluster.crash(worker)
    const status = await spread.json('server database status')
    expect(status.nodes).toContainEqual(expect.objectContaining({ node, is_active: true, max_connections: null }))
    expect(status.tables).toContainEqual(expect.objectContaining({ table: 'tool', kind: 'distributed', rows: null }))
    expect(status.tables).toContainEqual(
      expect.objectContaining({ table: 'account_name', kind: 'reference', rows: 11 }),
    )
    const shown = await spread.run('server database status')
    expect(shown.stdout).toContain(`Node ${node}: worker, active, takes shards, does not answer.`)
    expect(await local.run('server database distribute --yes')).toMatchObject(
      refused(5, `do not answer: ${node} from `),
    )
    expect(await local.json('server database status')).toMatchObject({ state: 'local' })
  })

  test('names a coordinator that is not among its nodes', async () => {
    const { by, url } = await withLocal()
    await order(url, `select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid = 0`)
    expect(await by.run('server database distribute --yes')).toMatchObject(
      refused(5, 'citus_set_coordinator_host(<host>, <port>)'),
    )
  })
})
