import { minute } from '../../../../contract/values/micros.ts'
import { crypto } from '../../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { scheduleJob, unscheduleJob } from '../../../jobs/job-loop.ts'
import type { AcceptedRun } from '../../../runs/accept-run.ts'
import { poll } from '../../../runs/triggers/poll-trigger.ts'
import { nextTime, parseTimetable } from '../../../runs/triggers/timetable.ts'
import { isStopped } from '../../../store/accounts/accounts.ts'
import type { VersionRow } from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomationById, updateAutomationRow } from '../../../store/automations/automations.ts'
import type { TriggerKind } from '../../../store/automations/tables.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import { holdJob, type JobRow } from '../../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { createPorts } from '../ports/create-ports.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'
import { pollTriggerJobKind, scheduleTriggerJobKind } from './trigger-activation.ts'

const sha256 = (text: string): string => crypto().createHash('sha256').update(text).digest('base64url')

/** Interval between two polls of a service. */
const pollInterval = 5 * minute

interface LiveAutomation {
  readonly row: AutomationRow
  readonly version: VersionRow
}

/** Starts the runs of schedules and of polled services. */
export function timedTriggerService(deps: Deps) {
  const { connection, clock, vault } = deps

  /** Returns an enabled automation whose live version has that kind of trigger. */
  async function findLiveAutomation(
    query: AccountQuery,
    id: string,
    kind: TriggerKind,
  ): Promise<LiveAutomation | undefined> {
    const current = await findAutomationById(query, id)
    if (current?.row.status !== 'enabled' || current.live?.trigger_kind !== kind) return undefined
    return { row: current.row, version: current.live }
  }

  return {
    /**
     * Starts the run of a due schedule. Times that passed while no process ran get one run in total; an advanced clock
     * stops at each of them. The schedule of a stopped account waits: the times that passed get one run as well.
     */
    async runSchedule(row: JobRow): Promise<void> {
      const { account_id: account, subject: id, due_at: due } = row
      const runner = await deps.runner()
      const accepted = await connection.write({ account }, async (query) => {
        if (await isStopped(query)) {
          await holdJob(query, row)
          return undefined
        }
        const current = await findLiveAutomation(query, id, 'schedule')
        await unscheduleJob(query, scheduleTriggerJobKind, id)
        const timetable = current && parseTimetable(readDefinition(vault, current.version))
        if (!current || !timetable) return undefined
        const now = await clock.now(query)
        const next = nextTime(timetable, clock.nextScheduleStart(now))
        if (next !== undefined)
          await scheduleJob(query, {
            account,
            kind: scheduleTriggerJobKind,
            subject: id,
            at: next,
          })
        return runner.accept(
          query,
          {
            automation: current.row,
            version: current.version,
            payload: timetable.output,
            testing: false,
            // Stored and compared after a crash: it never changes.
            dedupe: `tick ${due}`,
          },
          now,
        )
      })
      if (accepted) void runner.start(accepted)
    },

    /** Polls a service and starts a run for each new item. */
    async pollAutomation({ account_id: account, subject: id }: JobRow): Promise<void> {
      const before = await findLiveAutomation(accountQuery(connection.read, account), id, 'poll')
      if (!before) return connection.write({ rows: account }, (query) => unscheduleJob(query, pollTriggerJobKind, id))
      const { row, version } = before
      const cursor = row.cursor === null ? undefined : parseJson(row.cursor)
      const pollContext = { ports: createPorts(deps), account: row.account_id, cursor, now: await clock.now() }
      const pollResult = await poll(readDefinition(vault, version), pollContext).catch((error: Error) => {
        deps.log(`automation ${id}: ${error.message}`)
        return { items: [], cursor }
      })
      const runner = await deps.runner()
      const accepted = await connection.write({ account: row.account_id }, async (query) => {
        const current = await findLiveAutomation(query, id, 'poll')
        await unscheduleJob(query, pollTriggerJobKind, id)
        if (!current) return []
        const now = await clock.now(query)
        await scheduleJob(query, {
          account: current.row.account_id,
          kind: pollTriggerJobKind,
          subject: id,
          at: clock.nextPeriodStart(now) + pollInterval,
        })
        // Another version may poll for something else, so these items do not apply to it.
        if (current.version.id !== version.id) return []
        await updateAutomationRow(query, id, {
          cursor: pollResult.cursor === undefined ? null : stringifyJson(pollResult.cursor),
        })
        const runs: AcceptedRun[] = []
        for (const { key, payload } of pollResult.items) {
          const run = await runner.accept(
            query,
            {
              automation: current.row,
              version: current.version,
              payload,
              testing: false,
              // Stored and compared with later polls: it never changes.
              dedupe: `news ${sha256(`${version.id} ${key}`)}`,
            },
            now,
          )
          if (run) runs.push(run)
        }
        return runs
      })
      for (const run of accepted) void runner.start(run)
    },
  }
}
