import { readAllItems } from '../../../client/read-all-pages.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { argument, latest } from './view.ts'

export const toTest = command({
  summary: 'Turn a conversation into a test scenario',
  callsPlatform: true,
  argument,
  exits: ['not_found'],
  flags: [{ flags: '--name <name>', describe: 'Name of the scenario (default: the id of the conversation)' }],
  examples: [
    'dcc8a31d-9a12-40f7-8676-f5d9a81c26ae',
    'dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --name "Opening hours" > parley/tests/opening-hours.yaml',
  ],
  notes:
    'Prints a scenario for "parley assistants test": the messages of the customer, the tools that the assistant called, and their responses as mocks. Phone numbers, email addresses, names and other personal data are replaced where they are recognized.',
  async run(context, { argument: given, flags }) {
    const uuid = await resolveLatest(context, given, latest)
    const { history, variables = {}, customer } = await context.call(conversations.get, { uuid })
    const listed = await listedConversation(context, uuid)
    const { printScenario } = await import('../../assistant-tests/print-scenario.ts')
    await printScenario(context, {
      name: typeof flags.name === 'string' ? flags.name : `conversation ${uuid.slice(0, 8)}`,
      assistant: listed?.assistant_name ?? '',
      channel: listed?.type === 'messaging' ? 'messaging' : 'chat',
      messages: history,
      variables: variables as Readonly<Record<string, unknown>>,
      people: { name: customer?.name ?? '', phone: customer?.phone ?? '' },
    })
  },
})

/** Returns the entry of a conversation in the list, which has its type and its assistant. */
async function listedConversation({ call, system }: Context, uuid: string): Promise<Conversation | undefined> {
  const all: readonly Conversation[] = await readAllItems(
    call as never,
    conversations.list,
    { per_page: 100 },
    { signal: system.signal },
  )
  return all.find((it) => it.id === uuid)
}
