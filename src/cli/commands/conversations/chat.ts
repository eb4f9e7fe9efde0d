import { ClientFailure } from '../../../client/failure.ts'
import { conversations } from '../../../contract/conversations.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { transcript } from '../../output/transcript.ts'
import { showOnly } from '../../requests.ts'
import { usage } from '../../usage.ts'
import { assistantFlag, assistantUuid } from './beginning.ts'
import { piped, typed } from './lines.ts'
import { silent } from './send.ts'

/** A message and what was answered, as programs get it. */
interface Exchange {
  readonly type: 'item'
  readonly conversation_id: string
  readonly message: string
  readonly reply: string
  readonly function_calls: readonly { readonly name: string; readonly arguments: object; readonly result: object }[]
}

const view: View<Exchange> = {
  id: (it) => it.conversation_id,
  columns: [
    { key: 'type', title: 'Type', priority: 9 },
    { key: 'conversation_id', title: 'Conversation', priority: 3 },
    { key: 'message', title: 'Message', priority: 1, flexible: true },
    { key: 'reply', title: 'Reply', priority: 1, flexible: true },
    { key: 'function_calls', title: 'Functions', priority: 2 },
  ],
  empty: 'Nothing was said.',
}

/** How much of what was said before is shown to who takes a conversation up again. */
const recent = 10

export const chat = command({
  summary: 'Talk to an assistant, line by line',
  endpoint: conversations.send,
  risk: 'write',
  argument: { name: 'id', describe: 'UUID of a conversation to go on with; without one a new one is started', optional: true },
  fills: ['message'],
  takes: [],
  flags: [
    assistantFlag,
    { flags: '--type <type>', describe: 'Kind of a new conversation: test is free, widget costs 0.01 USD a message (test)', choices: ['test', 'widget'] },
  ],
  examples: ['--assistant "Front desk"', '--assistant 1 -o ndjson < questions.txt'],
  notes: 'On a terminal: /quit or Ctrl-D ends it. From a pipe each line is a message, as text or as JSON with "message"; -o ndjson answers each as it comes.',
  view,
  async run(context, { argument, flags }) {
    if (argument !== undefined && (flags.assistant ?? flags.type) !== undefined)
      throw usage('--assistant and --type are for a new conversation: leave them out, or the id.')
    if (await showOnly(context, conversations.send, { uuid: argument ?? '<conversation>', message: '<message>' })) return
    const interrupt = new AbortController()
    const uuid = await opened(context, argument, flags)
    const exchanges = talk(context, uuid, interrupt)
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields) await out.pages(inPages(exchanges), { view } as never)
    else for await (const it of exchanges) await shown(context, it)
    if (context.interactive) await notes.note(`Go on with it: parley conversations chat ${uuid}`)
  },
})

/** The conversation to talk in: taken up again, or new. */
async function opened(context: Context, given: string | undefined, { assistant, type = 'test' }: Record<string, unknown>): Promise<string> {
  const { history, uuid } = given === undefined ? await begun() : { ...(await context.call(conversations.get, { uuid: given })), uuid: given }
  const { out, world, notes } = context
  if (out.settings.form === 'table' && !out.settings.fields && context.interactive) {
    if (history.length > recent) await notes.note(`${history.length - recent} earlier messages: parley conversations get ${uuid}`)
    await world.streams.stdout.write(await transcript(history.slice(-recent), out.settings))
  }
  return uuid

  async function begun() {
    const body = { assistant_id: await assistantUuid(context, assistant), type: type as 'test' }
    const made = await context.call(conversations.create, body)
    return { history: made.history, uuid: made.conversation_id }
  }
}

async function* talk(context: Context, uuid: string, interrupt: AbortController): AsyncGenerator<Exchange> {
  const signal = AbortSignal.any([context.world.signal, interrupt.signal])
  for await (const line of context.interactive ? typed(context, interrupt) : piped(context)) {
    const message = line.trim()
    if (message === '/quit') return
    if (message === '') continue
    try {
      const { message: reply, function_calls } = await context.call(conversations.send, { uuid, message }, { signal })
      yield { type: 'item', conversation_id: uuid, message, reply, function_calls }
    } catch (error) {
      // A person can say it otherwise; a script has to know.
      const isMendable = error instanceof ClientFailure && (error.exit === 'rejected' || error.code === 'failed')
      if (!context.interactive || !isMendable) throw error
      await context.notes.warn(error.message)
    }
  }
}

async function shown({ out, notes, world }: Context, { reply, function_calls }: Exchange): Promise<void> {
  if (reply === '') return notes.note(silent)
  await world.streams.stdout.write(await transcript([{ role: 'assistant', content: reply, function_calls }], out.settings))
}

async function* inPages(items: AsyncIterable<Exchange>): AsyncIterable<readonly Exchange[]> {
  for await (const it of items) yield [it]
}
