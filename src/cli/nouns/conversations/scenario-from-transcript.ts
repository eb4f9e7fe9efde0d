import { functionNames, isBuiltInFunction } from '../../../contract/assistants/function-names.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { Anonymizer } from './anonymizer.ts'
import { detectLanguage, replyFacts } from './reply-content.ts'

type Fields = Readonly<Record<string, unknown>>

/** A message of a recorded conversation or call. */
export interface TranscriptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly function_calls?: readonly CalledFunction[] | undefined
}

/**
 * What is recorded about a conversation or a call. Conversations and calls are converted to it, for scenarios and for
 * judging.
 */
export interface RecordedConversation {
  readonly name: string
  readonly assistant: string
  readonly channel: 'chat' | 'messaging' | 'call'
  readonly messages: readonly TranscriptMessage[]
  readonly variables: Fields
  /** Values that identify the customer, by the name of their field: these and the variables are replaced in a scenario. */
  readonly people: Fields
  readonly extracted?: Fields | null
  readonly endReason?: string
  readonly direction?: 'inbound' | 'outbound'
}

/**
 * Returns a scenario that repeats a conversation: what the customer said, what the tools answered, and what the assistant did as
 * expectations. Without `expectsSame`, it expects nothing: a failure must not happen again. Personal data is replaced.
 */
export function scenarioFromTranscript(
  conversation: RecordedConversation,
  { expectsSame = true }: { readonly expectsSame?: boolean } = {},
): RepeatedConversation {
  const anonymous = new Anonymizer()
  anonymous.learn(conversation.people)
  anonymous.learn(conversation.variables)
  anonymous.learn(conversation.extracted)
  for (const message of conversation.messages)
    anonymous.learn(message.function_calls?.map((call) => [call.arguments, call.result]))
  const turns: Turn[] = []
  for (const { role, content, function_calls: called = [] } of conversation.messages) {
    if (role === 'user') turns.push({ say: anonymous.text(content), replies: [], calls: [] })
    else {
      turns.at(-1)?.calls.push(...(anonymous.value(called) as CalledFunction[]))
      turns.at(-1)?.replies.push(content)
    }
  }
  const calls = turns.flatMap((turn) => turn.calls)
  const mocks = mocksOf(calls)
  const variables = anonymous.value(conversation.variables) as Fields
  const handover = handoverIn({ calls })
  const language = detectLanguage(turns.flatMap((turn) => turn.replies).join('\n'))
  const expect = {
    ...(handover !== undefined && { handover }),
    ...(conversation.extracted &&
      Object.keys(conversation.extracted).length > 0 && { variables: anonymous.value(conversation.extracted) }),
    ...(conversation.endReason !== undefined && { end_reason: conversation.endReason }),
    ...(language !== undefined && { language }),
  }
  return {
    name: conversation.name,
    assistant: conversation.assistant,
    ...(conversation.channel !== 'chat' && { channel: conversation.channel }),
    ...(conversation.direction === 'outbound' && { call: { direction: conversation.direction } }),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(Object.keys(mocks).length > 0 && { mocks }),
    turns: turns.map((turn) => {
      const expected = expectsSame ? expectedOf(turn) : {}
      return { say: turn.say, ...(Object.keys(expected).length > 0 && { expect: expected }) }
    }),
    ...(expectsSame && Object.keys(expect).length > 0 && { expect }),
  }
}

/** A scenario of a conversation in the form of its file. scenario-schema.ts reads this form. */
export type RepeatedConversation = Fields & {
  readonly name: string
  readonly turns: readonly { readonly say: string; readonly expect?: Fields }[]
}

/** A message of the customer, and what the assistant said and did until the next one. */
interface Turn {
  readonly say: string
  readonly replies: string[]
  readonly calls: CalledFunction[]
}

/** Returns what the assistant did in a turn as expectations: the tools it called, and what its replies are about. */
function expectedOf({ replies, calls }: Turn): Fields {
  const text = replies.join('\n')
  return {
    ...(calls.length > 0 && {
      called: calls.map(({ name, arguments: args }) =>
        Object.keys(args).length > 0 ? { tool: name, with: args } : { tool: name },
      ),
    }),
    ...Object.fromEntries(replyFacts.flatMap(([name, { pattern }]) => (pattern.test(text) ? [[name, true]] : []))),
  }
}

/** Returns the responses that the tools gave, as mocks. */
function mocksOf(calls: readonly CalledFunction[]): Record<string, Fields[]> {
  const mocks: Record<string, Fields[]> = {}
  for (const { name, arguments: args, result } of calls) {
    if (isBuiltInFunction(name)) continue
    const { error, status, answer } = result
    const isFailed = typeof error === 'string' && typeof status === 'number'
    const body = isFailed ? (isObject(answer) ? answer : { message: error }) : result
    ;(mocks[name] ??= []).push({
      ...(Object.keys(args).length > 0 && { when: args }),
      ...(isFailed && { status }),
      body,
    })
  }
  return mocks
}

/**
 * Returns the messages of a transcript with "Customer:" and "AI:" before each. The platform writes them in
 * `formatTranscript` (transcripts.ts); other deployments have other words for the speakers.
 */
export function messagesOf(transcript: string): TranscriptMessage[] {
  const messages: TranscriptMessage[] = []
  for (const line of transcript.split('\n')) {
    const [, speaker, content] = /^(AI|Assistant|Customer|User): (.*)$/.exec(line) ?? []
    const last = messages.at(-1)
    if (content !== undefined)
      messages.push({ role: /^(Customer|User)$/.test(speaker ?? '') ? 'user' : 'assistant', content })
    else if (last && line !== '') messages[messages.length - 1] = { ...last, content: `${last.content}\n${line}` }
  }
  return messages
}

/** A tool or function that the assistant called. */
export interface CalledFunction {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
}

/**
 * Returns the name of the assistant that a reply hands the conversation over to. assistant-functions.ts of the platform
 * writes `transferred_to`.
 */
export function handoverIn({ calls }: { readonly calls: readonly CalledFunction[] }): string | undefined {
  const transferred = calls.findLast(
    (it) => it.name.startsWith(functionNames.transfer) && it.result.transferred_to !== undefined,
  )
  return transferred && String(transferred.result.transferred_to)
}
