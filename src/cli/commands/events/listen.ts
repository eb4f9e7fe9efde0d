import { resolve } from 'node:path'
import { events } from '../../../contract/control/events.ts'
import { webhooks } from '../../../contract/control/webhooks.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { command } from '../../commandline/command.ts'
import { pollStream } from '../../connection/poll-stream.ts'
import type { Context } from '../../context.ts'
import { followedExit } from '../../errors/interrupted-exit.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseCount } from '../../input/count-flag.ts'
import { oneByOne } from '../../output/one-by-one.ts'
import { accountFlag, resolveAccount } from '../server/connections/view.ts'
import { createForwarder, type ForwardedEvent } from './forwarder.ts'

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
    const record =
      flags.record === undefined
        ? undefined
        : (await import('./recorded-events.ts')).openRecording(resolve(system.cwd, String(flags.record)))
    if ((await context.connection()).via === 'remote' && !system.env.PARLEY_CONTROL_TOKEN) {
      if (flags.account !== undefined || Object.keys(input).length > 0)
        throw usageError(
          '--account, --kind and --after need the control token of the deployment.',
          'Omit them, or set PARLEY_CONTROL_TOKEN.',
        )
      const { listenRemotely } = await import('./remote-listen.ts')
      return printEvents(context, oneByOne(listenRemotely(context, { forward, record, limit })), target)
    }
    const account = await resolveAccount(context, flags.account)
    const { secret } = await context.call(webhooks.secret, { account })
    await context.notes.note('Listening. Stop with Ctrl-C.')
    const heard = pollStream<ReceivedEvent>(context, limit, async (after) => {
      const { data, last } = await context.call(events.listen, {
        ...input,
        account,
        ...(after === undefined ? { limit: 1 } : { after }),
      } as never)
      // Only new events are received.
      return { items: after === undefined ? [] : data, last }
    })
    const { isValidSignature } = await import('../../../node/webhook-signature.ts')
    const passed = (async function* (): AsyncIterable<readonly ForwardedEvent[]> {
      for await (const it of heard) {
        const genuine = isValidSignature(secret, it, system.now())
        const payload: unknown = parseJson(it.body)
        record?.({ id: it.headers['webhook-id'] ?? String(it.id), kind: it.kind, payload })
        const sent =
          forward && genuine
            ? await forward(it)
            : { status: null, error: genuine ? null : 'The signature does not match.' }
        yield [{ id: it.id, kind: it.kind, genuine, ...sent, payload }]
      }
    })()
    return printEvents(context, passed, target)
  },
})

async function printEvents(
  context: Context,
  events: AsyncIterable<readonly ForwardedEvent[]>,
  target: string | undefined,
): Promise<ExitName> {
  const { out, system } = context
  if (out.settings.form !== 'table' || out.settings.fields)
    await out.pages(events, { view: context.command.view } as never)
  else for await (const [it] of events) if (it) await out.line(lineOf(it, target))
  return followedExit(system.signal)
}

function lineOf({ kind, genuine, status, error, payload }: ForwardedEvent, target: string | undefined): string {
  const signed = genuine ? 'signature valid' : 'signature INVALID'
  if (target === undefined) return `${kind}  ${signed}  ${stringifyJson(payload)}`
  return `${kind}  ${signed}  -> ${target}  ${error ?? status}`
}
