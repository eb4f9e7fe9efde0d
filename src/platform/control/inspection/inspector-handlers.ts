import { inspector } from '../../../contract/control/inspector.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import type { Output } from '../../../contract/mechanics/endpoint.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type Activity, countByHour, listNextCharges, listScheduledJobs } from '../../store/runtime/activity.ts'
import { listFaults } from '../../store/runtime/fault-rules.ts'
import type { ServerState } from '../handlers/server-state.ts'
import { describeJobs } from './describe-jobs.ts'
import { listTimeline } from './list-timeline.ts'
import { countRequestsByHour } from './search-requests.ts'

type Overview = Output<typeof inspector.overview>

const hours = 24
const hourMicros = 3600 * 1_000_000
const maxCharges = 8

const activities: readonly Activity[] = ['messages', 'calls', 'runs', 'deliveries']

const withTotal = (hourly: readonly number[]) => ({
  total: hourly.reduce((sum, it) => sum + it, 0),
  hourly: [...hourly],
})

/** Returns the activity of the last 24 hours, the next charges and what needs attention. */
async function readOverview(
  { connection, clock, dataDir }: Pick<Deps, 'connection' | 'clock'> & { readonly dataDir: string },
  account: number | undefined,
): Promise<Overview> {
  const { read } = connection
  const now = await clock.now()
  const since = now - hours * hourMicros + 1
  const failed = Array.from({ length: hours }, () => 0)
  const counts: Record<string, ReturnType<typeof withTotal>> = {}
  const requests = countRequestsByHour(dataDir, since, hours, account)
  counts.requests = withTotal(requests.counts)
  for (const [n, count] of requests.failed.entries()) failed[n] = (failed[n] ?? 0) + count
  for (const activity of activities) {
    const hourly = Array.from({ length: hours }, () => 0)
    for (const bucket of await countByHour(read, activity, since, account)) {
      // The clock may have been turned back: later rows count in the last hour.
      const n = Math.min(bucket.hour, hours - 1)
      hourly[n] = (hourly[n] ?? 0) + bucket.count
      failed[n] = (failed[n] ?? 0) + bucket.failed
    }
    counts[activity] = withTotal(hourly)
  }
  counts.failed = withTotal(failed)
  return {
    since: toIsoMicros(since),
    counts,
    next_charges: (await listNextCharges(read, account, maxCharges)).map((charge) => ({
      at: toIsoMicros(charge.at),
      amount: fromMillionths(charge.price),
      text: charge.phone_number,
      subject: { noun: 'number', id: String(charge.id) },
    })),
    attention: await findProblems({ connection, clock }),
  }
}

/** Returns settings of the platform that make it behave in an unusual way. */
async function findProblems({ connection, clock }: Pick<Deps, 'connection' | 'clock'>): Promise<Overview['attention']> {
  const faults = await listFaults(connection.read)
  const { frozen } = await clock.read()
  return [
    ...(faults.length > 0
      ? [
          {
            code: 'faults',
            severity: 'warning' as const,
            text: `Fault rules are active: ${faults.length}. Requests fail on purpose.`,
            command: 'parley server faults clear',
          },
        ]
      : []),
    ...(frozen
      ? [
          {
            code: 'clock',
            severity: 'warning' as const,
            text: 'The clock is frozen. Scheduled jobs wait.',
            command: 'parley server clock resume',
          },
        ]
      : []),
  ]
}

/** Dependencies of the handlers of the inspector. */
interface InspectorDeps extends Pick<Deps, 'connection' | 'clock'> {
  readonly dataDir: string
  readonly state: Pick<ServerState, 'createInspectorLogin'>
}

/** Returns the endpoints of the resource with their handlers. */
export const inspectorResource = (deps: InspectorDeps): LoadedResource =>
  loadedResource(inspector, inspectorHandlers(deps))

/** Creates the handlers of the control API for the inspector. */
export const inspectorHandlers = (deps: InspectorDeps): HandlersOf<typeof inspector> => ({
  async login() {
    const code = await deps.state.createInspectorLogin?.()
    if (code === undefined) throw new Failure('inspector.unavailable')
    return { code, path: `/_parley/login?code=${code}`, expires_in: 300 }
  },
  timeline: (filters) => listTimeline(deps, filters),
  async due({ limit }) {
    const { read } = deps.connection
    const rows = await listScheduledJobs(read, limit + 1)
    const next = rows[limit]
    const texts = await describeJobs(read, rows)
    return {
      data: rows.slice(0, limit).map((row, n) => ({
        kind: row.kind,
        subject: row.subject,
        text: texts[n] as string,
        account: Number(row.account_id),
        due_at: toIsoMicros(Number(row.due_at)),
        attempts: Number(row.attempts),
      })),
      next: next ? toIsoMicros(Number(next.due_at)) : null,
    }
  },
  overview: ({ account }) => readOverview(deps, account),
})
