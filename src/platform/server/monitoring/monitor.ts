import { requestIdHeader } from '../../../contract/endpoint/headers.ts'
import type { PlainResponse, RequestContext } from '../../../contract/endpoint/http-message.ts'
import { realTime } from '../../../node/real-time.ts'
import type { MeasureWork, Tracer } from '../../../node/spans.ts'
import { childTrace, type Trace, traceIdOf, withTrace } from '../../../node/trace.ts'
import type { CountEvent, CountedEvent } from '../../services/runtime/deps.ts'
import { databaseFailureReasons } from '../../services/runtime/error-responses.ts'
import type { RequestHandler } from '../app.ts'
import type { LogWriter, RequestLine } from './log-writer.ts'
import { type Metric, type MetricSample, metricsMediaType, renderMetrics } from './render-metrics.ts'

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** Parses a `traceparent` header. Returns undefined if it is missing or invalid, which the standard says to ignore. */
function parseTraceparent(header: string | undefined): Trace | undefined {
  const [, traceId, span, flags] = header === undefined ? [] : (traceparent.exec(header) ?? [])
  return traceId === undefined ? undefined : `00-${traceId}-${span}-${flags}`
}

/** Whether a request comes from a load balancer or from monitoring, which ask every second. */
const isRoutine = (endpoint: string, status: number): boolean =>
  endpoint === 'healthz' || endpoint === 'readyz' || (endpoint === 'metrics' && status < 400)

/** Counts and logs the requests to a handler, and continues their traces. */
function observeRequests(
  handle: RequestHandler,
  metrics: ServerMetrics,
  logRequest: ((line: RequestLine) => void) | undefined,
  tracer: Tracer | undefined,
): RequestHandler {
  return (request) => {
    const parent = parseTraceparent(request.headers.traceparent)
    const span = tracer?.start('server', parent)
    const trace = span?.trace ?? (parent && childTrace(parent))
    const startedAt = realTime.monotonicMs()
    const context: RequestContext = {
      endpoint: undefined,
      account: undefined,
      traceId: trace && traceIdOf(trace),
      startedAt,
    }
    // Assigned, because a copy of the request takes longer than all of the rest.
    request.context = context
    metrics.requestStarted()

    function ended(status: number, requestId: string | undefined): void {
      const ms = realTime.monotonicMs() - startedAt
      const { endpoint = 'none', account } = context
      metrics.requestEnded(endpoint, status, ms / 1000)
      if (isRoutine(endpoint, status)) return
      const { method, url: path } = request
      span?.end({
        name: endpoint,
        attributes: {
          'http.request.method': method,
          'http.response.status_code': status,
          'parley.account.id': account,
          'parley.request.id': requestId,
        },
        hasFailed: status >= 500,
      })
      logRequest?.({ method, path, endpoint, status, ms, account, request_id: requestId, trace_id: context.traceId })
    }

    function answered(answer: PlainResponse): PlainResponse {
      ended(answer.status, answer.headers[requestIdHeader])
      return trace ? { ...answer, headers: { ...answer.headers, traceresponse: trace } } : answer
    }

    return withTrace(trace, () => handle(request)).then(answered, (error) => {
      ended(500, undefined)
      throw error
    })
  }
}

/** Upper bounds in seconds, from a cached read to a request that waits for a language model. */
const latencyBounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counts durations in buckets. */
class Histogram {
  readonly #counts = new Uint32Array(latencyBounds.length + 1)
  #sum = 0
  #total = 0

  get total(): number {
    return this.#total
  }

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < latencyBounds.length && seconds > (latencyBounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += seconds
    this.#total++
  }

