import { usageFailure } from '../failures/client-failure.ts'

/**
 * Returns whether a host name is this machine: `localhost`, 127.0.0.0/8, `[::1]`. platform-address.ts has one for base URLs,
 * for which 0.0.0.0 is this machine, too.
 */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** Returns the message about unencrypted http to another machine. */
export const plainHttpMessage = (url: URL): string =>
  `${url.origin} uses http, which would send the API key unencrypted.`

/**
 * Parses and checks a base URL: http or https, and http to another machine only with `insecure`.
 * @throws ClientFailure `usage`
 */
export function parseBaseUrl(text: string, insecure = false): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw usageFailure(
      'invalid_base_url',
      `Invalid URL "${text}". ${urlHint(text)}`,
      'For example https://host or https://host/prefix; "embedded:" is the local platform.',
    )
  if (url.username || url.password)
    throw usageFailure(
      'invalid_base_url',
      'A base URL must not contain a user name or password.',
      'Store the API key in a profile: parley login.',
    )
  if (url.search || url.hash)
    throw usageFailure(
      'invalid_base_url',
      'A base URL must not contain a query or fragment.',
      `Use ${url.origin}${url.pathname}.`,
    )
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    throw usageFailure('insecure_base_url', plainHttpMessage(url), 'Use https, or pass --insecure.')
  return url
}

/** Returns a hint for a URL without a scheme, or with one other than http and https. */
function urlHint(text: string): string {
  const hasScheme = text.includes('://')
  const guess = hasScheme || !URL.canParse(`https://${text}`) ? undefined : new URL(`https://${text}`)
  if (!guess?.hostname) return 'Use a URL that starts with https:// or http://.'
  return `Include the scheme, for example ${isLoopback(guess.hostname) ? 'http' : 'https'}://${text}`
}
