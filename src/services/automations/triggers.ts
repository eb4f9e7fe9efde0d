import type { AcceptedRun } from '../../automation/run/runner.ts'
import { poll } from '../../automation/triggers/polling.ts'
import { nextTime, timetableOf } from '../../automation/triggers/schedule-times.ts'
import { crypto } from '../../crypto.ts'
import { minute } from '../../events/clock.ts'
import { schedule, unschedule } from '../../events/due.ts'
import type { TriggerKind } from '../../store/automation-tables.ts'
import { type AutomationRow, changeAutomation, findAnyAutomation, type VersionRow } from '../../store/automations.ts'
import type { Query } from '../../store/connection.ts'
import type { Deps } from '../deps.ts'
import { createPorts } from './ports.ts'
import { pollWork, scheduleWork } from './work.ts'

const digestOf = (text: string): string => crypto().createHash('sha256').update(text).digest('base64url')

/** How often a service is asked for news. */
const pollEvery = 5 * minute

interface Live {
  readonly row: AutomationRow
  readonly version: VersionRow
}

/** What starts runs by itself: schedules, and services that are asked for news. */
export function triggerService(deps: Deps) {
  const { connection, clock } = deps

  /** An automation that is on, with a live version of that kind. */
  async function live(query: Query, id: string, kind: TriggerKind): Promise<Live | undefined> {
    const found = await findAnyAutomation(query, id)
    if (found?.row.status !== 'enabled' || found.live?.trigger_kind !== kind) return undefined
    return { row: found.row, version: found.live }
  }

  return {
    /** Starts the run of a schedule that is due. For the times that passed while no process ran there is one run; an advanced clock stops at each of them. */
    async tick(id: string, due: number): Promise<void> {
      const runner = await deps.runner()
      const accepted = await connection.write(async (query) => {
        const found = await live(query, id, 'schedule')
        await unschedule(query, scheduleWork, id)
        const table = found && timetableOf(JSON.parse(found.version.definition))
        if (!found || !table) return undefined
        const now = await clock.now(query)
        const next = nextTime(table, clock.afterTick(now))
        if (next !== undefined) await schedule(query, { account: found.row.account_id, kind: scheduleWork, subject: id, at: next })
        return runner.accept(query, { automation: found.row, version: found.version, payload: table.output, testing: false, dedupe: `tick ${due}` }, now)
      })
      if (accepted) void runner.start(accepted)
    },

    /** Asks a service for what is new, and starts a run for each. */
    async ask(id: string): Promise<void> {
      const before = await live(connection.read, id, 'poll')
      if (!before) return connection.write((query) => unschedule(query, pollWork, id))
      const { row, version } = before
      const cursor = row.cursor === null ? undefined : JSON.parse(row.cursor)
      const asking = { ports: createPorts(deps), account: row.account_id, cursor, now: await clock.now() }
      const news = await poll(JSON.parse(version.definition), asking).catch((error: Error) => {
        deps.log(`automation ${id}: ${error.message}`)
        return { items: [], cursor }
      })
      const runner = await deps.runner()
      const accepted = await connection.write(async (query) => {
        const found = await live(query, id, 'poll')
        await unschedule(query, pollWork, id)
        if (!found) return []
        const now = await clock.now(query)
        await schedule(query, { account: found.row.account_id, kind: pollWork, subject: id, at: clock.resting(now) + pollEvery })
        // Another version may ask for something else: what was found was not for it.
        if (found.version.id !== version.id) return []
        await changeAutomation(query, id, { cursor: news.cursor === undefined ? null : JSON.stringify(news.cursor) })
        const runs: AcceptedRun[] = []
        for (const { key, payload } of news.items) {
          const run = await runner.accept(
            query,
            { automation: found.row, version: found.version, payload, testing: false, dedupe: `news ${digestOf(`${version.id} ${key}`)}` },
            now,
          )
          if (run) runs.push(run)
        }
        return runs
      })
      for (const it of accepted) void runner.start(it)
    },
  }
}
