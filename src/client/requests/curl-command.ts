import type { Auth } from '../../contract/mechanics/endpoint.ts'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import { quoteForShell } from './shell-quote.ts'

/**
 * Returns a request as a curl command for a POSIX shell. Credentials are replaced by `$PARLEY_API_KEY` and
 * `$PARLEY_CONTROL_TOKEN`, and the base URL of a platform without a socket by `$PARLEY_BASE_URL`.
 */
export function toCurl(base: string, request: PlainRequest, auth: Auth = 'key'): string {
  const address = /^https?:/.test(base)
    ? quoteForShell(base + request.url)
    : `"$PARLEY_BASE_URL"${quoteForShell(request.url)}`
  const parts = [`curl -X ${request.method} ${address}`]
  if (auth === 'key') parts.push('-H "Authorization: Bearer $PARLEY_API_KEY"')
  if (auth === 'control') parts.push('-H "Parley-Control: $PARLEY_CONTROL_TOKEN"')
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'authorization' && name !== 'parley-control')
      parts.push(`-H ${quoteForShell(`${headerName(name)}: ${value}`)}`)
  }
  if (request.body !== undefined) parts.push(`--data-raw ${quoteForShell(request.body)}`)
  return parts.join(' \\\n  ')
}

const headerName = (name: string): string => name.replace(/(^|-)[a-z]/g, (it) => it.toUpperCase())
