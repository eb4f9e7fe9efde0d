import type {
  ChatMessage,
  FunctionRun,
  ModelFunction,
  ModelReply,
  ModelRequest,
  ProviderOutcome,
} from '../../providers/ports/providers.ts'
import type { AssistantRow } from '../../store/assistants/assistants.ts'
import { hasTools } from '../../store/assistants/tools.ts'
import { lastMessages } from '../../store/conversations/messages.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { fillVariables, type Variables } from '../assistants/assistant-variables.ts'
import type { FunctionContext } from '../functions/assistant-functions.ts'
import type { ConversationTransfer } from '../functions/transfer-function.ts'
import type { SearchableKnowledge } from '../knowledge/knowledge-search.ts'
import type { Deps } from '../runtime/deps.ts'
import { assistantVariables } from './chat-turns.ts'
import { buildInstructions } from './model-instructions.ts'
import { selectModels } from './model-selection.ts'

/** Messages of a conversation the model is reminded of. */
const historyLimit = 40
/** Milliseconds a reply may take with everything that is done for it: by then nobody waits any more. */
const replyTimeoutMs = 180_000

/** What is to be answered, and where. */
export interface ReplyRequest {
  readonly assistant: AssistantRow
  /** The conversation it is part of, if that has begun. */
  readonly conversation: number | undefined
  /** Who writes, where no conversation says so yet. */
  readonly customer?: string
  readonly customerPhone?: string | null
  readonly variables: Variables
  /** Left out where it stands in the conversation already. */
  readonly text?: string
  /** Whether the conversation may change its assistant. */
  readonly canTransfer?: boolean
  /** Whether it may be ended from within. */
  readonly canEnd?: boolean
  /** Told the reply as it comes. */
  readonly onText?: ((piece: string) => void) | undefined
  readonly onRun?: ((run: FunctionRun) => void) | undefined
}

/** A reply, and what becomes of the conversation with it. */
export interface AssistantReply extends ModelReply {
  /** Id of the assistant that has it from now on. */
  readonly transferTo?: number
  readonly endsConversation?: boolean
}

const toChatMessage = ({
  role,
  content,
  function_calls,
}: {
  role: string
  content: string
  function_calls: string | null
}): ChatMessage => ({
  role: role as ChatMessage['role'],
  content,
  ...(function_calls !== null && { calls: JSON.parse(function_calls) as FunctionRun[] }),
})

/**
 * What an assistant answers to a message, by the language model and with the functions it has. Nothing is kept, and a model that breaks off is one that
 * gives no reply.
 */
export async function generateReply(deps: Deps, request: ReplyRequest): Promise<ProviderOutcome<AssistantReply>> {
  const { connection, clock, providers, log } = deps
  const { assistant, conversation, text, onText, onRun } = request
  const settings = JSON.parse(assistant.settings) as Partial<AssistantFields>
  const phone = request.customerPhone ?? null
  const variables = {
    ...assistantVariables(assistant, phone === null ? {} : { customer_phone: phone }, await clock.now()),
    ...request.variables,
  }
  const earlier = conversation === undefined ? [] : await lastMessages(connection.read, conversation, historyLimit)
  const signal = AbortSignal.timeout(replyTimeoutMs)
  const state: { transfer?: ConversationTransfer; ends?: true } = {}
  try {
    const knowledge = await findKnowledge(deps, assistant)
    const isInPrompt = settings.knowledgebase_mode === 'prompt'
    const functions = await loadFunctions({
      deps,
      assistant,
      settings,
      variables,
      knowledge: isInPrompt ? undefined : knowledge,
      onTransfer: request.canTransfer ? (it) => Object.assign(state, { transfer: it }) : undefined,
      onEnd: request.canEnd ? () => Object.assign(state, { ends: true }) : undefined,
      turn: `${conversation ?? `${assistant.id} ${request.customer ?? ''}`} ${earlier.at(-1)?.id ?? 0}`,
      customerPhone: phone,
      signal,
    })
    const knowledgePrompt =
      isInPrompt && knowledge
        ? await (await import('../knowledge/knowledge-search.ts')).knowledgePrompt(connection.read, knowledge)
        : ''
    const turn: ModelRequest = {
      models: selectModels(settings, functions.length > 0),
      temperature: settings.llm_temperature ?? 0.1,
      assistant: assistant.name,
      instructions: buildInstructions(settings, variables, knowledgePrompt),
      variables,
      messages: [
        ...earlier.map(toChatMessage),
        ...(text === undefined ? [] : [{ role: 'user' as const, content: text }]),
      ],
      functions,
      signal,
      ...(onText && { onText }),
      ...(onRun && { onRun }),
    }
    const reply = await providers.language.reply(turn)
    return reply.ok
      ? {
          ...reply,
          ...(state.ends && { endsConversation: true }),
          ...(state.transfer && withTransferGreeting(reply, state.transfer, variables)),
        }
      : reply
  } catch (error) {
    log(`language model: ${(error as Error).message}`)
    return { ok: false, reason: 'The language model stopped before the end of its response.' }
  }
}

const findKnowledge = async (
  { connection }: Deps,
  { account_id, knowledgebase_id }: AssistantRow,
): Promise<SearchableKnowledge | undefined> =>
  knowledgebase_id === null
    ? undefined
    : (await import('../knowledge/knowledge-search.ts')).findSearchableKnowledge(
        connection.read,
        account_id,
        knowledgebase_id,
      )

/** Most assistants of a small platform can do nothing but talk: what makes functions is loaded for those that can more. */
async function loadFunctions(context: FunctionContext): Promise<readonly ModelFunction[]> {
  const { deps, assistant, settings, knowledge } = context
  const isToolUser = await hasTools(deps.connection.read, assistant.id)
  if (!isToolUser && (settings.tools ?? []).length === 0 && !knowledge) return []
  return (await import('../functions/assistant-functions.ts')).createFunctions(context)
}

/** What the customer reads when another assistant takes over: what was to be said before, then its greeting. */
function withTransferGreeting(
  { text }: ModelReply,
  { to, messageBefore, sendsGreeting }: ConversationTransfer,
  variables: Variables,
): Pick<AssistantReply, 'text' | 'transferTo'> {
  const { initial_message } = JSON.parse(to.settings) as Partial<AssistantFields>
  const greeting = sendsGreeting
    ? fillVariables(initial_message ?? '', { ...variables, assistant_id: to.uuid, assistant_name: to.name })
    : ''
  return {
    text: [
      messageBefore === undefined || messageBefore === '' ? text : fillVariables(messageBefore, variables),
      greeting,
    ]
      .filter((it) => it !== '')
      .join('\n\n'),
    transferTo: to.id,
  }
}
