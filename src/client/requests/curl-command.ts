import type { Auth } from '../../contract/mechanics/endpoint.ts'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'

/**
 * A request as a curl command for a POSIX shell. Credentials stand in it as `$PARLEY_API_KEY` and `$PARLEY_CONTROL_TOKEN`, never themselves;
 * a platform without a socket stands as `$PARLEY_BASE_URL`.
 */
export function toCurl(base: string, request: PlainRequest, auth: Auth = 'key'): string {
  const address = /^https?:/.test(base) ? quote(base + request.url) : `"$PARLEY_BASE_URL"${quote(request.url)}`
  const parts = [`curl -X ${request.method} ${address}`]
  if (auth === 'key') parts.push('-H "Authorization: Bearer $PARLEY_API_KEY"')
  if (auth === 'control') parts.push('-H "Parley-Control: $PARLEY_CONTROL_TOKEN"')
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'authorization' && name !== 'parley-control')
      parts.push(`-H ${quote(`${headerName(name)}: ${value}`)}`)
  }
  if (request.body !== undefined) parts.push(`--data-raw ${quote(request.body)}`)
  return parts.join(' \\\n  ')
}

/** Single quotes keep everything as it is; a single quote itself leaves them for a moment. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const headerName = (name: string): string => name.replace(/(^|-)[a-z]/g, (it) => it.toUpperCase())
