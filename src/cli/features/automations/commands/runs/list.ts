import { runStatuses } from '../../../../../contract/automations/run-records.ts'
import type { ExitName } from '../../../../../contract/errors/exit-codes.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { maxRunsPerPage } from '../../../../../contract/values/page-size.ts'
import { stateText } from '../../../../../contract/values/states.ts'
import { command, type Invocation } from '../../../../program/commandline/command.ts'
import { previewRequest } from '../../../../program/connection/send-request.ts'
import type { Context } from '../../../../program/context.ts'
import { followedExit } from '../../../../program/errors/interrupted-exit.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { parseCount } from '../../../../program/input/count-flag.ts'
import { parsePlatformPeriod } from '../../../../program/input/time-flag.ts'
import type { Shape, View } from '../../../../program/output/format.ts'
import { printEach } from '../../../../program/output/output.ts'
import { emptyPageMessage } from '../../../../program/output/print-list.ts'
import { argument, automationId } from '../view.ts'
import { printOlderForm } from './get.ts'
import { runFlag } from './run-flag.ts'
import { formatMilliseconds } from './run-lines.ts'
import { type ListedRun, listRunsByAutomation, queryOf, type RunFilter } from './runs-by-automation.ts'

/**
 * Milliseconds between two polls: of a Parley server, which needs one request, and of other platforms, which need one
 * per automation.
 */
const pollIntervalMs = { offered: 1000, documented: 10_000 } as const
/** Number of existing runs to print first. */
const initialRuns = 10

/** Prints runs when they start and when their status changes, until Ctrl-C or until `--limit` new ones were printed. */
async function followRuns(
  context: Context,
  wishes: RunFilter,
  isOffered: boolean,
  shape: Shape<never>,
): Promise<ExitName> {
  const { out, system } = context
  const limit = parseCount(context.globals.limit, '--limit')
  const runs = pollChanges(
    context,
    limit,
    () => (isOffered ? fetchNewest(context, wishes) : listRunsByAutomation(context, wishes)),
    isOffered ? pollIntervalMs.offered : pollIntervalMs.documented,
  )
  await printEach(out, runs, shape, (run) => {
    const parts = [
      run.start_time,
      stateText(run.status).padEnd(9),
      run.id,
      run.automation_name ?? run.automation_id,
      run.testing ? '(test)' : '',
      run.error ?? '',
    ]
    return parts.filter((part) => part !== '').join('  ')
  })
  return followedExit(system.signal)
}

async function fetchNewest(context: Context, wishes: RunFilter): Promise<readonly ListedRun[]> {
  return (await context.call(automate.listRuns, queryOf(wishes, maxRunsPerPage))).data
}

/** Yields runs that are new or have a new status since the last poll, oldest first. */
async function* pollChanges(
  context: Context,
  limit: number | undefined,
  poll: () => Promise<readonly ListedRun[]>,
  intervalMs: number,
): AsyncIterable<ListedRun> {
  const { system } = context
  const seen = new Map<string, string>()
  let remaining = limit ?? Number.POSITIVE_INFINITY
  for (let isFirst = true; remaining > 0 && !system.signal.aborted; isFirst = false) {
    const runs = await poll()
    const fresh = runs.filter((it) => seen.get(it.id) !== it.status)
    for (const run of runs) seen.set(run.id, run.status)
    const shown = isFirst ? (limit === undefined ? fresh.slice(0, initialRuns) : []) : fresh
    for (const run of shown.toReversed().slice(0, remaining)) {
      remaining--
      yield run
    }
    if (remaining > 0) await context.pause(intervalMs)
  }
}

const view: View<ListedRun> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'automation_name', title: 'Automation', priority: 3, flexible: true },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'start_time', title: 'Started', priority: 2, kind: 'time' },
    {
      key: ({ duration_ms: ms }) => (typeof ms === 'number' ? formatMilliseconds(ms) : null),
      field: 'duration_ms',
      title: 'Duration',
      priority: 2,
      align: 'right',
    },
    { key: (it) => (it.testing ? 'yes' : ''), field: 'testing', title: 'Test', priority: 5 },
    { key: 'error', title: 'Error', priority: 2, flexible: true },
  ],
  empty: 'No runs.',
}

const shape = { view }

/** Default number of runs, without --limit, --per-page and --all. */
const usual = 20

