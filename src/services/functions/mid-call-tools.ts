import type { HttpPort } from '../../automation/ports.ts'
import { findAutomation } from '../../store/automations.ts'
import type { ToolRow } from '../../store/tools.ts'
import { hooksAt } from '../automations/hooks.ts'
import type { Deps } from '../deps.ts'
import type { TurnFunction } from '../ports.ts'
import type { Variables } from '../variables.ts'
import { type Arguments, type ToolParameter, toJsonSchema, typedArguments } from './parameters.ts'
import { failed, type Result, resultOf, toResult } from './results.ts'
import { requestOf } from './tool-request.ts'

export interface ToolContext {
  readonly deps: Deps
  readonly account: number
  readonly variables: Variables
  readonly http: HttpPort
  readonly signal: AbortSignal
}

/** A mid-call tool of the account as a function: a request to its address, or a run of the automation behind it. */
export function midCallTool(tool: ToolRow, context: ToolContext): TurnFunction {
  const parameters = JSON.parse(tool.schema) as ToolParameter[]
  return {
    name: tool.name,
    description: tool.description,
    parameters: toJsonSchema(parameters),
    async run(given) {
      try {
        const args = typedArguments(parameters, given)
        const automation = await automationBehind(tool, context)
        return automation === undefined ? await ask(tool, args, context) : await runAutomation(automation, tool, args, context)
      } catch (error) {
        return failed(error)
      }
    },
  }
}

async function ask(tool: ToolRow, args: Arguments, { http, variables, signal }: ToolContext): Promise<Result> {
  return resultOf(await http.send(requestOf(tool, args, variables), signal))
}

/** The automation a tool is linked to, or whose synchronous address of this platform it has. */
async function automationBehind({ type, automation_id, endpoint }: ToolRow, { deps, account }: ToolContext): Promise<string | undefined> {
  if (type === 'automation') {
    if (automation_id === null) throw new Error('The tool is linked to no automation.')
    return automation_id
  }
  const path = URL.canParse(endpoint) ? new URL(endpoint).pathname : ''
  const [, id] = new RegExp(`^${hooksAt}([A-Za-z0-9]+)/sync/?$`).exec(path) ?? []
  return id !== undefined && (await findAutomation(deps.connection.read, account, id)) ? id : undefined
}

const refusals = {
  unknown: 'The automation behind the tool is gone, or starts with no webhook.',
  disabled: 'The automation behind the tool is switched off.',
  unauthorized: 'The automation behind the tool asks for credentials the tool does not have.',
  kept: 'The automation behind the tool did not run.',
  ready: 'The automation behind the tool did not run.',
  used: 'The automation behind the tool did not run.',
  ended: 'The automation behind the tool did not run.',
  no_answer: 'The automation behind the tool gave no answer.',
  accepted: 'The automation behind the tool gave no answer.',
  failed: 'The automation behind the tool failed.',
} as const

/** Runs an automation as a call to its synchronous webhook would, and waits as long as the tool does. */
async function runAutomation(id: string, tool: ToolRow, args: Arguments, { deps, variables }: ToolContext): Promise<Result> {
  const { hookService } = await import('../automations/hooks.ts')
  // Where an automation is behind it, address, method and body format are not the tool's to say (section 4.2).
  const request = requestOf({ ...tool, endpoint: 'http://platform/', method: 'POST', body_format: 'json' }, args, variables)
  const hook = {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
    queryParams: {},
    body: JSON.parse(String(request.body)) as unknown,
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, request.timeout, undefined)
  })
  const received = hookService(deps).receive(id, { isSync: true, isDraft: false, isTest: false }, hook)
  const told = await Promise.race([received, late]).finally(() => clearTimeout(timer))
  // It runs on; nobody waits for its end here.
  received.catch((error: Error) => deps.log(`automation ${id}: ${error.message}`))
  if (told === undefined) return { error: `The automation did not answer within ${tool.timeout} seconds.` }
  if (told.kind !== 'answered') return { error: refusals[told.kind] }
  const { status, body } = told.answer
  return status >= 200 && status < 300 ? toResult(body) : { error: `The automation answered ${status}.`, status, answer: toResult(body) }
}
