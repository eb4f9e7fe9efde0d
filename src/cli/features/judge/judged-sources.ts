import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import { callsIn, readCalls } from '../../nouns/calls/export.ts'
import { recordedCall } from '../../nouns/calls/recorded-call.ts'
import { isInProgress } from '../../nouns/calls/wait.ts'
import { maxConversations, readConversationFilters } from '../../nouns/conversations/read-conversations.ts'
import { recordedConversation } from '../../nouns/conversations/recorded-conversation.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import type { GivenRecord } from './judged-record.ts'

/** A conversation or call that can be judged. */
interface Candidate {
  readonly id: string
  /** Returns undefined if it was deleted in between. */
  read(): Promise<GivenRecord | undefined>
}

/** What a command judges. */
export interface JudgedSource {
  /** In the plural. */
  readonly noun: 'conversations' | 'calls'
  readonly singular: string
  readonly endpoint: Endpoint
  /** Reads the flags that select. */
  select(
    context: Context,
    given: Pick<Invocation, 'flags' | 'input'>,
  ): Promise<{
    readonly filters: Readonly<Record<string, unknown>>
    readonly candidates: () => AsyncGenerator<Candidate>
  }>
}

/** Returns undefined for what was deleted. */
async function unlessDeleted<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as { readonly status?: number }).status === 404) return undefined
    throw error
  }
}

const conversationSource: JudgedSource = {
  noun: 'conversations',
  singular: 'conversation',
  endpoint: conversations.list,
  async select(context, given) {
    const { filters, contains } = await readConversationFilters(context, given)
    async function* candidates(): AsyncGenerator<Candidate> {
      const pages = paginate<typeof conversations.list, Conversation>(context.call, conversations.list, filters, {
        limit: maxConversations,
        signal: context.system.signal,
      })
      for await (const conversation of pages) {
        // The greeting alone is nothing to judge.
        if ((contains && !contains(conversation)) || conversation.message_count < 2) continue
        const { id, created_at } = conversation
        yield {
          id,
          async read() {
            const details = await unlessDeleted(context.call(conversations.get, { uuid: id }))
            if (!details) return undefined
            const recorded = { ...recordedConversation(conversation, details), name: `conversation ${id.slice(0, 8)}` }
            const { history, customer } = details
            return { id, created_at, history, customer, variables: recorded.variables, recorded }
          },
        }
      }
    }
    return { filters, candidates }
  },
}

const callSource: JudgedSource = {
  noun: 'calls',
  singular: 'call',
  endpoint: calls.list,
  async select(context, given) {
    const { filters, contains } = await readCalls(context, given)
    async function* candidates(): AsyncGenerator<Candidate> {
      for await (const listed of callsIn(context, filters, contains)) {
        if (isInProgress(listed) || (listed.transcript ?? '').trim() === '') continue
        const { id, created_at } = listed
        yield {
          id: String(id),
          async read() {
            const call = await unlessDeleted(context.call(calls.get, { id }))
            if (!call) return undefined
            const recorded = { ...recordedCall(call), name: `call ${id}` }
            const variables = { ...recorded.variables, ...call.evaluation }
            return { id: String(id), created_at, history: recorded.messages, customer: null, variables, recorded }
          },
        }
      }
    }
    return { filters, candidates }
  },
}

/** What the commands `conversations judge` and `calls judge` judge. */
export const judgedSources = { conversations: conversationSource, calls: callSource }
