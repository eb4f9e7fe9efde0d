import { calls } from '../../../contract/resources/calls.ts'
import { command } from '../../commandline/command.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { latest } from './view.ts'

const endReasons: Readonly<Record<string, string>> = {
  ended_by_assistant: 'assistant',
  ended_by_customer: 'customer',
  completed: 'customer',
}

export const toTest = command({
  summary: 'Turn a call into a test scenario',
  callsPlatform: true,
  argument: { name: 'id', describe: 'Id of the call' },
  exits: ['not_found'],
  flags: [{ flags: '--name <name>', describe: 'Name of the scenario (default: the id of the call)' }],
  examples: ['3', '3 --name "Asks for a price" > parley/tests/asks-for-a-price.yaml'],
  notes:
    'Prints a scenario for "parley assistants test" from the transcript of the call, with the extracted variables as expectations. Transcripts do not contain the tools that the assistant called. Phone numbers, email addresses, names and other personal data are replaced where they are recognized.',
  async run(context, { argument, flags }) {
    const it = await context.call(calls.get, { id: Number(await resolveLatest(context, argument, latest)) })
    const [{ printScenario }, { messagesOf }] = await Promise.all([
      import('../../assistant-tests/print-scenario.ts'),
      import('../../assistant-tests/scenario-from-transcript.ts'),
    ])
    await printScenario(context, {
      name: typeof flags.name === 'string' ? flags.name : `call ${it.id}`,
      assistant: it.assistant_name ?? '',
      channel: 'call',
      messages: messagesOf(it.transcript ?? ''),
      variables: it.variables as Readonly<Record<string, unknown>>,
      people: { phone: it.client_phone_number ?? '' },
      extracted: it.evaluation,
      endReason: endReasons[it.status] ?? 'customer',
      direction: it.type === 'outbound' ? 'outbound' : 'inbound',
    })
  },
})
