import type { PlainResponse } from '../../contract/mechanics/http-message.ts'
import type { CountEvent } from '../../services/runtime/deps.ts'
import type { RequestHandler } from '../app.ts'
import type { LogWriter } from './log-writer.ts'
import { observeRequests } from './observe-requests.ts'
import { type Metric, metricsMediaType, renderMetrics } from './render-metrics.ts'
import { ServerMetrics } from './server-metrics.ts'

/** Measures a server. A platform that is not served has none. */
export interface Monitor {
  /** Counts and logs the requests to a handler. */
  observe(handle: RequestHandler): RequestHandler
  readonly countEvent: CountEvent
  /** Returns the counters since the server started. */
  collect(): readonly Metric[]
  /** Returns the page with metrics, in the text format of Prometheus. */
  render(metrics: readonly Metric[]): PlainResponse
}

/** Creates the monitor of a server, which writes a line for each request if there is a log. */
export function createMonitor(log: LogWriter | undefined): Monitor {
  const metrics = new ServerMetrics()
  return {
    observe: (handle) => observeRequests(handle, metrics, log && ((line) => log.request(line))),
    countEvent: metrics.countEvent,
    collect: () => metrics.collect(),
    render: (all) => ({ status: 200, headers: { 'content-type': metricsMediaType }, body: renderMetrics(all) }),
  }
}
