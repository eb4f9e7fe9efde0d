/**
 * Measures the built program against floors taken in the same run, in turns: `npm run bench -- [start-up] [binary] [platforms]
 * [helps] [tables] [server] [spawn] [scenarios] [automations] [fairness] [lists] [account] [inspector] [bulk] [cluster] [claims] [shards] [scale] [upgrade] [purge]
 * [campaigns] [versions --before <folder>] [--rounds <n>] [--rows <n>]
 * [--parked <n>] [--json] [--compare] [--record]`. `--compare` ends with the ratios that are 15 % worse than in the
 * committed record, and `--record` writes them to it. Long lists are created once, with a million rows or `--rows`, and
 * stored in the temporary folder of the system. Every figure is a median. Only ratios are comparable between machines.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { assistantScenarios } from './assistant-scenarios.ts'
import { automations } from './automations.ts'
import { binary } from './binary.ts'
import { blockedContacts } from './blocked-contacts.ts'
import { bulk } from './bulk.ts'
import { claims } from './cluster/claims.ts'
import { cluster } from './cluster/cluster.ts'
import { scaleModel } from './cluster/scale-model.ts'
import { shards } from './cluster/shards.ts'
import { type Sketch, serveSketch } from './cluster/sketch-server.ts'
import { compareFigures, describeComparison, readRecord, writeRecord } from './compare.ts'
import { type Floor, serveFloor } from './durable-server.ts'
import { fairness } from './fairness.ts'
import { spawned } from './first-response.ts'
import { helps } from './help-time.ts'
import { inspector } from './inspector.ts'
import { inspectorLists } from './inspector-lists.ts'
import { lists } from './list-pages.ts'
import { type Load, load } from './load.ts'
import { account } from './many-rows.ts'
import { type Figure, line, verdict } from './measurements.ts'
import { platforms } from './platform-instances.ts'
import { purge } from './purge.ts'
import { server } from './server.ts'
import { startUp } from './start-up.ts'
import { tables } from './table-output.ts'
import { upgrade } from './upgrade.ts'
import { versions } from './versions.ts'

interface Options {
  readonly rounds: number | undefined
  readonly rows: number | undefined
  readonly parked: number | undefined
  /** Folder of an earlier version. */
  readonly before: string | undefined
  readonly say: (text: string) => void
}

const sections: Readonly<Record<string, (options: Options) => Promise<readonly Figure[]>>> = {
  'start-up': ({ rounds = 40, say }) => startUp(rounds, say),
  binary: ({ rounds = 20 }) => binary(rounds),
  platforms: ({ rounds = 30 }) => platforms(rounds),
  helps: ({ rounds = 5 }) => helps(rounds),
  tables: ({ rounds = 10, say }) => tables(rounds, say),
  server: ({ rounds = 7 }) => server(rounds, 700),
  spawn: ({ rounds = 15 }) => spawned(rounds),
  scenarios: ({ rounds = 5 }) => assistantScenarios(rounds),
  automations: ({ rounds = 7, parked = 10_000 }) => automations(rounds, 1500, parked),
  fairness: ({ rounds = 4 }) => fairness(rounds, 2000),
  lists: ({ rounds = 20, rows, say }) => lists(rounds, rows, say),
  account: ({ rounds = 3, rows = 100_000, say }) => account(rounds, rows, say),
  cluster: ({ rounds = 5, rows = 100_000, say }) => cluster(rounds, 3000, rows, say),
  claims: ({ rounds = 20, say }) => claims(rounds, say),
  shards: ({ rounds = 5, say }) => shards(rounds, 3000, say),
  scale: async ({ say }) => scaleModel(say),
  upgrade: ({ rows = 1_000_000, say }) => upgrade(rows, say),
  inspector: async ({ rounds = 30, rows = 100_000, say }) => [
    ...(await inspector(rounds, rows)),
    ...(await inspectorLists(rounds, rows * 10, say)),
  ],
  purge: ({ rounds = 5, rows = 300_000, say }) => purge(rounds, 4000, rows, say),
  campaigns: ({ rounds = 9, rows = 100_000, say }) => blockedContacts(rounds, rows, say),
  versions: ({ rounds = 7, before, say }) => versions(rounds, before, say),
  bulk: ({ rounds = 3, rows = 100_000 }) => bulk(rounds, rows, 200, rows * 10),
}

const usage = `Usage: npm run bench -- [section...] [--rounds <n>] [--rows <n>] [--parked <n>] [--before <folder>] [--json] [--compare] [--record]

Sections: ${Object.keys(sections).join(', ')} (default: all, which takes about an hour)
docs/benchmarks.md explains them.
`

/** Returns the arguments. @throws Error for unknown sections and flags, and for numbers that are none */
function parseArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      rows: { type: 'string' },
      parked: { type: 'string' },
      before: { type: 'string' },
      json: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find((it) => !Object.hasOwn(sections, it))
  if (unknown !== undefined) throw new Error(`Unknown section "${unknown}".\n\n${usage}`)
  const numberOf = (flag: 'rounds' | 'rows' | 'parked'): number | undefined => {
    const text = values[flag]
    if (text !== undefined && !/^\d+$/.test(text)) throw new Error(`--${flag} must be a number, not "${text}".`)
    return text === undefined ? undefined : Number(text)
  }
  return {
    ...values,
    named: positionals,
    rounds: numberOf('rounds'),
    rows: numberOf('rows'),
    parked: numberOf('parked'),
  }
}

async function main(options: ReturnType<typeof parseArguments>): Promise<void> {
  const { named, rounds, rows, parked, before, json, compare, record, help } = options
  if (help) {
    process.stdout.write(usage)
    return
  }
  const machine = {
    node: process.version,
    os: `${process.platform}-${process.arch}`,
    cpus: cpus().length,
    load: loadavg()[0],
  }
  const say = (text: string): void => void (json || process.stdout.write(`${text}\n`))
  say(`Node ${machine.node} on ${machine.os}, ${machine.cpus} cores, load ${machine.load?.toFixed(2)}\n`)
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(sections)) {
    if (named.length > 0 && !named.includes(name)) continue
    say(`${name}${' '.repeat(48 - name.length)}    median  middle half   budget`)
    const found = await measure({ rounds, rows, parked, before, say })
    figures.push(...found)
    say(`${found.map(line).join('\n')}\n`)
  }
  const comparison = compare ? compareFigures(figures, readRecord()) : undefined
  if (comparison) say(describeComparison(comparison))
  if (record) writeRecord(figures)
  if (json)
    process.stdout.write(
      `${JSON.stringify({ machine, figures: figures.map((it) => ({ ...it, verdict: verdict(it) })), comparison }, null, 2)}\n`,
    )
}

const [role, text = ''] = process.argv.slice(2)
if (role === '--load') process.stdout.write(JSON.stringify(await load(JSON.parse(text) as Load)))
else if (role === '--sketch') serveSketch(JSON.parse(text) as Sketch)
else if (role === '--floor') serveFloor(JSON.parse(text) as Floor)
else {
  let options: ReturnType<typeof parseArguments> | undefined
  try {
    options = parseArguments(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 2
  }
  if (options) await main(options)
}
