import type {
  ChatMessage,
  FunctionRun,
  ModelFunction,
  ModelReply,
  ModelRequest,
  ProviderResult,
} from '../../../engine/ports.ts'
import { fillVariables, type Variables } from '../../../engine/tools/assistant-variables.ts'
import { messageOf } from '../../../node/is-error.ts'
import { parseJson } from '../../../node/json.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import type { AssistantRow } from '../../store/assistants/assistants.ts'
import { hasTools } from '../../store/assistants/tools.ts'
import { lastMessages } from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { StoreError } from '../../store/database/store-error.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { languages } from '../catalogues/languages.ts'
import type { ConversationTransfer, FunctionContext } from '../functions/assistant-functions.ts'
import { findSearchableKnowledge, knowledgePrompt, type SearchableKnowledge } from '../knowledge/knowledge-search.ts'
import type { Deps } from '../runtime/deps.ts'
import { assistantVariables } from './chat-turns.ts'
import { selectModels } from './model-selection.ts'

const languageName = (id: number | null | undefined): string | undefined => languages.find((it) => it.id === id)?.name

/** Returns the instruction about languages. Secondary languages apply only when the customer writes in them. */
function languageInstruction({ language_id, secondary_language_ids }: Partial<AssistantFields>): string {
  const main = languageName(language_id)
  const secondary = (secondary_language_ids ?? []).map(languageName).filter((it) => it !== undefined && it !== main)
  if (main === undefined) return ''
  if (secondary.length === 0) return `Answer in ${main}.`
  return `Answer in ${main}. When the customer writes in ${secondary.join(' or ')}, answer in that language instead.`
}

/**
 * Returns the instructions of the model: the assistant's prompt, its languages and its knowledge. Variables are filled
 * in the prompt only. Cassettes of users have a hash of what is sent (cassette.ts): another text makes them stale.
 */
const buildInstructions = (settings: Partial<AssistantFields>, variables: Variables, knowledge: string): string =>
  [fillVariables(settings.system_prompt ?? '', variables), languageInstruction(settings), knowledge]
    .filter((it) => it !== '')
    .join('\n\n')

/** Maximum earlier messages of a conversation that the model receives. */
const historyLimit = 40
/** Milliseconds a reply may take in total, including the functions it calls. No caller waits longer, but for tests of assistants (cli/features/scenario-tests/assistants/test-platform.ts). */
const replyTimeoutMs = 180_000

/** The message to answer, with its context. */
interface ReplyRequest {
  readonly assistant: AssistantRow
  /** Id of the conversation; undefined when it does not exist yet. */
  readonly conversation: number | undefined
  /** Identifies the customer when no conversation exists yet. */
  readonly customer?: string
  readonly customerPhone?: string | null
  readonly variables: Variables
  /** The message; absent when the conversation contains it already. */
  readonly text?: string
  /** Whether the conversation may be transferred to another assistant. */
  readonly canTransfer?: boolean
  /** Whether a function may end the conversation. */
  readonly canEnd?: boolean
  /** Receives pieces of the reply as they arrive. */
  readonly onText?: ((piece: string) => void) | undefined
  readonly onRun?: ((run: FunctionRun) => void) | undefined
}

/** A reply and its effect on the conversation. */
export interface AssistantReply extends ModelReply {
  /** Id of the assistant that continues the conversation. */
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
  ...(function_calls !== null && { calls: parseJson(function_calls) as FunctionRun[] }),
})

/**
 * Generates the reply of an assistant with the language model and the functions of the assistant. Stores nothing. A
 * model that breaks off yields a failed outcome.
 */
export const generateReply = (deps: Deps, request: ReplyRequest): Promise<ProviderResult<AssistantReply>> =>
  withTimeLimit(replyTimeoutMs, [], (signal) => replyWithin(deps, request, signal))

async function replyWithin(
  deps: Deps,
  request: ReplyRequest,
  signal: AbortSignal,
): Promise<ProviderResult<AssistantReply>> {
  const { connection, clock, providers, log } = deps
  const { assistant, conversation, text, onText, onRun } = request
  const settings = parseJson(assistant.settings)
  const phone = request.customerPhone ?? null
  const variables = {
    ...assistantVariables(assistant, phone === null ? {} : { customer_phone: phone }, await clock.now()),
    ...request.variables,
  }
  const read = accountQuery(connection.read, assistant.account_id)
  const earlier = conversation === undefined ? [] : await lastMessages(read, conversation, historyLimit)
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
    const known = isInPrompt && knowledge ? await knowledgePrompt(read, knowledge) : ''
    const turn: ModelRequest = {
      account: assistant.account_id,
      models: selectModels(settings, functions.length > 0),
      temperature: settings.llm_temperature ?? 0.1,
      assistant: assistant.name,
      instructions: buildInstructions(settings, variables, known),
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
    // The caller repeats what the database could not do; a failure of the model is an answer.
    if (error instanceof StoreError) throw error
    log(`language model: ${messageOf(error)}`)
    return { ok: false, reason: 'The language model stopped before the end of its response.' }
  }
}

const findKnowledge = async (
  { connection }: Deps,
  { account_id, knowledgebase_id }: AssistantRow,
): Promise<SearchableKnowledge | undefined> =>
  knowledgebase_id === null
    ? undefined
    : findSearchableKnowledge(accountQuery(connection.read, account_id), account_id, knowledgebase_id)

/**
 * Loads the functions of an assistant. Their modules are imported only for assistants that have tools or knowledge,
 * which most assistants of a small platform do not.
 */
async function loadFunctions(context: FunctionContext): Promise<readonly ModelFunction[]> {
  const { deps, assistant, settings, knowledge } = context
  const isToolUser = await hasTools(accountQuery(deps.connection.read, assistant.account_id), assistant.id)
  if (!isToolUser && (settings.tools ?? []).length === 0 && !knowledge) return []
  return (await import('../functions/assistant-functions.ts')).createFunctions(context)
}

/**
 * Returns the text the customer reads when another assistant takes over: the transfer message, then the greeting of the
 * new assistant.
 */
function withTransferGreeting(
  { text }: ModelReply,
  { to, messageBefore, sendsGreeting }: ConversationTransfer,
  variables: Variables,
): Pick<AssistantReply, 'text' | 'transferTo'> {
  const { initial_message } = parseJson(to.settings)
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
