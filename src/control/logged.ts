import type { Handle } from '../server/app.ts'
import type { RequestLog } from './request-log.ts'

/** Only the platform's own interface: what probes and its owner ask is no news. */
export function logged(handle: Handle, requestLog: RequestLog): Handle {
  return (request) => {
    if (!(request.url.startsWith('/api/') || request.url.startsWith('/automate/')) || !requestLog.takes()) return handle(request)
    const began = performance.now()
    return handle(request).then((answer) => {
      requestLog.keep(request, answer, performance.now() - began)
      return answer
    })
  }
}
