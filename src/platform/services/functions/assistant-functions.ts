import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import { functionNames } from '../../../contract/assistants/function-names.ts'
import type { ModelFunction } from '../../../engine/ports/language-model.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import { type AssistantRow, findAssistant } from '../../store/assistants/assistants.ts'
import { findTool, listToolIds } from '../../store/assistants/tools.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { openToolFields } from '../assistants/sealed-tool-fields.ts'
import { createPorts } from '../automations/ports/create-ports.ts'
import { createKnowledgeFunction, type SearchableKnowledge } from '../knowledge/knowledge-search.ts'
import type { Deps } from '../runtime/deps.ts'
import { calendarFunctions } from './calendar-functions.ts'
import { createToolFunction } from './mid-call-tool.ts'
import { type ConversationTransfer, createTransferFunction } from './transfer-function.ts'

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
  const ids = await listToolIds(deps.connection.read, assistant.id)
  const builtIn = settings.tools ?? []
  const functions: ModelFunction[] = []
  if (ids.length > 0 || builtIn.some((it) => it.type === 'calendar_integration')) {
    const ports = createPorts(deps)
    for (const id of ids) {
      const tool = openToolFields(deps.vault, await findTool(deps.connection.read, account, id))
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
  if (knowledge) functions.push(createKnowledgeFunction(deps.connection.read, knowledge))
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
      const to = await findAssistant(deps.connection.read, assistant.account_id, tool.assistant_id)
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
