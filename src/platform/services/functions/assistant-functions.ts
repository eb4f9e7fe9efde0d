import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import { functionNames } from '../../../contract/assistants/function-names.ts'
import { webhooksPath } from '../../../contract/automations/webhook-path.ts'
import { hideSecretsIn } from '../../../engine/definition/secrets.ts'
import type { CalendarPort } from '../../../engine/pieces/ports.ts'
import type { Appointment, HttpPort, ModelFunction } from '../../../engine/ports.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import {
  type FunctionArguments,
  type FunctionResult,
  parseArguments,
  type ToolParameter,
  toErrorResult,
  toHttpResult,
  toJsonSchema,
  toResult,
} from '../../../engine/tools/function-values.ts'
import { buildToolRequest, toolSecrets } from '../../../engine/tools/tool-request.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import { type AssistantRow, findAssistant } from '../../store/assistants/assistants.ts'
import { findTool, listToolIds, type ToolRow } from '../../store/assistants/tools.ts'
import { findVersion } from '../../store/automations/automation-versions.ts'
import { findAutomation } from '../../store/automations/automations.ts'
import { findRun } from '../../store/automations/runs.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { openToolFields } from '../assistants/sealed-tool-fields.ts'
import { createPorts } from '../automations/ports/create-ports.ts'
import { findRunSecrets } from '../automations/runs/run-records.ts'
import { webhookService } from '../automations/triggers/webhook-service.ts'
import { createKnowledgeFunction, type SearchableKnowledge } from '../knowledge/knowledge-search.ts'
import type { Deps } from '../runtime/deps.ts'

type TransferTool = Extract<BuiltInTool, { type: 'assistant_transfer' }>

/** The transfer of a conversation to another assistant, with what the customer reads then. */
export interface ConversationTransfer {
  readonly to: AssistantRow
  readonly messageBefore: string | undefined
  readonly sendsGreeting: boolean
}

/** Returns a function name for the model. */
const toFunctionName = (name: string): string =>
  `${functionNames.transfer}${name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()}`.slice(0, 64)

/**
 * Creates the function that transfers the conversation to another assistant of the account. It calls `onTransfer`; the
 * last call counts.
 */
const createTransferFunction = (
  tool: TransferTool,
  to: AssistantRow,
  onTransfer: (transfer: ConversationTransfer) => void,
): ModelFunction => ({
  name: toFunctionName(to.name),
  description: `${tool.description} The other assistant is ${to.name}.`,
  parameters: { type: 'object', properties: {}, required: [] },
  async run() {
    onTransfer({ to, messageBefore: tool.message_before_transfer, sendsGreeting: tool.speak_transfer_greeting })
    return { transferred_to: to.name }
  },
})

type Calendar = Extract<BuiltInTool, { type: 'calendar_integration' }>

/** What calendar functions are created from. */
interface CalendarContext {
  readonly account: number
  readonly timezone: string
  readonly calendars: Pick<Readonly<Record<'calendarA' | 'calendarB', CalendarPort>>, 'calendarA' | 'calendarB'>
  /** Returns the idempotency key of an action in this turn. It is the same for the same action. */
  readonly key: (about: string) => string
  readonly customerPhone: string | null
}

const textParameter = (name: string, description: string, required = true) => ({
  name,
  type: 'string',
  description,
  required,
})

const dateTimeFormat = 'ISO 8601 date and time with time zone, such as 2026-01-31T09:00:00+01:00'

/**
 * Returns the functions with which an assistant finds, books, moves and cancels appointments of a calendar. Stored messages have
 * their names, and function-names.ts recognizes them. Cassettes of users have a hash of names and descriptions: others
 * make them stale.
 */
