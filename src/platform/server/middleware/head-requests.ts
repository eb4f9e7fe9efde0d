import type { RequestHandler } from '../app.ts'

/**
 * Handles HEAD like GET without the body. `Content-Length` is the length of the omitted body (RFC 9110, section 9.3.2).
 */
export const withHeadRequests =
  (handle: RequestHandler): RequestHandler =>
  async (request) => {
    if (request.method !== 'HEAD') return handle(request)
    const { body, headers, ...rest } = await handle({ ...request, method: 'GET' })
    return { ...rest, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body: '' }
  }
