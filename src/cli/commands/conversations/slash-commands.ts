import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import { simulate } from '../../../contract/control/simulate.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import type { Context } from '../../context.ts'
import { renderTranscript } from '../../output/transcript.ts'

/** What may be typed instead of a message. */
export const slashCommands = {
  '/help': 'Show these',
  '/vars': 'Show the variables of the conversation',
  '/cost': 'Show what it has cost so far',
  '/history': 'Show all that was said',
  '/end': 'End the conversation, where the platform is your own, and the chat',
  '/quit': 'Leave the chat; Ctrl-D too. It can be gone on with',
} as const

/** What a command of a chat found out. */
export type SlashResult =
  | { readonly event: 'help'; readonly commands: typeof slashCommands }
  | { readonly event: 'variables'; readonly variables: Readonly<Record<string, unknown>> }
  | { readonly event: 'cost'; readonly total_cost: number | null; readonly message_count: number | null }
  | { readonly event: 'history'; readonly history: readonly { readonly role: string; readonly content: string }[] }

export const isEndCommand = (line: string): boolean => line === '/end' || line === '/quit'

/** Ends a conversation as silence would, on a platform of one's own; elsewhere only the platform does. What became of it, as a sentence; undefined elsewhere. */
export async function endConversation(context: Context, uuid: string): Promise<string | undefined> {
  if ((await context.connection()).via === 'remote') return undefined
  return (await context.call(simulate.end, { conversation: uuid })).message
}

/** Conversations looked through for the one that goes on: it is among the newest unless many are written to at once. */
const maxSearched = 500

/** What a line asks for; undefined where it is a message. */
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

/** Only the list tells what a conversation costs; it needs a key, which a chat does not. */
async function findConversation({ call }: Context, uuid: string): Promise<Conversation | undefined> {
  try {
    for await (const it of paginate<typeof conversations.list, Conversation>(
      call,
      conversations.list,
      {},
      { limit: maxSearched },
    ))
      if (it.id === uuid) return it
  } catch (error) {
    if (!(error instanceof ClientFailure) || (error.exit !== 'auth' && error.exit !== 'not_found')) throw error
  }
  return undefined
}

/** The same for people, on stderr: it is no part of what was said. */
export async function printSlashResult({ notes, world, out }: Context, result: SlashResult): Promise<void> {
  const lines = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([name, text]) => `${name.padEnd(10)} ${text}`).join('\n')
  switch (result.event) {
    case 'help':
      return notes.note(
        `Besides messages:\n${lines(Object.entries(result.commands))}\nA line that ends with \\ goes on in the next; between two lines of """ all lines are one message.`,
      )
    case 'variables': {
      const pairs = Object.entries(result.variables).map(
        ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
      )
      return notes.note(pairs.length > 0 ? lines(pairs) : 'The conversation has no variables of its own.')
    }
    case 'cost':
      return notes.note(
        result.total_cost === null
          ? 'What it cost is not known: the list of conversations does not show it.'
          : `${result.total_cost.toFixed(2)} USD, ${result.message_count} messages.`,
      )
    case 'history':
      await world.streams.stderr.write(await renderTranscript(result.history, out.settings))
  }
}
