import { isObject } from '../../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../context.ts'
import { redactSecrets } from '../../secrets/masked-values.ts'
import { maskToolCredentials } from '../../secrets/tool-credentials.ts'
import { safeText } from '../../terminal/safe-text.ts'
import { type ToolTest, toolTestView } from './tool-test.ts'

/** Longest response that is printed for people, in characters. */
const maxShown = 2000

/** Prints a test of a tool: for people as request, response and result; for programs as one record. */
export async function printToolTest(context: Context, tested: ToolTest, isUnmasked: boolean): Promise<void> {
  const { out } = context
  const shown = isUnmasked ? tested : await masked(tested)
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(shown, { view: toolTestView as never })
  const { request, response, result, error } = shown
  const lines: string[] = []
  if (request) {
    lines.push(`${request.method} ${request.url}`)
    for (const [name, value] of Object.entries(request.headers)) lines.push(`  ${name}: ${value}`)
    if (request.body !== null) lines.push(`  ${request.body}`)
  }
  if (response) {
    lines.push(`Status ${response.status} after ${response.duration_ms} ms`)
    if (response.body !== '')
      lines.push(
        `  ${response.body.slice(0, maxShown)}${response.body.length > maxShown ? '... (use --json for all of it)' : ''}`,
      )
  }
  if (result) lines.push(`The assistant receives: ${stringifyJson(result).slice(0, maxShown)}`)
  for (const line of lines) await out.line(safeText(line))
  if (error !== null && !response) await context.notes.warn(error)
}

/** Masks credentials in the URL, headers and body of the request, also where the response repeats them. */
async function masked(tested: ToolTest): Promise<ToolTest> {
  if (!tested.request) return tested
  const { findSecretsIn, hideSecrets, hideSecretsIn } = await import('../../../flow/definition/secrets.ts')
  const { url, headers, body } = tested.request
  const { endpoint, headers: pairs } = maskToolCredentials({
    endpoint: url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  })
  const secrets = [
    ...repeatedCredentials(headers, pairs),
    ...findSecretsIn([url, body, ...Object.entries(headers).map(([name, value]) => ({ name, value }))]),
  ]
  return {
    ...tested,
    ...(tested.response && {
      response: { ...tested.response, body: hideSecrets(tested.response.body, secrets) },
    }),
    result: tested.result && (hideSecretsIn(tested.result, secrets) as ToolTest['result']),
    request: {
      ...tested.request,
      url: endpoint,
      headers: Object.fromEntries(pairs.map(({ name, value }) => [name, value])),
      body: body === null ? null : maskedBody(body),
    },
  }
}

/** Returns the values of masked headers, and their parts such as the token after "Bearer". */
function repeatedCredentials(
  headers: Readonly<Record<string, string>>,
  shown: readonly { readonly name: string; readonly value: string }[],
): string[] {
  const values = shown.flatMap(({ name, value }) => (headers[name] === value ? [] : (headers[name] ?? [])))
  return values.flatMap((it) => [it, ...it.split(/\s+/)]).filter((it) => !/^(bearer|basic|digest|apikey)$/i.test(it))
}

function maskedBody(body: string): string {
  try {
    const fields: unknown = parseJson(body)
    if (isObject(fields)) return stringifyJson(redactSecrets(fields))
  } catch {
    // A form.
  }
  return String(redactSecrets(`?${body}`)).slice(1)
}
