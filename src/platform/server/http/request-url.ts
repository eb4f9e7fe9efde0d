import type { PlainRequest } from '../../../contract/mechanics/http-message.ts'

/** Returns the origin of a request: the public URL of the server if it has one. A proxy with TLS sets the scheme header. */
export function originOf({ headers, origin }: PlainRequest): string {
  if (origin !== undefined) return origin
  return headers.host === undefined
    ? ''
    : `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers.host}`
}

/** Returns the path of a URL, and its query without the question mark if it has one. */
export function splitUrl(url: string): [string, string | undefined] {
  const at = url.indexOf('?')
  return at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)]
}
