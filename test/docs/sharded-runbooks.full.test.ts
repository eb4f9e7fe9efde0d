import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../support/servers/citus-cluster.ts'
import { order } from '../support/servers/postgres-server.ts'
import { newMachine, programs, scriptsOf } from './runbook-machine.ts'

// The runbooks of sharded PostgreSQL, on a coordinator and two workers of Citus.

const hasCitus = process.env.PARLEY_CITUS !== undefined
if (!hasCitus)
  console.warn('NOT RUN: the runbooks of sharded PostgreSQL, because PARLEY_CITUS names no folder with Citus.')

/** Returns the URL of the maintenance database of a node, for its administrator. */
function administratorOf(url: string): string {
  const changed = new URL(url)
  changed.username = 'postgres'
  changed.pathname = '/postgres'
  return changed.href
}

describe.skipIf(!hasCitus || !programs)('a database becomes a sharded one', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
    // As before Citus: one database on one machine, and a user without special rights. The workers are new.
    const asAdministrator = (url: string, ...statements: string[]): Promise<void> =>
      statements.reduce(
        (before, text) => before.then(async () => void (await order(administratorOf(url), text))),
        Promise.resolve(),
      )
    for (const url of cluster.workers)
      await asAdministrator(url, 'drop database parley with (force)', 'drop role parley')
    await asAdministrator(
      cluster.url,
      'drop database parley with (force)',
      'alter role parley nosuperuser',
      "create database parley owner parley encoding 'UTF8' template template0",
    )
  })
  afterAll(() => cluster.stop())

  test('and gets a worker while servers answer', async () => {
    const machine = await newMachine({ coordinator: Number(new URL(cluster.url).port) })
    // Moving 32 shards takes minutes.
    machine.replace('distribute --yes', 'distribute --yes --shards 4')
    await machine.type('parley server start --detach --port 4010')
    const first = machine.client('561', 4010)
    await expect.poll(() => first.created.length).toBeGreaterThan(20)
    await first.stop()
    const [prepare = '', plan = '', distribute = ''] = scriptsOf('Going distributed')
    await machine.type(prepare)
    expect(await machine.type(plan)).toContain('lead')
    await machine.type(distribute)
    await machine.requireStored(first)

    const second = machine.client('562', 4010)
    await expect.poll(() => second.created.length).toBeGreaterThan(20)
    for (const script of scriptsOf('Adding a worker')) await machine.type(script)
    await expect.poll(() => second.created.length).toBeGreaterThan(40)
    await second.stop()
    expect([...first.failed, ...second.failed]).toEqual([])
    await machine.requireStored(second)
    const nodes =
      "select count(distinct nodename || nodeport) from citus_shards where shard_size > 0 and citus_table_type = 'distributed'"
    expect(await machine.ask(nodes)).toBe('2')
  })
})
