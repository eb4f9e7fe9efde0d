import type { IncomingMessage } from 'node:http'

/** Headers of every response: only the files of the inspector run, and no other page may embed it or read it. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Who may use an inspector. */
export interface PageAccess {
  /** Address and port of the listener, as in its URL: `127.0.0.1:4010`. */
  readonly address: () => string
  /** Whether other machines may use it, and proxies may pass requests on. */
  readonly isPublic: boolean
}

/**
 * Returns why a request is refused: another host name (DNS rebinding), or another page that sends it. `isPage` is
 * whether it may be opened from a link. Undefined if it is allowed.
 */
export function findRefusal(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { address, isPublic }: PageAccess,
  isPage: boolean,
): string | undefined {
  const host = headers.host?.toLowerCase() ?? ''
  const port = address().split(':').at(-1) ?? ''
  const own = ['localhost', '127.0.0.1', '[::1]'].map((it) => `${it}:${port}`)
  if (!isPublic && ![...own, address()].includes(host)) return 'This host name is not allowed.'
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': target } = headers
  if (target !== undefined && /^(i?frame|embed|object)$/.test(String(target)))
    return 'The inspector cannot be embedded in another page.'
  if (isPage && headers['sec-fetch-mode'] === 'navigate') return undefined
  const scheme = isPublic && headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  if (origin !== undefined && origin !== `${scheme}://${host}`) return 'Another web page sent this request.'
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'Another web page sent this request.'
  return undefined
}

/** Returns the value of a cookie. */
export const cookieOf = ({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined =>
  headers.cookie
    ?.split(';')
    .map((it) => it.trim())
    .find((it) => it.startsWith(`${name}=`))
    ?.slice(name.length + 1)
