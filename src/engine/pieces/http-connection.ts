import { isObject } from '../../contract/values/json-object.ts'
import { texts } from './input-fields.ts'
import { StepFailure } from './step-failure.ts'

/**
 * Secret of a connection of the kind `custom`: where requests go, and headers that each of them has. Users have stored it with the
 * fields `base_url` and `headers`, which never change.
 */
export interface HttpConnection {
  readonly baseUrl: URL
  readonly headers: Readonly<Record<string, string>>
}

/** Returns whether a text is an absolute URL of HTTP or HTTPS. */
export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Returns the connection that a step gives in `auth`; undefined if it is none. @throws StepFailure for an invalid one */
export function readHttpConnection(auth: unknown): HttpConnection | undefined {
  if (!isObject(auth) || !('base_url' in auth)) return undefined
  const headers = texts.safeParse(auth.headers)
  if (typeof auth.base_url !== 'string' || !isWebAddress(auth.base_url) || !headers.success)
    throw new StepFailure('auth: The connection must have a base_url (http or https), and headers with text values.', {
      classification: 'missing_connection',
    })
  return { baseUrl: new URL(auth.base_url), headers: headers.data }
}

/**
 * Returns the URL of a request: a path is below the base URL of the connection.
 * @throws StepFailure for a URL of another origin, which would receive the secrets of the connection
 */
export function resolveUrl(url: string, connection: HttpConnection | undefined): URL {
  const isPath = url.startsWith('/')
  if (!connection) {
    if (!isPath) return new URL(url)
    throw new StepFailure('url must be an http or https address. A path needs a connection with a base_url in auth.')
  }
  const { baseUrl } = connection
  const resolved = isPath ? new URL(baseUrl.origin + baseUrl.pathname.replace(/\/$/, '') + url) : new URL(url)
  if (resolved.origin === baseUrl.origin) return resolved
  throw new StepFailure(`url is on ${resolved.origin}, but the connection in auth is for ${baseUrl.origin}.`)
}
