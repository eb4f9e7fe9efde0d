import type { PlainResponse, RequestContext } from '../../contract/mechanics/http-message.ts'
import { realTime } from '../../node/real-time.ts'
import { withTrace } from '../../node/trace.ts'
import type { RequestHandler } from '../app.ts'
import type { RequestLine } from './log-writer.ts'
import type { ServerMetrics } from './server-metrics.ts'
import { parseTraceparent } from './trace-context.ts'

/** Whether a request comes from a load balancer or from monitoring, which ask every second. */
const isRoutine = (endpoint: string, status: number): boolean =>
  endpoint === 'healthz' || endpoint === 'readyz' || (endpoint === 'metrics' && status < 400)

/** Counts and logs the requests to a handler, and continues their traces. */
export function observeRequests(
  handle: RequestHandler,
  metrics: ServerMetrics,
  logRequest: ((line: RequestLine) => void) | undefined,
): RequestHandler {
  return (request) => {
    const trace = parseTraceparent(request.headers.traceparent)
    const startedAt = realTime.monotonicMs()
    const context: RequestContext = {
      endpoint: undefined,
      account: undefined,
      traceId: trace?.traceId,
      startedAt,
    }
    // Assigned, because a copy of the request takes longer than all of the rest.
    request.context = context
    metrics.requestStarted()

    function ended(status: number, requestId: string | undefined): void {
      const ms = realTime.monotonicMs() - startedAt
      const { endpoint = 'none', account } = context
      metrics.requestEnded(endpoint, status, ms / 1000)
      if (!logRequest || isRoutine(endpoint, status)) return
      const { method, url: path } = request
      logRequest({ method, path, endpoint, status, ms, account, request_id: requestId, trace_id: context.traceId })
    }

    function answered(answer: PlainResponse): PlainResponse {
      ended(answer.status, answer.headers['x-request-id'])
      return trace ? { ...answer, headers: { ...answer.headers, traceresponse: trace.response } } : answer
    }

    return withTrace(trace?.parent, () => handle(request)).then(answered, (error) => {
      ended(500, undefined)
      throw error
    })
  }
}
