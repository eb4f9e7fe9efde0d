import { TransportError } from '../../../client/transport/transport.ts'
import type { Tool } from '../../../contract/resources/tools.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import type { View } from '../../output/form.ts'

interface ToolRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly timeout_ms: number
}

/** The request of a tool, its response, and the result for the assistant. */
export interface ToolTest {
  readonly tool: { readonly id: number; readonly name: string }
  /** Null if it cannot be built from the parameters. */
  readonly request: ToolRequest | null
  /** Null if nothing was sent or no response arrived. */
  readonly response: { readonly status: number; readonly duration_ms: number; readonly body: string } | null
  /** The result that the assistant receives; null if nothing was sent. */
  readonly result: Readonly<Record<string, unknown>> | null
  /** The error that the assistant receives; null otherwise. */
  readonly error: string | null
}

export const toolTestView: View<ToolTest> = { id: (it) => it.tool.id, columns: [], empty: '' }

/**
 * Builds the request of a tool as the platform does (section 2.2). Without a required parameter there is no request, and
 * the result is an error. @throws ClientFailure `usage` for a tool without a URL
 */
export async function buildTestRequest(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, unknown>>,
): Promise<ToolTest> {
  if (tool.type === 'automation' && !URL.canParse(tool.endpoint))
    throw usageError(
      `The tool "${tool.name}" runs an automation and has no URL.`,
      'Test the automation: parley automate test <id>.',
    )
  const { buildToolRequest, parseArguments } = await import('../../../services/functions/tool-request.ts')
  const base = { tool: { id: tool.id, name: tool.name }, response: null, result: null, error: null }
  const isAutomation = tool.type === 'automation'
  try {
    const { method, url, headers, body, timeout } = buildToolRequest(
      {
        ...tool,
        // A tool with an automation does not choose the method and the body format (section 4.2).
        ...(isAutomation && { method: 'POST', body_format: 'json' }),
        headers: stringifyJson(tool.headers),
        static_fields: stringifyJson(tool.static_fields),
      },
      parseArguments(tool.schema, given),
      variables,
    )
    const text = body === undefined ? null : String(body)
    return { ...base, request: { method, url, headers, body: text, timeout_ms: timeout } }
  } catch (error) {
    const { name, message } = error as Error
    // Not a message for the assistant: the platform left out a field of the tool.
    if (name === 'TypeError') throw error
    return { ...base, request: null, result: { error: message }, error: message }
  }
}

/** Sends the request from this computer, once and without an API key, and returns the result for the assistant. */
export async function sendTestRequest({ system }: Context, built: ToolTest): Promise<ToolTest> {
  const { method, url, headers, body, timeout_ms } = built.request as ToolRequest
  const { origin, pathname, search, hostname } = new URL(url)
  const { hostReach } = await import('../../doctor/account/webhook-addresses.ts')
  if ((await hostReach(hostname)) === 'never')
    throw usageError(`No platform sends requests to ${hostname}.`, 'Change the endpoint of the tool.')
  const startedAt = system.now()
  const failed = (error: string): ToolTest => ({ ...built, result: { error }, error })
  try {
    const transport = await system.connect(origin, { env: system.env, insecure: true })
    try {
      const answer = await transport.send(
        { method, url: `${pathname}${search}`, headers, ...(body !== null && { body }) },
        { timeoutMs: timeout_ms, signal: system.signal },
      )
      const { toHttpResult } = await import('../../../services/functions/function-results.ts')
      const text = String(answer.body)
      // The text is decoded already, so its character set is omitted.
      const type = answer.headers['content-type']?.split(';')[0]
      const decodedHeaders = { ...answer.headers, ...(type !== undefined && { 'content-type': type }) }
      const result = toHttpResult({ status: answer.status, headers: decodedHeaders, body: Buffer.from(text) })
      const isError = answer.status < 200 || answer.status >= 300
      return {
        ...built,
        response: { status: answer.status, duration_ms: Math.round(system.now() - startedAt), body: text },
        result,
        error: isError ? `The server returned status ${answer.status}.` : null,
      }
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (system.signal.aborted || !(error instanceof TransportError)) throw error
    return failed(error.message)
  }
}
