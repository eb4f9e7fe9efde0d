import type { CountEvent, CountedEvent } from '../../services/runtime/deps.ts'
import { Histogram } from './histogram.ts'
import type { Metric } from './render-metrics.ts'

const eventMetrics: Readonly<
  Record<
    CountedEvent,
    { readonly name: string; readonly help: string; readonly subject?: string; readonly outcome?: string }
  >
> = {
  job: { name: 'parley_jobs_total', help: 'Scheduled jobs that were run', subject: 'kind', outcome: 'outcome' },
  delivery: { name: 'parley_deliveries_total', help: 'Attempts to send a webhook delivery', outcome: 'outcome' },
  run: { name: 'parley_automation_runs_total', help: 'Automation runs that ended', outcome: 'status' },
  refusal: { name: 'parley_rate_limit_refusals_total', help: 'Requests refused with 429', subject: 'limit' },
}

/** Counters of one server since it started. */
export class ServerMetrics {
  readonly #requests = new Map<string, Map<number, Histogram>>()
  readonly #events = new Map<CountedEvent, Map<string, { readonly labels: Record<string, string>; value: number }>>()
  #inFlight = 0

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

  readonly countEvent: CountEvent = (event, { subject = '', outcome = '' }) => {
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
    count.value++
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
