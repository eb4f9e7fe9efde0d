/**
 * Four clients buy a thousand numbers, and forty accounts send two hundred messages, through a server that is killed
 * with `kill -9` three times. Then twenty thousand hostile requests are sent to all endpoints, the same ones for the
 * same seed. Then automations run a thousand times in a server that is killed a hundred times. Arguments: number of
 * purchases (1000), sends (200), hostile requests (20000), their seed (default: random), and runs (1000). 0 skips a
 * part. Or names of parts to run alone, which also run at the end without arguments: kills, events, hanging, retries,
 * crowd, day, bulk. `cluster [--minutes 15] [--seed n]` runs three servers over PostgreSQL while everything fails in turn;
 * it uses the built program, as does `--failover [--failures 10]`, which kills or pauses the primary of a
 * PostgreSQL with Patroni, and `--citus`, which kills nodes of a sharded one and moves its shards.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { batchSoak, bulkSoak } from '../soak/bulk-soak.ts'
import { citusSoak } from '../soak/cluster/citus-soak.ts'
import { clusterSoak } from '../soak/cluster/cluster-soak.ts'
import { failoverSoak } from '../soak/cluster/failover-soak.ts'
import { crowd } from '../soak/concurrent-clients.ts'
import { retries } from '../soak/delivery-retries.ts'
import { eventSoak } from '../soak/event-soak.ts'
import { hanging } from '../soak/hanging-receivers.ts'
import { attack } from '../soak/hostile-requests.ts'
import { soak } from '../soak/purchase-soak.ts'
import { day } from '../soak/retention-soak.ts'
import { runSoak } from '../soak/run-soak.ts'
import { sendSoak } from '../soak/send-soak.ts'
import { program } from './processes.ts'

interface Ended {
  readonly wrong: readonly string[]
  readonly acknowledged: number
  readonly resent: number
}

/**
 * Runs one soak test in a temporary folder and prints its result. Returns true if nothing was lost, duplicated or
 * incomplete.
 */
