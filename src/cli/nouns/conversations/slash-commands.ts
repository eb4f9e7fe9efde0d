import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import { simulate } from '../../../contract/control/simulate.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { renderTranscript } from '../../program/output/transcript.ts'

/** Commands in a chat. */
const slashCommands = {
  '/help': 'List commands',
  '/vars': 'Show the variables of the conversation',
  '/cost': 'Show the cost so far',
  '/history': 'Show all messages',
  '/end': 'End the conversation (local platform only) and leave the chat',
  '/quit': 'Leave the chat (also Ctrl-D); you can resume it later',
} as const

/** The result of a slash command. */
export type SlashResult =
  | { readonly event: 'help'; readonly commands: typeof slashCommands }
  | { readonly event: 'variables'; readonly variables: Readonly<Record<string, unknown>> }
  | { readonly event: 'cost'; readonly total_cost: number | null; readonly message_count: number | null }
  | { readonly event: 'history'; readonly history: readonly { readonly role: string; readonly content: string }[] }

/** Returns whether a line ends the chat. */
export const isEndCommand = (line: string): boolean => line === '/end' || line === '/quit'

/**
 * Ends a conversation on the local platform, as an inactivity timeout would. Returns the result as a sentence;
 * undefined on other platforms, which have no such endpoint.
 */
export async function endConversation(context: Context, uuid: string): Promise<string | undefined> {
  if ((await context.connection()).via === 'remote') return undefined
  return (await context.call(simulate.end, { conversation: uuid })).message
}

/** Maximum number of conversations to search for the current one, newest first. */
const maxSearched = 500

/** Runs a slash command. Returns undefined if the line is a message. */
export async function runSlashCommand(context: Context, uuid: string, line: string): Promise<SlashResult | undefined> {
  if (line === '/help') return { event: 'help', commands: slashCommands }
  if (line === '/vars')
    return { event: 'variables', variables: (await context.call(conversations.get, { uuid })).variables ?? {} }
  if (line === '/history')
    return { event: 'history', history: (await context.call(conversations.get, { uuid })).history }
  if (line === '/cost') {
    const found = await findConversation(context, uuid)
    return { event: 'cost', total_cost: found?.total_cost ?? null, message_count: found?.message_count ?? null }
  }
  return undefined
}

/** Finds the conversation in the list, which alone returns its cost. Unlike a chat, the list requires a key. */
async function findConversation({ call }: Context, uuid: string): Promise<Conversation | undefined> {
  try {
    for await (const item of paginate<typeof conversations.list, Conversation>(
      call,
      conversations.list,
      {},
      { limit: maxSearched },
    ))
      if (item.id === uuid) return item
  } catch (error) {
    if (!(error instanceof ClientFailure) || (error.exit !== 'auth' && error.exit !== 'not_found')) throw error
  }
  return undefined
}

/** Prints the result of a slash command for people, on stderr. */
export async function printSlashResult({ notes, system, out }: Context, result: SlashResult): Promise<void> {
  const lines = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([name, text]) => `${name.padEnd(10)} ${text}`).join('\n')
  switch (result.event) {
    case 'help':
      return notes.note(
        `Commands:\n${lines(Object.entries(result.commands))}\nEnd a line with \\ to continue on the next line. Put several lines between two """ lines to send them as one message.`,
      )
    case 'variables': {
      const pairs = Object.entries(result.variables).map(
        ([name, value]) => [name, typeof value === 'string' ? value : stringifyJson(value)] as const,
      )
      return notes.note(pairs.length > 0 ? lines(pairs) : 'The conversation has no variables.')
    }
    case 'cost':
      return notes.note(
        result.total_cost === null
          ? 'Cost unknown: the conversation is not in the list.'
          : `${result.total_cost.toFixed(2)} USD, ${result.message_count} messages.`,
      )
    case 'history':
      await system.streams.stderr.write(await renderTranscript(result.history, out.settings))
  }
}
