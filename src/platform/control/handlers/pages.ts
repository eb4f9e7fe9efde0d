import { performance } from 'node:perf_hooks'
import type { PlainResponse } from '../../../contract/endpoint/http-message.ts'
import type { OpenApiExamples } from '../../../contract/openapi/examples.ts'
import { second } from '../../../contract/values/micros.ts'
import type { Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Monitor } from '../../server/monitoring/monitor.ts'
import type { Metric } from '../../server/monitoring/render-metrics.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { Connection, ConnectionStatistics } from '../../store/database/connection.ts'
import { findProblem } from '../../store/database/meta.ts'
import { ifNodesAnswer, publicMessages, type StoreErrorReason } from '../../store/database/store-error.ts'
import { countDueJobs, countOwnLeases } from '../../store/runtime/due-jobs.ts'

/** State of the server of this process. */
export interface ServerState {
  /** Wall time in milliseconds. */
  readonly startedAt: number
  /** Whether the server finishes its work and accepts no more. */
  isDraining: boolean
  /** URL under which it listens; null while it does not. */
  url: string | null
  readonly processUsage?: ProcessUsage | undefined
  /** Creates a code to sign in to the inspector with; undefined without an inspector. */
  readonly createInspectorLogin?: (() => Promise<string>) | undefined
}

/** Returns what the process has used: CPU time in seconds since its start, and memory in bytes. */
export type ProcessUsage = () => { readonly cpuSeconds: number; readonly residentBytes: number }

const json = (body: unknown, status = 200): PlainResponse => ({ status, headers: {}, body: stringifyJson(body) })

/** Milliseconds after which a database without an answer counts as busy. */
const answerTimeoutMs = 5000
/** Milliseconds after which a pooler is asked. A proxy with deploy/haproxy.cfg waits 3 s for an answer. */
const askPoolerMs = 2500

async function within<T>(ms: number, work: Promise<T>): Promise<T | 'busy'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'busy'>((resolve) => {
    timer = realTime.setTimeout(() => resolve('busy'), ms)
  })
  return Promise.race([work, late]).finally(() => realTime.clearTimeout(timer))
}

/** What operators of a pooler whose database is away may read without a key. */
const poolerMessage =
  'The pooler answers, but has no connection to the database. See whether the primary of the database runs, and whether the pooler reaches it.'

/**
 * Returns why requests cannot be answered, and where to look. Behind a pooler, a database that is away looks like one
 * without free connections: statements wait.
 */
async function describeProblem(
  connection: Connection,
): Promise<{ readonly reason: StoreErrorReason; readonly message: string } | undefined> {
  const finding = findProblem(connection)
  const early = await within(askPoolerMs, finding)
  const isUnclear = early === 'busy' || early === 'unreachable'
  if (isUnclear && connection.isPoolerAlone && (await within(askPoolerMs, connection.isPoolerAlone())) === true)
    return { reason: 'unreachable', message: poolerMessage }
  const reason = early === 'busy' ? await within(answerTimeoutMs - askPoolerMs, finding) : early
  return reason && { reason, message: publicMessages[reason] }
}

/**
 * Returns the pages outside the contract: health probes and the two OpenAPI documents. Metrics have their paths without
 * the slash as endpoints, and `isRoutine` of monitor.ts compares them. Load balancers read the status of a probe.
 */
export function probePages(
  { connection }: { readonly connection: Connection },
  version: string,
  vocabulary: Vocabulary | undefined,
  state: ServerState,
): Record<string, () => Promise<PlainResponse>> {
  return {
    '/healthz': async () => json({ status: 'ok', version }),
    '/readyz': async () => {
      if (state.isDraining) return json({ status: 'draining' }, 503)
      const problem = await describeProblem(connection)
      if (problem === undefined) return json({ status: 'ready' })
      return json({ status: 'unavailable', reason: `database_${problem.reason}`, message: problem.message }, 503)
    },
    '/openapi.json': async () => {
      const { createOpenApiDocument } = await import('../../../contract/openapi/openapi-document.ts')
      return json(createOpenApiDocument(version, (await loadExamples()).platform, vocabulary))
    },
    '/control/openapi.json': async () => {
      const { createControlDocument } = await import('../../../contract/openapi/control-document.ts')
      return json(createControlDocument(version, (await loadExamples()).control))
    },
  }
}

async function loadExamples(): Promise<Readonly<Record<'platform' | 'control', OpenApiExamples>>> {
  const { openApiExamplesJson } = await import('../../../generated/openapi-examples.ts')
  return parseJson(openApiExamplesJson)
}

/** What the metrics are read from. */
interface MetricsSource extends Pick<Deps, 'connection' | 'clock' | 'owner' | 'wall'> {
  readonly version: string
  readonly state: ServerState
  readonly monitor: Pick<Monitor, 'collect' | 'render'>
}

const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  help,
  type: 'gauge',
  samples,
})

