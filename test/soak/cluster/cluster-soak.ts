import { startWithStandby } from '../../support/servers/postgres-standby.ts'
import { howToGet } from '../../support/servers/system-programs.ts'
import { cause } from './chaos.ts'
import type { Findings } from './check-records.ts'
import { createServersDatabase, startPgBouncer } from './system-services.ts'
import { createTakeovers } from './takeover-probe.ts'
import { table, underLoad } from './under-load.ts'

/** Longest time until other servers continue the work of one that is gone, in milliseconds. */
const takeoverLimits = { kill: 5000, cut: 10_000 }

export interface ClusterSoakOptions {
  readonly minutes: number
  readonly seed: number
  readonly say: (text: string) => void
}

/**
 * Three servers over one PostgreSQL database work for some minutes while they, their connections and the database fail.
 * Prints a table. Returns whether everything that was acknowledged is there, once, and all work is done.
 */
export async function clusterSoak({ minutes, seed, say }: ClusterSoakOptions): Promise<boolean> {
  say(`Cluster: 3 servers, ${minutes} minutes, seed ${seed}`)
  const postgres = await startWithStandby({ isDurable: true })
  const database = await createServersDatabase(postgres.url)
  const pooler = await startPgBouncer(database)
  if (!pooler) say(`  NOT COVERED: PgBouncer. Servers connect to PostgreSQL directly. ${howToGet(['pgbouncer'])}`)
  try {
    return await underLoad({
      seed,
      say,
      database,
      serversDatabase: pooler?.url ?? database,
      accounts: 4,
      clients: 24,
      pauseMs: 150,
      skewMs: 60_000,
      async trouble({ servers, client, receiver, accounts, random }) {
        const takeovers = createTakeovers(client, receiver, accounts[0] as (typeof accounts)[0])
        const until = performance.now() + minutes * 60_000
        const troubles = await cause({ servers, postgres, database, random, takeovers, until, say })
        const measured = Object.entries(takeovers.measured).map(
          ([loss, times]) =>
            `  takeover after a ${loss}: ${times.map((it) => `${(it / 1000).toFixed(1)} s`).join(', ') || 'not measured'}`,
        )
        const lostCommits = new Map(servers.map((it) => [it.name, it.proxy.lostCommits]))
        return {
          tables: [table('trouble', troubles), table('lost COMMITs', lostCommits), ...measured],
          findings: takeoverFindings(takeovers),
        }
      },
    })
  } finally {
    pooler?.stop()
    await postgres.stop()
  }
}

function takeoverFindings({ measured, failed }: ReturnType<typeof createTakeovers>): Findings {
  const late = (loss: 'kill' | 'cut'): string[] =>
    measured[loss].filter((it) => it > takeoverLimits[loss]).map((it) => `${(it / 1000).toFixed(1)} s`)
  return {
    'work of lost servers is continued': [...failed],
    [`takeover after a kill <= ${takeoverLimits.kill / 1000} s`]: late('kill'),
    [`takeover after a cut <= ${takeoverLimits.cut / 1000} s`]: late('cut'),
  }
}
