import { paginate } from '../../../client/paginate.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { target } from '../assistants/view.ts'
import { type Period, parsePeriod } from './period.ts'

/** A conversation with its messages. */
export interface FullConversation {
  readonly conversation: Conversation
  readonly details: Omit<Output<typeof conversations.get>, 'status'>
}

/** Maximum number of conversations that are read: each takes a request. Notes of commands.ts repeat the number. */
export const maxConversations = 10_000
/** Requests in flight. */
const concurrency = 8

/** Reads the flags that select conversations: the filters of the list, and the period. */
export async function readConversationFilters(
  context: Context,
  { flags, input }: Pick<Invocation, 'flags' | 'input'>,
): Promise<{ readonly filters: Readonly<Record<string, unknown>>; readonly contains: Period['contains'] }> {
  const given = flags.assistant ?? input.assistant_id
  const assistant = given === undefined ? {} : { assistant_id: await resolveId(context, String(given), target) }
  const period = await parsePeriod(context, flags)
  return { filters: { ...period.filters, ...input, ...assistant }, contains: period.contains }
}

/** Conversations as they are read. `count` and `hasMore` are final only after the iteration. */
interface ConversationReader extends AsyncIterable<FullConversation> {
  /** Conversations that were read so far. */
  readonly count: number
  /** Whether there are more conversations than those read. */
  readonly hasMore: boolean
}

/**
 * Reads conversations with their messages, newest first, at most 10 000. A conversation that was deleted in between is
 * skipped. `filters` are those of the list; conversations that `contains` excludes cost no request.
 */
export function readConversations(
  context: Context,
  filters: Readonly<Record<string, unknown>>,
  {
    limit = maxConversations,
    contains,
  }: {
    readonly limit?: number | undefined
    readonly contains?: ((conversation: Conversation) => boolean) | undefined
  } = {},
): ConversationReader {
  const { signal } = context.system
  const pages = paginate<typeof conversations.list, Conversation>(context.call, conversations.list, filters, {
    limit: contains ? maxConversations : Math.min(limit, maxConversations),
    signal,
  })
  let count = 0

  async function* chosen(): AsyncGenerator<Conversation> {
    let left = Math.min(limit, maxConversations)
    if (left > 0)
      for await (const conversation of pages) {
        if (contains && !contains(conversation)) continue
        yield conversation
        if (--left <= 0) return
      }
  }

  async function read(conversation: Conversation): Promise<FullConversation | undefined> {
    try {
      const { status: _, ...details } = await context.call(conversations.get, { uuid: conversation.id })
      return { conversation, details }
    } catch (error) {
      if ((error as { readonly status?: number }).status === 404) return undefined
      throw error
    }
  }

  async function* all(): AsyncGenerator<FullConversation> {
    const reading: Promise<FullConversation | undefined>[] = []
    const next = async (): Promise<FullConversation | undefined> => {
      const read = await reading.shift()
      count++
      return read
    }
    for await (const conversation of chosen()) {
      const started = read(conversation)
      // An error is thrown when it is the turn of its conversation.
      started.catch(() => {})
      reading.push(started)
      if (reading.length < concurrency) continue
      const found = await next()
      if (found) yield found
    }
    while (reading.length > 0) {
      const found = await next()
      if (found) yield found
    }
  }

  return {
    [Symbol.asyncIterator]: all,
    get count() {
      return count
    },
    get hasMore() {
      return pages.hasMore
    },
  }
}