/**
 * Returns the page with the metrics of this server and of the jobs in its database. Monitoring finds them by name and label: they
 * are added, not renamed.
 */
export async function metricsPage(source: MetricsSource): Promise<PlainResponse> {
  const { monitor, connection } = source
  const problem = await within(answerTimeoutMs, findProblem(connection))
  return monitor.render([
    ...aboutServer(source),
    ...monitor.collect(),
    gauge('parley_database_ready', '1 while the database answers and can be written, otherwise 0', [
      { value: problem === undefined ? 1 : 0 },
    ]),
    ...aboutDatabase(source),
    // Without its database, a server still says what it knows itself: monitoring must not take it for dead.
    ...(problem === undefined ? await within(answerTimeoutMs, aboutJobs(source)).then(orNone, () => []) : []),
  ])
}

const orNone = (metrics: readonly Metric[] | 'busy'): readonly Metric[] => (metrics === 'busy' ? [] : metrics)

function aboutServer({ version, state }: MetricsSource): Metric[] {
  const { utilization, active } = performance.eventLoopUtilization()
  return [
    gauge('parley_build_info', 'Version of this server', [{ labels: { version }, value: 1 }]),
    gauge('parley_ready', '1 while the server accepts work, 0 while it drains', [{ value: state.isDraining ? 0 : 1 }]),
    gauge('parley_start_time_seconds', 'Unix time at which the server started', [{ value: state.startedAt / 1000 }]),
    gauge(
      'parley_event_loop_utilization',
      'Part of the time since the start in which the process was busy, from 0 to 1',
      [{ value: utilization }],
    ),
    {
      name: 'parley_event_loop_busy_seconds_total',
      help: 'Time in which the process was busy; its rate is the load of the present',
      type: 'counter',
      samples: [{ value: active / 1000 }],
    },
    ...processMetrics(state),
  ]
}

function processMetrics({ processUsage }: ServerState): Metric[] {
  if (!processUsage) return []
  const { cpuSeconds, residentBytes } = processUsage()
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time of the process',
      type: 'counter',
      samples: [{ value: cpuSeconds }],
    },
    gauge('process_resident_memory_bytes', 'Memory of the process', [{ value: residentBytes }]),
  ]
}

function aboutDatabase({ connection }: MetricsSource): Metric[] {
  const statistics = connection.statistics?.()
  if (!statistics) return []
  const { committed, rolledBack, repeated } = statistics.transactions
  return [
    {
      name: 'parley_database_transactions_total',
      help: 'COMMITs, rollbacks and repeated transactions',
      type: 'counter',
      samples: [
        { labels: { outcome: 'committed' }, value: committed },
        { labels: { outcome: 'rolled_back' }, value: rolledBack },
        { labels: { outcome: 'repeated' }, value: repeated },
      ],
    },
    ...aboutPool(statistics.pool),
  ]
}

function aboutPool(pool: ConnectionStatistics['pool']): Metric[] {
  if (!pool) return []
  return [
    gauge('parley_database_connections', 'Connections for transactions, and those for reads', [
      { labels: { pool: 'transactions', state: 'used' }, value: pool.transactions.used },
      { labels: { pool: 'transactions', state: 'max' }, value: pool.transactions.max },
      { labels: { pool: 'reads', state: 'open' }, value: pool.reads.open },
      { labels: { pool: 'reads', state: 'max' }, value: pool.reads.max },
    ]),
    gauge('parley_database_waiting', 'Transactions that wait for a connection, and reads without an answer', [
      { labels: { pool: 'transactions' }, value: pool.transactions.waiting },
      { labels: { pool: 'reads' }, value: pool.reads.outstanding },
    ]),
  ]
}

/** Jobs are those of the database; leases those of this server. Both are missing while a node of the database does not answer. */
async function aboutJobs({ connection, clock, owner, wall }: MetricsSource): Promise<Metric[]> {
  const now = await clock.now()
  const found = await ifNodesAnswer(
    Promise.all([countDueJobs(connection.read, now, wall()), countOwnLeases(connection.read, owner, now, wall())]),
  )
  const isComplete = gauge('parley_database_complete', '1 if every node of the database answers, 0 if one does not', [
    { value: found ? 1 : 0 },
  ])
  if (!found) return [isComplete]
  const [kinds, leases] = found
  const oldest = Math.min(now, ...kinds.map((it) => it.oldest))
  return [
    isComplete,
    gauge(
      'parley_jobs_due',
      'Jobs of the database that are due, with those in progress',
      kinds.map(({ kind, due }) => ({ labels: { kind }, value: due })),
    ),
    gauge(
      'parley_jobs_leased',
      'Jobs of the database that are due and leased by a server',
      kinds.map(({ kind, leased }) => ({ labels: { kind }, value: leased })),
    ),
    gauge('parley_jobs_oldest_due_seconds', 'Platform time since the oldest job was due', [
      { value: (now - oldest) / second },
    ]),
    gauge('parley_leases', 'Due jobs that this server leases', [{ value: leases }]),
  ]
}
