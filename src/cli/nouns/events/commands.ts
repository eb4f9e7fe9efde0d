// Commands of `events`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { resolve } from 'node:path'
import { events, type PlatformEvent } from '../../../contract/control/events.ts'
import { webhooks } from '../../../contract/control/webhooks.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { maxListed } from '../../../contract/values/page-size.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { isValidSignature } from '../../../node/webhook-signature.ts'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import { type CommandInput, command } from '../../program/commandline/command.ts'
import { pollStream } from '../../program/connection/poll-stream.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { followedExit } from '../../program/errors/interrupted-exit.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { limitFlags, parseCount, parseLimit } from '../../program/input/count-flag.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { idView, type View } from '../../program/output/format.ts'
import { printEach } from '../../program/output/output.ts'
import { printList } from '../../program/output/print-list.ts'
import { toSentence } from '../../program/output/print-result.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { selectIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { accountFlag, resolveAccount } from '../server/connections.ts'
import { createForwarder, type ForwardedEvent } from './forwarder.ts'
import { openRecording } from './recorded-events.ts'
import { recordedKinds, triggerKindOf, view } from './view.ts'

const fireView: View<Output<typeof events.fire>['data']> = idView((it) => it.kind)
const kinds = events.fire.body.shape.kind.options

export const fire = command({
  endpoint: events.fire,
  argument: { name: 'kind', describe: `Event: ${kinds.join(', ')}` },
  filledFields: ['kind', 'account', 'assistant_id'],
  flags: [
    { flags: '--assistant <id>', describe: 'Id, UUID or name of the assistant', field: 'assistant_id' },
    accountFlag,
  ],
  examples: [
    'conversation_ended --assistant Recall',
    'inbound --assistant 1 --payload \'{"from": "+14155550123"}\' --json',
  ],
  notes:
    'Works on a Parley server and on the local platform. The event starts the automation that is bound to it, or is sent to the webhook.',
  view: fireView,
  async run(context, { argument: given, input, flags }) {
    const argument = await selectIfMissing(context, given, kinds, {
      question: 'Which event?',
      missingMessage: 'Missing event.',
      hint: `Events: ${kinds.join(', ')}.`,
    })
    const kind = triggerKindOf(argument)
    if (!kind) {
      const guess = triggerKindOf(closestMatch(argument, [...kinds, ...recordedKinds]) ?? '')
      throw usageError(
        `Unknown event "${argument}".`,
        `${guess === undefined ? '' : `Did you mean ${guess}? `}Events: ${kinds.join(', ')}.`,
      )
    }
    const assistant_id = await resolveId(
      context,
      flags.assistant === undefined ? undefined : String(flags.assistant),
      assistantTarget,
      '--assistant',
    )
    const answer = await sendRequest(context, events.fire, {
      ...input,
      kind,
      account: await resolveAccount(context, flags.account),
      assistant_id,
    })
    if (!answer) return
    const { out, notes } = context
    const { holder, run_id } = answer.data
    await out.result(answer.data, toSentence(answer.message), itemShape(context.command))
    if (out.isForPeople && holder === 'automation' && run_id)
      await notes.note(`Next: parley automate runs get ${run_id}`)
  },
})

/** Maximum and default number of events in one response. */
const usual = 100

export const list = command({
  endpoint: events.list,
  filledFields: ['after', 'limit'],
  flags: [
    ...limitFlags('Maximum number of events, the newest (default: 100)'),
    {
      flags: '--follow',
      describe: 'Print events as they happen until Ctrl-C; with --limit, stop after that many new events',
    },
  ],
  isList: true,
  examples: ['', '--kind conversation.ended --json', '--follow --limit 1 -o ndjson'],
  notes:
    'Lists the newest 100 events in the order in which they happened. Use --limit or --all for more. Events are saved for 30 days.',
  view,
  async run(context, { input, flags }) {
    const { out } = context
    const limit = parseLimit(flags)
    if (!flags.follow) return listNewest(context, input, limit)
    const looked = pollStream(context, limit, async (after) => {
      const { data } = await context.call(events.list, {
        ...input,
        ...(after === undefined ? limit !== undefined && { limit: 1 } : { after }),
      })
      // With a limit, only new events count.
      return { items: after === undefined && limit !== undefined ? [] : data, last: data.at(-1)?.id ?? after ?? 0 }
    })
    await printEach(out, looked, { view }, ({ created_at, kind, subject }) => `${created_at}  ${kind}  ${subject}`)
    return followedExit(context.system.signal)
  },
})

