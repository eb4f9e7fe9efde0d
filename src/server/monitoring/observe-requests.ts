import type { PlainResponse, RequestContext } from '../../contract/mechanics/http-message.ts'
import type { RequestHandler } from '../app.ts'
import type { RequestLine } from './log-writer.ts'
import type { ServerMetrics } from './server-metrics.ts'
import { parseTraceparent } from './trace-context.ts'

/** Requests of load balancers and monitoring. They are logged only when they fail. */
const isProbe = (endpoint: string): boolean => endpoint === 'healthz' || endpoint === 'readyz' || endpoint === 'metrics'

/** Counts and logs the requests to a handler, and continues their traces. */
export function observeRequests(
  handle: RequestHandler,
  metrics: ServerMetrics,
  logRequest: ((line: RequestLine) => void) | undefined,
): RequestHandler {
  return (request) => {
    const trace = parseTraceparent(request.headers.traceparent)
    const context: RequestContext = { traceId: trace?.traceId }
    const startedAt = performance.now()
    metrics.requestStarted()

    function ended(status: number, requestId: string | undefined): void {
      const ms = performance.now() - startedAt
      const { endpoint = 'none', account } = context
      metrics.requestEnded(endpoint, status, ms / 1000)
      if (!logRequest || (isProbe(endpoint) && status < 400)) return
      const { method, url: path } = request
      logRequest({ method, path, endpoint, status, ms, account, request_id: requestId, trace_id: context.traceId })
    }

    function answered(answer: PlainResponse): PlainResponse {
      ended(answer.status, answer.headers['x-request-id'])
      return trace ? { ...answer, headers: { ...answer.headers, traceresponse: trace.response } } : answer
    }

    return handle({ ...request, context }).then(answered, (error) => {
      ended(500, undefined)
      throw error
    })
  }
}