async function run(what: string, wanted: number, body: (folder: string) => Promise<Ended>): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-soak-'))
  const start = performance.now()
  try {
    const { wrong, acknowledged, resent } = await body(folder)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    process.stdout.write(
      `${acknowledged} of ${wanted} ${what} acknowledged in ${seconds} s, ${resent} requests sent again, ${wrong.length} wrong\n`,
    )
    for (const problem of wrong) process.stderr.write(`${problem}\n`)
    return wrong.length === 0 && acknowledged === wanted
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns true if every hostile request had a documented response. */
async function attacked(requests: number, seed: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-hostile-'))
  const start = performance.now()
  try {
    const { wrong, taken } = await attack({ dataDir: folder }, requests, seed)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    process.stdout.write(
      `${requests} hostile requests with seed ${seed} in ${seconds} s, ${taken} carried out, ${wrong.length} wrong\n`,
    )
    for (const problem of wrong) process.stderr.write(`${problem}\n`)
    return wrong.length === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const inFolder = async <T>(body: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-soak-'))
  try {
    return await body(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function printed(text: string, isWell: boolean, wrong: readonly string[] = []): boolean {
  process.stdout.write(`${text}: ${isWell ? 'ok' : 'MISS'}\n`)
  for (const problem of wrong.slice(0, 20)) process.stderr.write(`${problem}\n`)
  return isWell
}

/** Named parts, each with its own figures. */
const named: Readonly<Record<string, () => Promise<boolean>>> = {
  kills: () => run('purchases', 1000, (folder) => soak({ folder, purchases: 1000, kills: 100 })),
  async events() {
    const { wrong, acknowledged, resent, kills } = await inFolder((folder) =>
      eventSoak({ folder, events: 2000, kills: 100 }),
    )
    return printed(
      `${acknowledged} of 2000 events, ${kills} kills, ${resent} sent again, ${wrong.length} wrong`,
      wrong.length === 0,
      wrong,
    )
  },
  async hanging() {
    let well = 0
    for (let n = 1; n <= 5; n++) {
      const {
        hanging: held,
        median,
        p99,
        before,
      } = await inFolder((folder) => hanging({ folder, receivers: 1000, ms: 3000 }))
      const isWell = held === 1000 && median <= 1.1 && p99 <= 2
      if (isWell) well++
      printed(
        `run ${n}: ${held} hanging, median ${median.toFixed(2)} x of ${before.toFixed(2)} ms, p99 ${p99.toFixed(2)} x`,
        isWell,
      )
    }
    return printed(`${well} of 5 runs within 10 % (median) and 2 x (p99)`, well >= 3)
  },
  async retries() {
    const { failed, done, once, ms } = await inFolder((folder) => retries({ folder, due: 10_000 }))
    return printed(
      `${done} of ${failed} due retries in ${(ms / 1000).toFixed(1)} s, ${once} under their id`,
      done === 10_000 && once === 10_000 && ms < 20_000,
    )
  },
  async crowd() {
    const { wrong, overHttp, byCommand } = await inFolder((folder) =>
      crowd({ folder, program, commands: 10, ms: 60_000 }),
    )
    return printed(
      `two servers wrote ${overHttp} keys, ten commands at a time ${byCommand}, ${wrong.length} wrong`,
      wrong.length === 0,
      wrong,
    )
  },
  async bulk() {
    const leads = await inFolder((folder) => bulkSoak({ folder, program, rows: 50_000, kills: 20, of: 'leads' }))
    const isFirst = printed(
      `${leads.done} of 50000 leads, ${leads.kills} kills, ${leads.wrong.length} wrong`,
      leads.wrong.length === 0,
      leads.wrong,
    )
    const sent = await inFolder((folder) => bulkSoak({ folder, program, rows: 300, kills: 20, of: 'messages' }))
    const isSecond = printed(
      `${sent.done} of 300 messages, ${sent.kills} kills, ${sent.wrong.length} wrong`,
      sent.wrong.length === 0,
      sent.wrong,
    )
    const together = await inFolder((folder) => batchSoak({ folder, program, rows: 50_000, kills: 20 }))
    const isThird = printed(
      `${together.done} of 50000 leads through a server over PostgreSQL, ${together.kills} kills, ${together.wrong.length} wrong`,
      together.wrong.length === 0,
      together.wrong,
    )
    return isFirst && isSecond && isThird
  },
  async day() {
    const {
      shown: heard,
      wanted,
      memory,
      retained,
      logged,
      full,
      more,
      later,
    } = await inFolder((folder) => day({ folder, events: 100_000 }))
    const [early = 0, late = 0] = [Math.max(...retained.slice(2, 8)), Math.max(...retained.slice(18))]
    const shown = (list: readonly number[]): string => list.map((it) => it.toFixed(0)).join(' ')
    const isBounded = later.old.every((it) => it === 0) && later.all.every((it) => it < 3 * more)
    printed(
      `events, deliveries, attempts kept: ${full.join(', ')}; a month and ${more} events later ${later.all.join(', ')}, too old ${later.old.join(', ')}`,
      isBounded,
    )
    return printed(
      `${heard} of ${wanted} events in 24 hours, resident memory ${shown(memory)} MB, retained after collection ${shown(retained)} MB, log of requests ${logged.toFixed(1)} MB`,
      isBounded && heard === wanted && late <= early * 1.15 && logged < 10,
    )
  },
}

const { values: flags, positionals: args } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string' },
    failover: { type: 'boolean' },
    citus: { type: 'boolean' },
    failures: { type: 'string', default: '10' },
  },
})
const names = args.filter((it) => Object.hasOwn(named, it))
const [purchases = 1000, sends = 200, hostile = 20_000, seed = Math.floor(Math.random() * 2 ** 31), runs = 1000] = args
  .filter((it) => /^\d+$/.test(it))
  .map(Number)
// What was started ends with this process, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const say = (text: string): void => void process.stdout.write(`${text}\n`)
if (flags.failover || flags.citus) {
  const drill = { seed: Number(flags.seed ?? seed), say }
  const isWell = flags.failover
    ? await failoverSoak({ ...drill, failures: Number(flags.failures) })
    : await citusSoak(drill)
  process.exit(isWell ? 0 : 1)
} else if (args.includes('cluster')) {
  const isWell = await clusterSoak({
    minutes: Number(flags.minutes),
    seed: Number(flags.seed ?? seed),
    say,
  })
  process.exit(isWell ? 0 : 1)
} else if (names.length > 0) {
  for (const name of names) if (!(await named[name]?.())) process.exitCode = 1
} else {
  const bought =
    purchases === 0 || (await run('purchases', purchases, (folder) => soak({ folder, purchases, kills: 3 })))
  const sent =
    sends === 0 || (await run('sends', sends, (folder) => sendSoak({ folder, sends, accounts: 40, kills: 3 })))
  const refused = hostile === 0 || (await attacked(hostile, seed))
  const ran =
    runs === 0 || (await run('runs', runs, (folder) => runSoak({ folder, runs, kills: Math.ceil(runs / 10) })))
  if (!bought || !sent || !refused || !ran) process.exitCode = 1
  if (args.length === 0) for (const run of Object.values(named)) if (!(await run())) process.exitCode = 1
}
