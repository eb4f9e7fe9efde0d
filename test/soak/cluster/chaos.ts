import { setTimeout as sleep } from 'node:timers/promises'
import { order } from '../../support/servers/postgres-server.ts'
import type { ServerWithStandby } from '../../support/servers/postgres-standby.ts'
import type { ClusterServer } from './cluster-servers.ts'
import type { Cut } from './database-proxy.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { Takeovers } from './takeover-probe.ts'

export interface ChaosOptions {
  readonly servers: readonly ClusterServer[]
  readonly postgres: ServerWithStandby
  readonly database: string
  readonly random: SeededRandom
  readonly takeovers: Takeovers
  /** Time until which new trouble begins, in milliseconds of `performance.now()`. */
  readonly until: number
  readonly say: (text: string) => void
}

const cutMs = 10_000

/** Troubles one after the other, in random order, each of them once before any of them again. Returns their numbers. */
export async function cause(options: ChaosOptions): Promise<Map<string, number>> {
  const { servers, postgres, database, random, takeovers, until, say } = options
  const counts = new Map<string, number>()
  const cut = async (server: ClusterServer, how: Cut): Promise<void> => {
    const wait = await takeovers.prepare(server)
    server.proxy.cut(how)
    const waiting = wait('cut')
    await sleep(cutMs)
    server.proxy.heal()
    await waiting
  }
  const troubles: Readonly<Record<string, (server: ClusterServer) => Promise<void>>> = {
    async 'killed and started again'(server) {
      const wait = await takeovers.prepare(server)
      await server.kill()
      await wait('kill')
      await server.start()
    },
    async 'stopped for a while'(server) {
      server.pause()
      await sleep(Math.min(random.between(10_000, 40_000), Math.max(10_000, until - performance.now())))
      server.resume()
    },
    'cut off, packets late': (server) => cut(server, 'held'),
    'cut off, packets lost': (server) => cut(server, 'lost'),
    'cut off, connections refused': (server) => cut(server, 'refused'),
    async 'cut at a COMMIT'(server) {
      for (let n = 0; n < 20; n++) {
        server.proxy.loseCommit(n % 2 === 0)
        await sleep(300)
      }
    },
    async 'slowed by 200 ms'(server) {
      server.proxy.slow(200)
      await sleep(cutMs)
      server.proxy.slow(0)
    },
    'PostgreSQL restarted, fast': () => postgres.restart('fast'),
    'PostgreSQL restarted, immediate': () => postgres.restart('immediate'),
    'PostgreSQL replaced by its standby': () => postgres.failOver(),
    async 'connections terminated'() {
      for (let n = 0; n < 5; n++) {
        await order(
          database,
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'parley'",
        )
        await sleep(500)
      }
    },
  }
  let bag: string[] = []
  while (performance.now() < until) {
    if (bag.length === 0) bag = random.shuffled(Object.keys(troubles))
    const name = bag.pop() as string
    const server = random.pick(servers)
    say(`  ${name}: ${server.name}`)
    await troubles[name]?.(server)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    await sleep(random.between(2000, 4000))
  }
  return counts
}
