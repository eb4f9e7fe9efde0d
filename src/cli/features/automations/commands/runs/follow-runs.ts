import type { ExitName } from '../../../../../contract/errors/exit-codes.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { stateText } from '../../../../../contract/values/states.ts'
import type { Context } from '../../../../program/context.ts'
import { followedExit } from '../../../../program/errors/interrupted-exit.ts'
import { parseCount } from '../../../../program/input/count-flag.ts'
import type { Shape } from '../../../../program/output/form.ts'
import { oneByOne } from '../../../../program/output/one-by-one.ts'
import { type ListedRun, listRunsByAutomation, queryOf, type RunFilter } from './runs-by-automation.ts'

/**
 * Milliseconds between two polls: of a Parley server, which needs one request, and of other platforms, which need one
 * per automation.
 */
const pollIntervalMs = { offered: 1000, documented: 10_000 } as const
const pageSize = 100
/** Number of existing runs to print first. */
const initialRuns = 10

/** Prints runs when they start and when their status changes, until Ctrl-C or until `--limit` new ones were printed. */
export async function followRuns(
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
  if (out.settings.form !== 'table' || out.settings.fields) {
    await out.pages(oneByOne(runs), shape)
  } else
    for await (const it of runs) {
      const what = [
        it.start_time,
        stateText(it.status).padEnd(9),
        it.id,
        it.automation_name ?? it.automation_id,
        it.testing ? '(test)' : '',
        it.error ?? '',
      ]
      await out.line(what.filter((part) => part !== '').join('  '))
    }
  return followedExit(system.signal)
}

async function fetchNewest(context: Context, wishes: RunFilter): Promise<readonly ListedRun[]> {
  return (await context.call(automate.listRuns, queryOf(wishes, pageSize))).data
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
    for (const it of runs) seen.set(it.id, it.status)
    const shown = isFirst ? (limit === undefined ? fresh.slice(0, initialRuns) : []) : fresh
    for (const it of shown.toReversed().slice(0, remaining)) {
      remaining--
      yield it
    }
    if (remaining > 0) await context.pause(intervalMs)
  }
}