export const list = command({
  endpoint: automate.listRuns,
  argument: { ...argument, describe: 'Id or name of the automation (default: all automations)', optional: true },
  filledFields: ['automation_id', 'status', 'test', 'since', 'until', 'limit', 'cursor'],
  flags: [
    { flags: '--status <status>', describe: 'Only runs with this status', choices: runStatuses },
    {
      flags: '--since <time>',
      describe: 'Only runs that started at or after a time, or within the last 30m, 2h, 7d, 1w',
    },
    { flags: '--until <time>', describe: 'Only runs that started before a time, or before 30m, 2h, 7d, 1w ago' },
    { flags: '--test', describe: 'Only test runs' },
    { flags: '--live', describe: 'Only live runs' },
    {
      flags: '--follow',
      describe: 'Print runs as they start and end until Ctrl-C; with --limit, stop after that many new runs',
    },
    { ...runFlag, hidden: true },
  ],
  isList: true,
  examples: ['', 'Greeting --status FAILED --since 24h', '--live --status FAILED --json'],
  notes: `Lists the newest ${usual} runs; use --limit or --all for more. A Parley server keeps runs for 30 days after they end. Other platforms list the last 20 runs of each automation, and report neither its version nor whether it was a test.`,
  view,
  async run(context, { argument, flags }) {
    if (flags.run !== undefined) return printOlderForm(context, argument, String(flags.run))
    const wishes = await parseRunFilter(context, argument, flags)
    const isOffered = await context.supports('runs')
    if (flags.follow) return followRuns(context, wishes, isOffered, shape)
    if (!isOffered) return printDocumented(context, wishes)
    return printPages(context, wishes)
  },
})

async function parseRunFilter(
  context: Context,
  automation: string | undefined,
  flags: Invocation['flags'],
): Promise<RunFilter> {
  if (flags.test && flags.live) throw usageError('--test and --live cannot be combined.')
  return {
    automation: automation === undefined ? undefined : await automationId(context, automation),
    status: flags.status === undefined ? undefined : String(flags.status),
    ...(await parsePlatformPeriod(context, flags)),
    test: flags.test ? true : flags.live ? false : undefined,
  }
}

async function printPages(context: Context, wishes: RunFilter): Promise<void> {
  const { globals, out, notes } = context
  const limit = globals.all ? Number.POSITIVE_INFINITY : parseCount(globals.limit, '--limit')
  const size = Math.min(
    maxRunsPerPage,
    parseCount(globals.perPage, '--per-page') ?? Math.min(limit ?? usual, maxRunsPerPage),
  )
  if (await previewRequest(context, automate.listRuns, queryOf(wishes, size))) return
  let cursor: string | undefined
  const page = parseCount(globals.page, '--page') ?? 1
  for (let left = page - 1; left > 0; left--) {
    const { next_cursor: next } = await context.call(automate.listRuns, queryOf(wishes, size, cursor))
    if (typeof next !== 'string')
      return out.list([], { view: { ...view, empty: emptyPageMessage(page) ?? view.empty } })
    cursor = next
  }
  if (globals.envelope) return out.record(await context.call(automate.listRuns, queryOf(wishes, size, cursor)))
  let shown = 0
  let more: string | null = null
  async function* pages(): AsyncIterable<readonly ListedRun[]> {
    do {
      const answer = await context.call(automate.listRuns, queryOf(wishes, size, cursor))
      const rows = answer.data.slice(0, limit === undefined ? undefined : limit - shown)
      shown += rows.length
      more = answer.next_cursor ?? null
      cursor = more ?? undefined
      yield rows
    } while (limit !== undefined && shown < limit && cursor !== undefined)
  }
  await out.pages(pages(), shape)
  if (more !== null && limit === undefined)
    await notes.note(`Showing ${shown}. More: add --all, --limit <n> or --page <n>.`)
  if (shown > 0) await notes.note('Next: parley automate runs get <run>')
}

async function printDocumented(context: Context, wishes: RunFilter): Promise<void> {
  const { globals, out, notes } = context
  if ((globals.page ?? globals.perPage) !== undefined)
    throw usageError('This platform has no pages of runs.', 'Remove --page and --per-page.')
  const found = await listRunsByAutomation(context, wishes)
  const limit = globals.all ? found.length : (parseCount(globals.limit, '--limit') ?? usual)
  await out.list(found.slice(0, limit), shape)
  await notes.note(
    'This platform shows the last 20 runs of each automation. It does not report which version ran, whether a run was a test, or why it failed.',
  )
}
