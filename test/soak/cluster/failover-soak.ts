import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FailoverPhases,
  findMissing,
  type Kill,
  startPatroniCluster,
} from '../../support/servers/patroni-cluster.ts'
import { firstWrite, seconds } from './first-write.ts'
import { createServersDatabase, startPgBouncer } from './system-services.ts'
import { underLoad } from './under-load.ts'

/** Longest time without a write after the primary was killed, in milliseconds. */
const outageLimitMs = 30_000

export interface FailoverSoakOptions {
  readonly kills: number
  readonly seed: number
  readonly say: (text: string) => void
}

/**
 * Kills the primary of a PostgreSQL with Patroni under load, by turns alone and with all that runs on its machine. Returns whether
 * writes succeeded again in time, and nothing that was acknowledged was lost or done twice.
 */
export async function failoverSoak({ kills, seed, say }: FailoverSoakOptions): Promise<boolean> {
  const missing = findMissing()
  if (missing !== undefined) {
    say(`The failover was not tested: ${missing}`)
    return false
  }
  say(`Failover: 3 servers, PgBouncer, HAProxy, 3 PostgreSQL with Patroni and etcd, ${kills} kills, seed ${seed}`)
  const cluster = await startPatroniCluster()
  const database = await createServersDatabase(cluster.url)
  const pooler = await startPgBouncer(database, 'deploy/high-availability/pgbouncer.ini')
  if (!pooler) throw new Error('PgBouncer is missing.')
  try {
    return await underLoad({
      seed,
      say,
      database,
      serversDatabase: pooler.url,
      accounts: 4,
      clients: 12,
      pauseMs: 300,
      async trouble(stage) {
        const late: string[] = []
        for (let n = 0; n < kills; n++) {
          await sleep(stage.random.between(2000, 6000))
          const what: Kill = n % 2 === 0 ? 'PostgreSQL' : 'machine'
          const killedAt = performance.now()
          const { name, phases } = await cluster.killPrimary(what)
          await firstWrite(stage, stage.accounts[0] as (typeof stage.accounts)[0]).catch(async (error: Error) => {
            say(await cluster.describe())
            throw error
          })
          const outage = performance.now() - killedAt
          const seen = describePhases(phases())
          if (outage > outageLimitMs) {
            late.push(`${name}, ${what}: ${seconds(outage)} (${seen})`)
            say(await cluster.describe())
          }
          await cluster.heal()
          const whole = performance.now() - killedAt
          say(
            `  ${name} killed (${what}): writes again after ${seconds(outage)} (${seen}), two standbys again after ${seconds(whole)}`,
          )
        }
        return { tables: [], findings: { [`writes again within ${outageLimitMs / 1000} s`]: late } }
      },
    })
  } finally {
    pooler.stop()
    cluster.stop()
  }
}

/** Describes where the time went. */
const describePhases = ({ elections, ...phases }: FailoverPhases): string =>
  [
    ...Object.entries(phases).map(([phase, ms]) => `${phase} ${ms === undefined ? 'not seen' : seconds(ms)}`),
    `${elections} elections of etcd`,
  ].join(', ')
