import type { Auth } from '../../contract/endpoint/endpoint.ts'
import { controlHeader } from '../../contract/endpoint/headers.ts'
import type { PlainRequest } from '../../contract/endpoint/http-message.ts'
import { fileFor } from '../../contract/endpoint/uploaded-files.ts'
import { parseJson } from '../../node/json.ts'
import { formFields } from './encode-multipart.ts'
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
    // curl sets the content type of a form, with its boundary.
    if (name !== 'authorization' && name !== controlHeader && !(request.files && name === 'content-type'))
      parts.push(`-H ${quoteForShell(`${headerName(name)}: ${value}`)}`)
  }
  if (request.files) parts.push(...formParts(request))
  else if (request.body !== undefined) parts.push(`--data-raw ${quoteForShell(request.body)}`)
  return parts.join(' \\\n  ')
}

/**
 * Returns the fields of a form. A file is read from the folder in which curl runs. A text is passed with --form-string,
 * because curl would read the file that a text such as "@notes.txt" names.
 */
function formParts({ body = '{}', files = [] }: PlainRequest): string[] {
  return formFields(parseJson(body)).map(([name, value]) => {
    const file = fileFor(value, files)
    return file
      ? `-F ${quoteForShell(`${name}=@"${file.name.replaceAll(/[\\"]/g, '\\$&')}"`)}`
      : `--form-string ${quoteForShell(`${name}=${value}`)}`
  })
}

const headerName = (name: string): string => name.replace(/(^|-)[a-z]/g, (it) => it.toUpperCase())