  /** Returns the cumulative buckets, the sum and the count. */
  samples(labels: Readonly<Record<string, string | number>>): MetricSample[] {
    let cumulative = 0
    const buckets = [...latencyBounds, '+Inf' as const].map((bound, n) => {
      cumulative += this.#counts[n] as number
      return { suffix: '_bucket', labels: { ...labels, le: bound }, value: cumulative }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: this.#total }]
  }
}

/** Metrics of events. Dashboards and alerts of operators have the names and labels: they never change. */
const eventMetrics: Readonly<
  Record<
    CountedEvent,
    {
      readonly name: string
      readonly help: string
      readonly subject?: string
      readonly outcome?: string
      /** Subjects that are 0 from the start. Without them, an alert on an increase would miss the first event. */
      readonly subjects?: readonly string[]
    }
  >
> = {
  job: { name: 'parley_jobs_total', help: 'Scheduled jobs that were run', subject: 'kind', outcome: 'outcome' },
  delivery: { name: 'parley_deliveries_total', help: 'Attempts to send a webhook delivery', outcome: 'outcome' },
  run: { name: 'parley_automation_runs_total', help: 'Automation runs that ended', outcome: 'status' },
  refusal: { name: 'parley_rate_limit_refusals_total', help: 'Requests refused with 429', subject: 'limit' },
  databaseFailure: {
    name: 'parley_database_failures_total',
    help: 'Requests that failed because of the database, such as a full disk',
    subject: 'reason',
    subjects: databaseFailureReasons,
  },
  span: {
    name: 'parley_trace_spans_total',
    help: 'Spans of traces that were exported, or dropped because the receiver does not take them',
    outcome: 'outcome',
  },
}

/** Counters of one server since it started. */
class ServerMetrics {
  readonly #requests = new Map<string, Map<number, Histogram>>()
  readonly #events = new Map<CountedEvent, Map<string, { readonly labels: Record<string, string>; value: number }>>()
  #inFlight = 0

  constructor() {
    for (const [event, { subjects = [] }] of Object.entries(eventMetrics))
      for (const subject of subjects) this.countEvent(event as CountedEvent, { subject, by: 0 })
  }

  requestStarted(): void {
    this.#inFlight++
  }

  requestEnded(endpoint: string, status: number, seconds: number): void {
    this.#inFlight--
    let statuses = this.#requests.get(endpoint)
    if (!statuses) this.#requests.set(endpoint, (statuses = new Map()))
    let histogram = statuses.get(status)
    if (!histogram) statuses.set(status, (histogram = new Histogram()))
    histogram.observe(seconds)
  }

  readonly countEvent: CountEvent = (event, { subject = '', outcome = '', by = 1 }) => {
    let counts = this.#events.get(event)
    if (!counts) this.#events.set(event, (counts = new Map()))
    const key = `${subject} ${outcome}`
    let count = counts.get(key)
    if (!count) {
      const names = eventMetrics[event]
      const labels = {
        ...(names.subject && { [names.subject]: subject }),
        ...(names.outcome && { [names.outcome]: outcome }),
      }
      counts.set(key, (count = { labels, value: 0 }))
    }
    count.value += by
  }

  /** Returns all counters. */
  collect(): Metric[] {
    const measured = [...this.#requests].flatMap(([endpoint, statuses]) =>
      [...statuses].map(([status, histogram]) => ({ labels: { endpoint, status }, histogram })),
    )
    return [
      {
        name: 'parley_http_requests_total',
        help: 'Requests that were answered',
        type: 'counter',
        samples: measured.map(({ labels, histogram }) => ({ labels, value: histogram.total })),
      },
      {
        name: 'parley_http_request_duration_seconds',
        help: 'Time from a request to its answer',
        type: 'histogram',
        samples: measured.flatMap(({ labels, histogram }) => histogram.samples(labels)),
      },
      {
        name: 'parley_http_requests_in_flight',
        help: 'Requests that are being processed',
        type: 'gauge',
        samples: [{ value: this.#inFlight }],
      },
      ...Object.entries(eventMetrics).map(([event, { name, help }]) => ({
        name,
        help,
        type: 'counter' as const,
        samples: [...(this.#events.get(event as CountedEvent)?.values() ?? [])],
      })),
    ]
  }
}

/** Measures a server. A platform that is not served has none. */
export interface Monitor {
  /** Counts and logs the requests to a handler. */
  observe(handle: RequestHandler): RequestHandler
  readonly countEvent: CountEvent
  /** Records work in traces, if they are exported. */
  readonly measure: MeasureWork | undefined
  /** Returns the counters since the server started. */
  collect(): readonly Metric[]
  /** Returns the page with metrics, in the text format of Prometheus. */
  render(metrics: readonly Metric[]): PlainResponse
}

/** Creates the monitor of a server, which writes a line for each request if there is a log, and traces it with `openTracer`. */
export function createMonitor(log: LogWriter | undefined, openTracer?: (countEvent: CountEvent) => Tracer): Monitor {
  const metrics = new ServerMetrics()
  const tracer = openTracer?.(metrics.countEvent)
  return {
    observe: (handle) => observeRequests(handle, metrics, log && ((line) => log.request(line)), tracer),
    countEvent: metrics.countEvent,
    measure: tracer?.measure,
    collect: () => metrics.collect(),
    render: (all) => ({ status: 200, headers: { 'content-type': metricsMediaType }, body: renderMetrics(all) }),
  }
}
