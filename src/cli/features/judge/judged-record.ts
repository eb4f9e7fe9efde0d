import { stringifyJson } from '../../../node/json.ts'
import { redactPersonalData } from '../../nouns/conversations/redact-personal-data.ts'
import type { CalledFunction, RecordedConversation } from '../../nouns/conversations/scenario-from-transcript.ts'
import type { Exchange } from '../scenario-tests/assistants/conversation-run.ts'

/** Who says a message. A role that this version does not know is shown as the platform names it. */
type MessageRole = 'assistant' | 'customer' | (string & {})

/** Role of a message that a campaign, an automation or a person has sent. It is not judged as a reply. */
const senderRole = 'sender'

/** A message that is judged, and its position in the conversation from 1. */
export interface SpokenMessage {
  readonly number: number
  readonly role: MessageRole
  readonly text: string
}

/** A message as the platform has it. */
interface GivenMessage {
  readonly role: string
  readonly content: string
  readonly function_calls?: readonly CalledFunction[] | undefined
}

/** What is judged of a conversation or call. */
export interface GivenRecord {
  readonly id: string
  readonly created_at: string
  readonly history: readonly GivenMessage[]
  readonly variables: Readonly<Record<string, unknown>>
  readonly customer: unknown
  readonly recorded: RecordedConversation
  /** Texts that campaigns, automations and persons have sent in it. The history has them as the assistant's. */
  readonly sent?: ReadonlySet<string>
}

/** A conversation or call with its text, and the text that a model may see. */
export interface JudgedRecord {
  readonly id: string
  readonly assistant: string
  readonly created_at: string
  /** For a scenario of it. */
  readonly recorded: RecordedConversation
  /** What was said, for checks. They run on this computer, so that a number or a name can be expected. */
  readonly said: readonly SpokenMessage[]
  /** The same messages without personal data. Only these are shown to a model, quoted and saved. */
  readonly redacted: readonly SpokenMessage[]
  readonly exchanges: readonly Exchange[]
}

const speakers: Readonly<Record<string, MessageRole>> = { user: 'customer', assistant: 'assistant' }

const spoken = (history: readonly GivenMessage[]): SpokenMessage[] =>
  history.flatMap(({ role, content }, n) =>
    content.trim() === '' ? [] : [{ number: n + 1, role: speakers[role] ?? role, text: content }],
  )

/** Returns what is judged of a record; undefined if the customer or the assistant said nothing. */
export function toJudged(given: GivenRecord): JudgedRecord | undefined {
  const { id, created_at, variables, customer, sent = new Set() } = given
  const isSent = ({ role, content }: GivenMessage): boolean => role === 'assistant' && sent.has(content)
  const history = given.history.map((it) => (isSent(it) ? { ...it, role: senderRole } : it))
  const recorded = { ...given.recorded, messages: given.recorded.messages.filter((it) => !isSent(it)) }
  const said = spoken(history)
  if (!['customer', 'assistant'].every((role) => said.some((it) => it.role === role))) return undefined
  const redacted = spoken(redactPersonalData({ variables, customer, history }).history)
  return { id, assistant: recorded.assistant, created_at, recorded, said, redacted, exchanges: exchangesIn(history) }
}

function exchangesIn(history: readonly GivenMessage[]): Exchange[] {
  const found: { say: string; reply: string; calls: CalledFunction[]; latencyMs: number }[] = []
  for (const { role, content, function_calls: calls = [] } of history) {
    if (role === senderRole) continue
    const last = found.at(-1)
    if (role === 'user' || !last)
      found.push({
        say: role === 'user' ? content : '',
        reply: role === 'assistant' ? content : '',
        calls: [...calls],
        latencyMs: 0,
      })
    else {
      if (role === 'assistant') last.reply += `${last.reply === '' ? '' : '\n'}${content}`
      last.calls.push(...calls)
    }
  }
  return found
}

/**
 * Returns messages as a model sees them: a JSON object on each line. Angle brackets are escaped, so that no message can end the block
 * that it is in. The text is part of `askedHash`, so that another form asks and pays for saved results again.
 */
export const messageLines = (messages: readonly SpokenMessage[]): string =>
  messages
    .map(({ number, role, text }) =>
      stringifyJson({ message: number, role, text }).replaceAll(
        /[<>&\u2028\u2029]/g,
        (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    )
    .join('\n')
