import { paginate } from '../../../client/paginate.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import type { ListedMessage } from '../../../contract/resources/message-records.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { callsIn, readCalls } from '../../nouns/calls/export.ts'
import { recordedCall } from '../../nouns/calls/recorded-call.ts'
import { isInProgress } from '../../nouns/calls/wait.ts'
import { maxConversations, readConversationFilters } from '../../nouns/conversations/read-conversations.ts'
import { recordedConversation } from '../../nouns/conversations/recorded-conversation.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import type { GivenRecord } from './judged-record.ts'

/** A conversation or call that can be judged. */
export interface Candidate {
  readonly id: string
  /** Returns undefined if it was deleted in between. */
  read(): Promise<GivenRecord | undefined>
}

/**
 * What a command judges. What is read of each conversation or call has a name (`recorded.name`): with --to-test, it is the name
 * of the scenario and of its file, and a file that exists is not changed.
 */
export interface JudgedSource {
  /** In the plural. */
  readonly noun: 'conversations' | 'calls'
  readonly singular: string
  /** Why some are not judged, for people. */
  readonly silentReason: string
  readonly endpoint: Endpoint
  /** Reads the flags that select. */
  select(
    context: Context,
    given: Pick<Invocation, 'flags' | 'input'>,
  ): Promise<{
    readonly filters: Readonly<Record<string, unknown>>
    readonly candidates: () => AsyncGenerator<Candidate | 'nothing said'>
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

/**
 * Returns a reader of the texts that campaigns, automations and persons have sent to a number. A conversation has them as messages of
 * the assistant. A platform without a list of sent messages does not say which they are.
 */
function sentMessages(context: Context): (phone: string) => Promise<ReadonlySet<string>> {
  const known = new Map<string, Promise<ReadonlySet<string>>>()
  let hasWarned = false
  const read = async (recipient_phone: string): Promise<ReadonlySet<string>> => {
    if (!(await context.supports('messaging-list'))) return new Set()
    try {
      const all: readonly ListedMessage[] = await readAllItems(context.call, messaging.list, { recipient_phone })
      return new Set(all.map(({ body, media_url: address }) => body || (address ?? '')))
    } catch (error) {
      context.system.signal.throwIfAborted()
      if (!hasWarned) {
        hasWarned = true
        await context.notes.warn(
          `Messages of campaigns and persons count as those of the assistant, because they could not be read: ${(error as Error).message}`,
        )
      }
      return new Set()
    }
  }
  return (phone) => {
    const texts = known.get(phone) ?? read(phone)
    known.set(phone, texts)
    return texts
  }
}

const conversationSource: JudgedSource = {
  noun: 'conversations',
  singular: 'conversation',
  silentReason: 'the customer or the assistant said nothing',
  endpoint: conversations.list,
  async select(context, given) {
    const { filters, contains } = await readConversationFilters(context, given)
    const sentTo = sentMessages(context)
    async function* candidates(): AsyncGenerator<Candidate | 'nothing said'> {
      const pages = paginate<typeof conversations.list, Conversation>(context.call, conversations.list, filters, {
        limit: maxConversations,
        signal: context.system.signal,
      })
      for await (const conversation of pages) {
        if (contains && !contains(conversation)) continue
        // The greeting alone is nothing to judge.
        if (conversation.message_count < 2) {
          yield 'nothing said'
          continue
        }
        const { id, created_at } = conversation
        yield {
          id,
          async read() {
            const details = await unlessDeleted(context.call(conversations.get, { uuid: id }))
            if (!details) return undefined
            const recorded = { ...recordedConversation(conversation, details), name: `conversation ${id.slice(0, 8)}` }
            const { history, customer } = details
            const sent =
              conversation.type === 'messaging' && customer ? await sentTo(customer.phone) : new Set<string>()
            return { id, created_at, history, customer, variables: recorded.variables, recorded, sent }
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
  silentReason: 'they have not ended, have no transcript, or the customer or the assistant said nothing',
  endpoint: calls.list,
  async select(context, given) {
    const { filters, contains } = await readCalls(context, given)
    async function* candidates(): AsyncGenerator<Candidate | 'nothing said'> {
      for await (const listed of callsIn(context, filters, contains)) {
        if (isInProgress(listed) || (listed.transcript ?? '').trim() === '') {
          yield 'nothing said'
          continue
        }
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
