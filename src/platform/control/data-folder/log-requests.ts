import { realTime } from '../../../node/real-time.ts'
import type { RequestHandler } from '../../server/app.ts'
import type { RequestLog } from './request-log.ts'

/** Logs requests to the platform's API. Probes, control requests and what the inspector reads are not logged. */
export function withRequestLog(handle: RequestHandler, requestLog: RequestLog): RequestHandler {
  return (request) => {
    if (!(request.url.startsWith('/api/') || request.url.startsWith('/automate/')) || !requestLog.hasRoom())
      return handle(request)
    if (request.inspector && request.method === 'GET') return handle(request)
    // The account is stored here when the key was checked. A server without a monitor has no context yet.
    request.context ??= {
      endpoint: undefined,
      account: undefined,
      traceId: undefined,
      startedAt: realTime.monotonicMs(),
    }
    const began = request.context.startedAt
    return handle(request).then((answer) => {
      requestLog.record(request, answer, realTime.monotonicMs() - began)
      return answer
    })
  }
}
