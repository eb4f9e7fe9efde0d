// Commands that show and change how a PostgreSQL database stores its tables: on one server, or spread over nodes by Citus. They
// connect to the database itself, because no server can use it while it is distributed.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type CommandFlag, command, type Invocation } from '../../program/commandline/command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { withConfiguration } from '../../program/configuration/server-configuration.ts'
import { confirmPlan, requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { requireNoPrintCurl } from '../../program/errors/require-no-print-curl.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { idView, type View } from '../../program/output/format.ts'
import type { DatabaseStatus, DistributionAccess, DistributionPlan, DistributionResult } from '../../program/system.ts'
import { databaseFlags } from './database-flags.ts'
import { parseDatabaseOptions, warnAboutPassword } from './database-settings.ts'

/** Flags of the database that both commands connect to. */
const ownFlags: readonly (CommandFlag & { readonly env: string })[] = databaseFlags
  .filter(({ flags }) => /^--database(-pooled|-connect-timeout)? /.test(flags))
  .map((flag) =>
    flag.flags === '--database <url>'
      ? { ...flag, describe: 'Database in PostgreSQL, as postgres://user@host/name (default: that of the data folder)' }
      : flag,
  )

/** Opens the database that the flags, the environment or the data folder name, for the time of a command. */
async function withDatabase<T>(
  context: Context,
  given: Invocation['flags'],
  body: (access: DistributionAccess) => Promise<T>,
): Promise<T> {
  const { system } = context
  const flags = await withConfiguration(system, given, ownFlags)
  await warnAboutPassword(context, given)
  const transfer = await system.dataTransfer()
  const access = await transfer.openDistribution({
    dataDir: dataDir(system),
    database: parseDatabaseOptions(context, flags, given, 'password'),
  })
  try {
    return await body(access)
  } finally {
    await access.close()
  }
}

const view = idView<{ readonly database: string }>((it) => it.database)

const sizeUnits = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Returns a size for people: `12 MB`. */
function describeSize(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(sizeUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${sizeUnits[power]}`
}

const count = (n: number, noun: string): string => `${n} ${n === 1 ? noun : `${noun}s`}`

const tableView: View<DatabaseStatus['tables'][number]> = {
  id: (it) => it.table,
  columns: [
    { key: 'table', title: 'Table', priority: 1 },
    { key: 'kind', title: 'Kind', priority: 1, kind: 'choice' },
    { key: 'shards', title: 'Shards', priority: 2, kind: 'number' },
    { key: 'rows', title: 'Rows', priority: 1, kind: 'number' },
    { key: (it) => describeSize(it.bytes), field: 'bytes', title: 'Size', priority: 2, align: 'right' },
  ],
  empty: '',
}

const continuing = (given: Invocation['flags']): string =>
  `parley server database distribute${given.database === undefined ? '' : ' --database <url>'}`

/** Returns what people read about a database above its tables. */
function statusLines(found: DatabaseStatus, given: Invocation['flags']): string[] {
  const { database, state, citus, schema, shards, nodes } = found
  const extension = citus === null ? 'PostgreSQL without Citus' : `Citus ${citus}`
  const states = {
    local: citus === null ? 'on one server' : 'all tables on the coordinator',
    unfinished: `distribution unfinished, at least ${count(found.steps_left, 'step')} left`,
    distributed: `distributed, ${shards} shards for each table of accounts`,
  }
  return [
    `${database}: ${states[state]} (${extension}, schema ${schema}).`,
    ...(state === 'unfinished'
      ? [`No server can use it until that is complete. To continue: ${continuing(given)}.`]
      : []),
    ...nodes.map(describeNode),
    ...(found.connections_per_session === null ? [] : budgetLines(found)),
  ]
}

function describeNode(node: DatabaseStatus['nodes'][number]): string {
  const limit = node.max_connections === null ? 'does not answer' : `max_connections ${node.max_connections}`
  return `Node ${node.node}: ${node.role}, ${node.is_active ? 'active' : 'not active'}, ${node.has_shards ? 'takes shards' : 'no shards'}, ${limit}.`
}

/** Returns how many sessions the nodes can answer at the same time. */
function budgetLines({ nodes, connections_per_session: each, sessions }: DatabaseStatus): string[] {
  const limits = nodes.flatMap((it) => (it.has_shards && it.sessions !== null ? [it.sessions] : []))
  return [
    `Connections: a statement over several shards opens up to ${each} to each node, so that ${limits.length > 0 ? Math.min(...limits) : 'no'} sessions can run one at the same time. Parley has ${count(sessions ?? 0, 'session')} open.`,
  ]
}

export const status = command({
  callsPlatform: true,
  summary: 'Show how PostgreSQL tables are stored',
  risk: 'read',
  flags: ownFlags,
  examples: ['', '--database postgres://parley@127.0.0.1/parley', '--json'],
  notes:
    'Shows whether the tables of accounts are distributed over the nodes of Citus, the nodes with their connections, and each table with its kind, shards, rows and size. An unfinished distribution is named with the command that continues it. Servers can run at the same time. Rows are counted, which takes about a second per million.',
  view,
  async run(context, { flags }) {
    const { out } = context
    const found = await withDatabase(context, flags, (access) => context.progress.showWhile('Reading', access.status()))
    const print = async (): Promise<void> => {
      for (const text of statusLines(found, flags)) await out.line(text)
      await out.list(found.tables, { view: tableView })
    }
    await out.result(found, print, { view })
  },
})

/** Returns what people read about a plan before they agree. */
function planLines(plan: DistributionPlan): string[] {
  const placed = (place: string) => plan.tables.filter((it) => it.place === place)
  const spread = placed('distributed')
  const rows = spread.reduce((sum, it) => sum + it.rows, 0)
  const bytes = spread.reduce((sum, it) => sum + it.bytes, 0)
  const takers = plan.nodes.filter((it) => it.has_shards).map((it) => it.node)
  const reasons = (place: string): string[] => placed(place).map((it) => `  ${it.table}: ${it.reason ?? ''}`)
  return [
    `${plan.state === 'unfinished' ? 'Continues the distribution of' : 'Distribution of'} ${plan.database}: ${count(plan.accounts, 'account')}, schema ${plan.schema}, Citus ${plan.citus}.`,
    `Distributed by account: ${count(spread.length, 'table')} with ${count(rows, 'row')}, ${describeSize(bytes)}, in ${plan.shards} shards each on ${takers.join(', ')}.`,
    ...spread
      .filter((it) => it.rows > 0)
      .map((it) => `  ${it.table}: ${count(it.rows, 'row')}, ${describeSize(it.bytes)}`),
    'Copied to every node:',
    ...reasons('reference'),
    'Stays on the coordinator:',
    ...reasons('local'),
    `Removed: ${count(plan.dropped.length, 'key')} without the account; keys with the account replace them.`,
    ...(plan.dropped.length > 0 ? [`  ${plan.dropped.join(', ')}`] : []),
    `No server can use the database for about ${plan.estimated_seconds} s (an estimate: ${plan.estimate}).`,
    'Afterwards: servers of earlier versions are refused, and this command does not change the number of shards.',
  ]
}

/** Number of shards that a table of 50 on few nodes can reasonably have. */
const maxShards = 1024

function parseShards(given: unknown): number | undefined {
  const shards = parseCount(given as string | undefined, '--shards')
  if (shards !== undefined && shards > maxShards)
    throw usageError(`Invalid --shards "${shards}". Use a whole number from 1 to ${maxShards}.`)
  return shards
}

/** Ends a distribution between two steps. */
class Stopped extends Error {}

export const distribute = command({
  callsPlatform: true,
  exits: ['conflict'],
  summary: 'Distribute accounts over nodes of Citus',
  risk: 'destructive',
  supportsPreview: true,
  flags: [
    ...ownFlags,
    {
      flags: '--shards <n>',
      describe: `Shards of each table, 1-${maxShards}; later changes need the tools of Citus (default: 32)`,
    },
  ],
  examples: [
    '--database postgres://parley@127.0.0.1/parley --dry-run',
    '--database postgres://parley@127.0.0.1/parley --shards 64',
    '--yes --json',
  ],
  notes:
    'Needs the extension Citus in the database, at least one node that takes shards, and the schema of this version. Stop all servers and back up the database first. The plan names tables, rows, nodes, removed keys and an estimate of the time; --dry-run ends there. While the tables are distributed, no server can start. After an interruption, also by Ctrl-C or kill -9, the same command continues. Success is reported after all rows were counted again. To undo it, restore the backup, or copy the data to another database with "parley server migrate".',
  view,
  async run(context, { flags }) {
    requireNoPrintCurl(context)
    const shards = parseShards(flags.shards)
    await withDatabase(context, flags, async (access) => {
      const plan = await context.progress.showWhile('Planning', access.plan(shards))
      if (context.globals.dryRun || plan.state === 'distributed') return printPlan(context, plan)
      await printDistributed(context, await carryOut(context, access, plan, flags))
    })
  },
})

async function printPlan({ out, notes }: Context, plan: DistributionPlan): Promise<void> {
  const isDone = plan.state === 'distributed'
  const print = async (): Promise<void> => {
    if (isDone)
      return out.line(
        `The tables of ${plan.database} are distributed already, with ${plan.shards} shards. Nothing was changed.`,
      )
    for (const text of planLines(plan)) await out.line(text)
  }
  await out.result(plan, print, { view })
  for (const text of plan.warnings) await notes.warn(text)
  if (plan.users.length > 0 && !isDone) await notes.warn(`These must stop first: ${plan.users.join('; ')}.`)
}

/** Asks, and carries the plan out that was agreed to. */
async function carryOut(
  context: Context,
  access: DistributionAccess,
  plan: DistributionPlan,
  flags: Invocation['flags'],
): Promise<DistributionResult> {
  access.requireFree(plan)
  const isAsked = context.interactive && !context.globals.yes
  if (isAsked) for (const text of planLines(plan)) await context.notes.note(text)
  for (const text of plan.warnings) await context.notes.warn(text)
  const agreed = await confirmPlan(context, {
    plan,
    ask: ({ database, accounts, shards, estimated_seconds: seconds }, isAskedAgain) =>
      requireConfirmation(
        context,
        {
          question: `Distribute the tables of ${database} with ${count(accounts, 'account')} over ${shards} shards? No server can use it for about ${seconds} s, and only a backup leads back.`,
          refusalMessage: `Distributing the tables of ${database} with ${count(accounts, 'account')} cannot be undone and requires confirmation.`,
        },
        { isAskedAgain },
      ),
    async read() {
      const current = await access.plan(plan.shards)
      access.requireFree(current)
      return current
    },
    describeChanges: access.describeChanges,
  })
  const { signal } = context.system
  let next = ''
  try {
    return await context.progress.showWhile('Distributing', (setText) =>
      access.distribute({
        plan: agreed,
        onStep(text, number) {
          next = text
          if (signal.aborted) throw new Stopped()
          setText(`Step ${number}: ${text}`)
        },
      }),
    )
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    throw new ClientFailure({
      exit: interruptedExit(signal),
      code: 'interrupted',
      message: `Stopped before the step "${next}". No server can use ${plan.database} until the distribution is complete.`,
      hint: `To continue: ${continuing(flags)}.`,
    })
  }
}

async function printDistributed({ out, notes }: Context, result: DistributionResult): Promise<void> {
  const spread = result.tables.filter((it) => it.place === 'distributed')
  const slowest = result.steps.reduce((a, b) => (b.ms > a.ms ? b : a), { step: '', ms: 0 })
  const print = async (): Promise<void> => {
    await out.done(
      `Distributed ${count(spread.length, 'table')} of ${result.database} with ${count(result.accounts, 'account')} in ${result.shards} shards each.`,
    )
    await out.line(
      `No server could use the database for ${result.seconds} s, in ${count(result.steps.length, 'step')}. The slowest one took ${slowest.ms / 1000} s: ${slowest.step}.`,
    )
    await out.line('All rows were counted before and after, and the numbers are the same.')
    await notes.note('Next: parley server start, then parley server check.')
  }
  await out.result(result, print, { view })
  for (const text of result.warnings) await notes.warn(text)
}