function calendarFunctions(
  tool: Calendar,
  { account, timezone, calendars, key, customerPhone }: CalendarContext,
): ModelFunction[] {
  const calendar = tool.calendar_type === 'cal_b' ? calendars.calendarB : calendars.calendarA
  const event = tool.calendar_type === 'cal_b' ? tool.cal_b_event_type_uri : tool.cal_a_event_slug
  const about = tool.description === undefined ? '' : ` ${tool.description}`
  const booking = tool.calendar_type === 'cal_b' ? [] : (tool.cal_a_booking_fields ?? [])
  const toAction = (args: object, what: string) => ({ account, key: key(`${what} ${stringifyJson(args)}`) })
  const createFunction = (
    name: string,
    description: string,
    parameters: ReturnType<typeof textParameter>[],
    run: (args: Record<string, string>) => Promise<FunctionResult>,
  ): ModelFunction => ({
    name,
    description: `${description}${about}`,
    parameters: toJsonSchema(parameters),
    async run(given) {
      try {
        return await run(parseArguments(parameters, given) as Record<string, string>)
      } catch (error) {
        return toErrorResult(error)
      }
    },
  })
  return [
    createFunction(
      `${functionNames.calendar}find_appointments`,
      'List the appointments in a period, to find a free time or the appointment of a customer.',
      [
        textParameter('from', `Start of the period: ${dateTimeFormat}`),
        textParameter('until', `End of the period: ${dateTimeFormat}`),
        textParameter('email', 'Email address of the customer, to list only their appointments', false),
      ],
      async ({ from = '', until = '', email }) => {
        const span = { from: parseDateTime('from', from), until: parseDateTime('until', until) }
        const found = await calendar.find(account, { ...span, ...(email !== undefined && { email }) })
        // Without the customer's email address only the times are returned, because other customers' appointments are
        // private.
        return {
          appointments: found.map((appointment) =>
            email === undefined ? { start: appointment.start, end: appointment.end } : toAppointmentResult(appointment),
          ),
        }
      },
    ),
    createFunction(
      `${functionNames.calendar}book_appointment`,
      'Book an appointment once the customer has agreed to a day and a time.',
      [
        textParameter('start', `Start of the appointment: ${dateTimeFormat}`),
        textParameter('name', 'Name of the customer'),
        textParameter('email', 'Email address of the customer', false),
        textParameter('phone', 'Phone number of the customer', false),
        ...booking
          .filter(({ slug }) => !['start', 'name', 'email', 'phone'].includes(slug))
          .map((it) => textParameter(toIdentifier(it.slug), fieldLabel(it), it.required)),
      ],
      async ({ start = '', name = '', email, phone = customerPhone ?? undefined, ...rest }) => {
        const notes = Object.entries(rest).map(([field, value]) => `${field}: ${value}`)
        const draft = {
          event,
          start: parseDateTime('start', start),
          timezone,
          name,
          email,
          phone,
          ...(notes.length > 0 && { notes: notes.join('\n') }),
        }
        return toAppointmentResult(await calendar.book(toAction(draft, 'book'), draft))
      },
    ),
    createFunction(
      `${functionNames.calendar}move_appointment`,
      'Move a booked appointment to another time.',
      [textParameter('id', 'Id of the appointment'), textParameter('start', `New start: ${dateTimeFormat}`)],
      async ({ id = '', start = '' }) =>
        toAppointmentResult(
          await calendar.move(toAction({ id, start }, 'move'), id, parseDateTime('start', start), timezone),
        ),
    ),
    createFunction(
      `${functionNames.calendar}cancel_appointment`,
      'Cancel a booked appointment.',
      [textParameter('id', 'Id of the appointment'), textParameter('reason', 'Why it is cancelled', false)],
      async ({ id = '', reason = '' }) =>
        toAppointmentResult(await calendar.cancel(toAction({ id }, 'cancel'), id, reason)),
    ),
  ]
}

/** Returns a field name of the calendar in the form that models accept: letters, digits and underscores. */
const toIdentifier = (slug: string): string => slug.replaceAll(/\W/g, '_').slice(0, 64)

const fieldLabel = ({
  label,
  options,
}: {
  readonly label: string
  readonly options?: readonly string[] | undefined
}): string => (options && options.length > 0 ? `${label}: one of ${options.join(', ')}` : label)