/** Prints the newest events up to the limit, and a note if there may be more. */
async function listNewest(context: Context, input: CommandInput, limit: number | undefined): Promise<void> {
  const { globals, out, notes } = context
  const wanted = globals.all ? undefined : (limit ?? usual)
  if (globals.envelope || globals.printCurl)
    return printList(context, events.list, {
      ...input,
      ...(wanted !== undefined && { limit: Math.min(wanted, maxListed) }),
    })
  if (wanted !== undefined && wanted <= maxListed) {
    const { data } = await context.call(events.list, { ...input, limit: wanted })
    await out.list(data, { view })
    if (data.length === wanted && limit === undefined)
      await notes.note(`Showing the newest ${wanted}. More: add --all, or --limit <n>.`)
    return
  }
  const found: PlatformEvent[] = []
  for (let after = 0; ; after = found.at(-1)?.id ?? 0) {
    const { data } = await context.call(events.list, { ...input, after, limit: maxListed })
    found.push(...data)
    if (data.length < maxListed) break
    if (wanted !== undefined && found.length > wanted) found.splice(0, found.length - wanted)
  }
  await out.list(wanted === undefined ? found : found.slice(-wanted), { view })
}

interface ReceivedEvent {
  readonly id: number
  readonly kind: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const listen = command({
  endpoint: events.listen,
  worksWithoutControl: true,
  filledFields: ['account', 'after', 'limit'],
  flags: [
    accountFlag,
    { flags: '--forward-to <url>', describe: 'URL that receives each event, signed like a webhook' },
    { flags: '--print', describe: 'Print each event and check its signature' },
    { flags: '--record <folder>', describe: 'Save each event in a separate file in this folder' },
  ],
  examples: [
    '--print --limit 1',
    '--forward-to http://127.0.0.1:3000/hooks --limit 1 -o ndjson',
    '--profile staging --forward-to http://127.0.0.1:3000/hooks --record events',
  ],
  notes:
    'Receives new events until Ctrl-C or --limit. You do not need to enable a webhook. To get the signing secret: parley server webhooks secret.\nOn a remote deployment without a control token, the lists of calls, conversations and failed runs are polled every 5 seconds, and their new events are delivered in order. Progress is saved for each profile: a later run continues with what happened in between. An event is repeated only if the process was killed during its delivery, with the same webhook-id. While the receiver cannot be reached, the event waits; any response counts as delivered. While the deployment cannot be reached, the command waits too, once it has started to listen.',
  view: { id: (it: ForwardedEvent) => it.id, columns: [], empty: 'No events received.' },
  async run(context, { input, flags }) {
    const target = flags.forwardTo === undefined ? undefined : String(flags.forwardTo)
    if (target === undefined && !flags.print && flags.record === undefined)
      throw usageError(
        'Missing --print, --forward-to or --record.',
        'Pass --print to print the events, --forward-to <url> to forward them, or --record <folder> to save them.',
      )
    if (target !== undefined && !/^https?:\/\/[^\s/]+/.test(target))
      throw usageError(`Invalid --forward-to URL "${target}".`, 'Pass a URL such as http://127.0.0.1:3000/hooks.')
    const { globals, system } = context
    const limit = parseCount(globals.limit, '--limit')
    const forward = target === undefined ? undefined : await createForwarder(context, target)
    const record = flags.record === undefined ? undefined : openRecording(resolve(system.cwd, String(flags.record)))
    if ((await context.connection()).via === 'remote' && !system.env.PARLEY_CONTROL_TOKEN) {
      if (flags.account !== undefined || Object.keys(input).length > 0)
        throw usageError(
          '--account, --kind and --after need the control token of the deployment.',
          'Omit them, or set PARLEY_CONTROL_TOKEN.',
        )
      const { listenRemotely } = await import('./remote-listen.ts')
      return printEvents(context, listenRemotely(context, { forward, record, limit }), target)
    }
    const account = await resolveAccount(context, flags.account)
    const { secret } = await context.call(webhooks.secret, { account })
    await context.notes.note('Listening. Stop with Ctrl-C.')
    const heard = pollStream<ReceivedEvent>(context, limit, async (after) => {
      const { data, last } = await context.call(events.listen, {
        ...input,
        account,
        ...(after === undefined ? { limit: 1 } : { after }),
      })
      // Only new events are received.
      return { items: after === undefined ? [] : data, last }
    })
    const passed = (async function* (): AsyncIterable<ForwardedEvent> {
      for await (const event of heard) {
        const genuine = isValidSignature(secret, event, system.now())
        const payload: unknown = parseJson(event.body)
        record?.({ id: event.headers['webhook-id'] ?? String(event.id), kind: event.kind, payload })
        const sent =
          forward && genuine
            ? await forward(event)
            : { status: null, error: genuine ? null : 'The signature does not match.' }
        yield { id: event.id, kind: event.kind, genuine, ...sent, payload }
      }
    })()
    return printEvents(context, passed, target)
  },
})

async function printEvents(
  context: Context,
  events: AsyncIterable<ForwardedEvent>,
  target: string | undefined,
): Promise<ExitName> {
  await printEach(context.out, events, { view: context.command.view }, (event) => lineOf(event, target))
  return followedExit(context.system.signal)
}

function lineOf({ kind, genuine, status, error, payload }: ForwardedEvent, target: string | undefined): string {
  const signed = genuine ? 'signature valid' : 'signature INVALID'
  if (target === undefined) return `${kind}  ${signed}  ${stringifyJson(payload)}`
  return `${kind}  ${signed}  -> ${target}  ${error ?? status}`
}
