import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FailoverPhases,
  type Failure,
  findMissing,
  isSafeWhenPaused,
  startPatroniCluster,
} from '../../support/servers/patroni-cluster.ts'
import { firstWrite, seconds } from './first-write.ts'
import { createServersDatabase, startPgBouncer } from './system-services.ts'
import { underLoad } from './under-load.ts'

/** Longest time without a write after the primary has failed, in milliseconds. */
const outageLimitMs = 30_000

export interface FailoverSoakOptions {
  readonly failures: number
  readonly seed: number
  readonly say: (text: string) => void
}

/**
 * Lets the primary of a PostgreSQL with Patroni fail under load, by turns alone, with all that runs on its machine, and by a pause of
 * that machine, which then comes back while another primary acknowledges writes. Returns whether writes succeeded again in time, and
 * nothing that was acknowledged was lost or done twice.
 */
export async function failoverSoak({ failures, seed, say }: FailoverSoakOptions): Promise<boolean> {
  const missing = findMissing()
  if (missing !== undefined) {
    say(`The failover was not tested: ${missing}`)
    return false
  }
  const patroni = await isSafeWhenPaused()
  const ways: Failure[] = [
    'PostgreSQL killed',
    'machine killed',
    ...(patroni.isSafe ? ['machine paused' as const] : []),
  ]
  say(
    `Failover: 3 servers, PgBouncer, HAProxy, 3 PostgreSQL with Patroni ${patroni.version} and etcd, ${failures} failures, seed ${seed}`,
  )
  if (!patroni.isSafe)
    say('  NOT COVERED: a machine that is paused, which Patroni before 3.1 does not survive without loss')
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
        for (let n = 0; n < failures; n++) {
          await sleep(stage.random.between(2000, 6000))
          const how = ways[n % ways.length] as Failure
          const failedAt = performance.now()
          const { name, phases } = await cluster.failPrimary(how)
          await firstWrite(stage, stage.accounts[0] as (typeof stage.accounts)[0]).catch(async (error: Error) => {
            say(await cluster.describe())
            throw error
          })
          const outage = performance.now() - failedAt
          const seen = describePhases(phases())
          if (outage > outageLimitMs) {
            late.push(`${name}, ${how}: ${seconds(outage)} (${seen})`)
            say(await cluster.describe())
          }
          // It comes back while another one acknowledges writes, at any moment of its Patroni.
          if (how === 'machine paused') await sleep(stage.random.between(3000, 15_000))
          await cluster.heal()
          const whole = performance.now() - failedAt
          say(
            `  ${name}, ${how}: writes again after ${seconds(outage)} (${seen}), two standbys again after ${seconds(whole)}`,
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
