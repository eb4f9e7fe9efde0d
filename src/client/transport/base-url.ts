import { usageFailure } from '../failures/client-failure.ts'

/** Whether a URL's host is this machine: `localhost`, 127.0.0.0/8, `[::1]`. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** What is wrong with plain http to another machine. */
export const plainHttpMessage = (url: URL): string =>
  `${url.origin} uses http, which would send the API key unencrypted.`

/**
 * A base URL as people write it, checked: http or https, plain http only to this machine unless `insecure`.
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

/** How to write an address that has no scheme, or another than http and https. */
function urlHint(text: string): string {
  const hasScheme = text.includes('://')
  const guess = hasScheme || !URL.canParse(`https://${text}`) ? undefined : new URL(`https://${text}`)
  if (!guess?.hostname) return 'Use a URL that starts with https:// or http://.'
  return `Include the scheme, for example ${isLoopback(guess.hostname) ? 'http' : 'https'}://${text}`
}