/** Validates a date and time. @throws Error with a message for the model */
function parseDateTime(name: string, text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || !/(Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error(`The parameter ${name} must be a ${dateTimeFormat}.`)
  return text
}

const toAppointmentResult = ({ id, title, start, end, status, name }: Appointment): FunctionResult => ({
  id,
  title,
  start,
  end,
  status,
  name,
})

/** What the function of a mid-call tool needs. */
interface ToolContext {
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
function createToolFunction(tool: ToolRow, context: ToolContext): ModelFunction {
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
  return id !== undefined && (await findAutomation(accountQuery(deps.connection.read, account), id)) ? id : undefined
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
  const read = accountQuery(deps.connection.read, tool.account_id)
  const run = await findRun(read, result.run)
  const version = run && (await findVersion(read, run.version_id))
  const body = hideSecretsIn(result.answer.body, version ? await findRunSecrets(deps, version) : [])
  return status >= 200 && status < 300
    ? toResult(body)
    : { error: `The automation returned status ${status}.`, status, answer: toResult(body) }
}

/** What the functions of an assistant are created from. */
export interface FunctionContext {
  readonly deps: Deps
  readonly assistant: AssistantRow
  readonly settings: Partial<AssistantFields>
  readonly variables: Variables
  /** The knowledge base to search; undefined if there is none, or if it is part of the prompt. */
  readonly knowledge: SearchableKnowledge | undefined
  /** Called when a function transfers the conversation; undefined if transfers are not possible. */
  readonly onTransfer: ((transfer: ConversationTransfer) => void) | undefined
  /** Called when a function ends the conversation; undefined if that is not possible. */
  readonly onEnd: (() => void) | undefined
  /** Identifies the turn of the conversation. The same action in the same turn has the same idempotency key. */
  readonly turn: string
  readonly customerPhone: string | null
  /** Aborted when the caller stopped waiting for the reply. */
  readonly signal: AbortSignal
}

/**
 * Creates the functions of an assistant in a chat: its mid-call tools, the search of its knowledge base, and the
 * built-in tools that need no telephone.
 */
export async function createFunctions(context: FunctionContext): Promise<ModelFunction[]> {
  const { deps, assistant, settings, variables, knowledge } = context
  const { account_id: account } = assistant
  const read = accountQuery(deps.connection.read, account)
  const ids = await listToolIds(read, assistant.id)
  const builtIn = settings.tools ?? []
  const functions: ModelFunction[] = []
  if (ids.length > 0 || builtIn.some((it) => it.type === 'calendar_integration')) {
    const ports = createPorts(deps)
    for (const id of ids) {
      const tool = openToolFields(deps.vault, await findTool(read, id))
      if (tool)
        functions.push(createToolFunction(tool, { deps, account, variables, http: ports.http, signal: context.signal }))
    }
    for (const tool of builtIn.filter((it) => it.type === 'calendar_integration'))
      functions.push(
        ...calendarFunctions(tool, {
          account,
          calendars: ports,
          timezone: settings.timezone ?? 'UTC',
          key: (about) => `chat ${context.turn} ${about}`,
          customerPhone: context.customerPhone,
        }),
      )
  }
  functions.push(...(await createChatFunctions(builtIn, context)))
  if (knowledge) functions.push(createKnowledgeFunction(read, knowledge))
  return withUniqueNames(functions)
}

/** Returns the built-in tools that apply without a call. Keypad input and call transfers do not. */
async function createChatFunctions(
  tools: readonly BuiltInTool[],
  { deps, assistant, onTransfer, onEnd }: FunctionContext,
): Promise<ModelFunction[]> {
  const functions: ModelFunction[] = []
  for (const tool of tools) {
    if (tool.type === 'assistant_transfer' && onTransfer) {
      const to = await findAssistant(accountQuery(deps.connection.read, assistant.account_id), tool.assistant_id)
      if (to) functions.push(createTransferFunction(tool, to, onTransfer))
    } else if (tool.type === 'end_call' && onEnd) functions.push(createEndFunction(tool.description, onEnd))
  }
  return functions
}

const createEndFunction = (description: string | undefined, onEnd: () => void): ModelFunction => ({
  name: functionNames.end,
  description: description ?? 'End the conversation once the customer has said goodbye.',
  parameters: { type: 'object', properties: {}, required: [] },
  async run() {
    onEnd()
    return { ended: true }
  },
})

/** Makes function names unique, because a model refers to functions by name: duplicates get a number. */
function withUniqueNames(functions: readonly ModelFunction[]): ModelFunction[] {
  const taken = new Set<string>()
  return functions.map((definition) => {
    let name = definition.name
    for (let n = 2; taken.has(name); n++) name = `${definition.name.slice(0, 60)}_${n}`
    taken.add(name)
    return name === definition.name ? definition : { ...definition, name }
  })
}
