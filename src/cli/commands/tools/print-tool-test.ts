import { isObject } from '../../../contract/values/json-object.ts'
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
  const shown = isUnmasked ? tested : masked(tested)
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
  if (result) lines.push(`The assistant receives: ${JSON.stringify(result).slice(0, maxShown)}`)
  for (const line of lines) await out.line(safeText(line))
  if (error !== null && !response) await context.notes.warn(error)
}

/** Masks credentials in the URL, headers and body of the request. The response is not changed. */
function masked(tested: ToolTest): ToolTest {
  if (!tested.request) return tested
  const { url, headers, body } = tested.request
  const { endpoint, headers: pairs } = maskToolCredentials({
    endpoint: url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  })
  return {
    ...tested,
    request: {
      ...tested.request,
      url: endpoint,
      headers: Object.fromEntries(pairs.map(({ name, value }) => [name, value])),
      body: body === null ? null : maskedBody(body),
    },
  }
}

function maskedBody(body: string): string {
  try {
    const fields: unknown = JSON.parse(body)
    if (isObject(fields)) return JSON.stringify(redactSecrets(fields))
  } catch {
    // A form.
  }
  return String(redactSecrets(`?${body}`)).slice(1)
}
