import { hideSecretsIn } from '../../../engine/definition/secrets.ts'
import type { HttpPort } from '../../../engine/ports/http.ts'
import type { ModelFunction } from '../../../engine/ports/language-model.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import {
  type FunctionArguments,
  parseArguments,
  type ToolParameter,
  toJsonSchema,
} from '../../../engine/tools/function-parameters.ts'
import { type FunctionResult, toErrorResult, toHttpResult, toResult } from '../../../engine/tools/function-results.ts'
import { buildToolRequest, toolSecrets } from '../../../engine/tools/tool-request.ts'
import { parseJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import type { ToolRow } from '../../store/assistants/tools.ts'
import { findVersion } from '../../store/automations/automation-versions.ts'
import { findAutomation } from '../../store/automations/automations.ts'
import { findRun } from '../../store/automations/runs.ts'
import { findRunSecrets } from '../automations/runs/run-records.ts'
import { webhooksPath } from '../automations/triggers/webhook-paths.ts'
import { webhookService } from '../automations/triggers/webhook-service.ts'
import type { Deps } from '../runtime/deps.ts'

/** What the function of a mid-call tool needs. */
export interface ToolContext {
  readonly deps: Deps
  readonly account: number
  readonly variables: Variables
  readonly http: HttpPort
  readonly signal: AbortSignal
}

/**
 * Creates the function of a mid-call tool. It sends a request to the tool's endpoint, or runs the automation linked to
 * it.
 */
export function createToolFunction(tool: ToolRow, context: ToolContext): ModelFunction {
  const parameters = parseJson(tool.schema)
  return {
    name: tool.name,
    description: tool.description,
    parameters: toJsonSchema(parameters),
    async run(given) {
      const result = await runTool(tool, parameters, given, context)
      // The result is stored, logged, sent to the model, which may quote it, and shown in every transcript.
      return hideSecretsIn(result, toolSecrets(tool, context.variables))
    },
  }
}

async function runTool(
  tool: ToolRow,
  parameters: readonly ToolParameter[],
  given: FunctionArguments,
  context: ToolContext,
): Promise<FunctionResult> {
  try {
    const args = parseArguments(parameters, given)
    const automation = await findLinkedAutomation(tool, context)
    return automation === undefined
      ? await sendToolRequest(tool, args, context)
      : await runLinkedAutomation(automation, tool, args, context)
  } catch (error) {
    return toErrorResult(error)
  }
}

async function sendToolRequest(
  tool: ToolRow,
  args: FunctionArguments,
  { http, variables, signal }: ToolContext,
): Promise<FunctionResult> {
  return toHttpResult(await http.send(buildToolRequest(tool, args, variables), signal))
}

/**
 * Returns the id of the automation that a tool is linked to, or whose synchronous webhook on this platform is its
 * endpoint.
 */
async function findLinkedAutomation(
  { type, automation_id, endpoint }: ToolRow,
  { deps, account }: ToolContext,
): Promise<string | undefined> {
  if (type === 'automation') {
    if (automation_id === null) throw new Error('The tool is not linked to an automation.')
    return automation_id
  }
  const path = URL.canParse(endpoint) ? new URL(endpoint).pathname : ''
  const [, id] = new RegExp(`^${webhooksPath}([A-Za-z0-9]+)/sync/?$`).exec(path) ?? []
  return id !== undefined && (await findAutomation(deps.connection.read, account, id)) ? id : undefined
}

const automationErrors = {
  unknown: 'The automation of the tool was deleted or has no webhook trigger.',
  disabled: 'The automation of the tool is disabled.',
  unauthorized: 'The automation of the tool requires credentials that the tool does not have.',
  sample_saved: 'The automation of the tool did not run.',
  ready: 'The automation of the tool did not run.',
  used: 'The automation of the tool did not run.',
  ended: 'The automation of the tool did not run.',
  no_answer: 'The automation of the tool returned no response.',
  throttled: 'The automation of the tool requires credentials that the tool does not have.',
  behind: 'Too many runs of the account are waiting.',
  accepted: 'The automation of the tool returned no response.',
  failed: 'The automation of the tool failed.',
} as const

/** Runs an automation like a request to its synchronous webhook, and waits up to the timeout of the tool. */
async function runLinkedAutomation(
  id: string,
  tool: ToolRow,
  args: FunctionArguments,
  { deps, variables }: ToolContext,
): Promise<FunctionResult> {
  // A tool with an automation does not choose the endpoint, the method and the body format (section 4.2).
  const request = buildToolRequest(
    { ...tool, endpoint: 'http://platform/', method: 'POST', body_format: 'json' },
    args,
    variables,
  )
  const hook = {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
    queryParams: {},
    body: parseJson(String(request.body)),
  }
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = realTime.setTimeout(resolve, request.timeout, undefined)
  })
  const received = webhookService(deps).receive(id, { isSync: true, isDraft: false, isTest: false }, hook)
  const result = await Promise.race([received, timeout]).finally(() => realTime.clearTimeout(timer))
  // After a timeout the run continues, and a later error is only logged.
  received.catch((error: Error) => deps.log(`automation ${id}: ${error.message}`))
  if (result === undefined) return { error: `The automation did not respond within ${tool.timeout} seconds.` }
  if (result.kind !== 'answered') return { error: automationErrors[result.kind] }
  const { status } = result.answer
  const run = await findRun(deps.connection.read, result.run)
  const version = run && (await findVersion(deps.connection.read, run.version_id))
  const body = hideSecretsIn(result.answer.body, version ? await findRunSecrets(deps, version) : [])
  return status >= 200 && status < 300
    ? toResult(body)
    : { error: `The automation returned status ${status}.`, status, answer: toResult(body) }
}
