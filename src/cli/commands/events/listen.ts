import { events } from '../../../contract/control/events.ts'
import { webhooks } from '../../../contract/control/webhooks.ts'
import { command } from '../../commandline/command.ts'
import { pollStream } from '../../connection/poll-stream.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseCount } from '../../input/count-flag.ts'
import { accountFlag, resolveAccount } from '../server/connections/view.ts'

/** Timeout of a webhook receiver in milliseconds. */
const pollWaitMs = 10_000

interface ReceivedEvent {
  readonly id: number
  readonly kind: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Result of forwarding one event. */
interface ForwardedEvent {
  readonly id: number
  readonly kind: string
  readonly genuine: boolean
  readonly status: number | null
  readonly error: string | null
  readonly payload: unknown
}

export const listen = command({
  endpoint: events.listen,
  filledFields: ['account', 'after', 'limit'],
  flags: [
    accountFlag,
    { flags: '--forward-to <url>', describe: 'URL that receives each event, signed like a webhook' },
    { flags: '--print', describe: 'Print each event and check its signature' },
  ],
  examples: ['--print --limit 1', '--forward-to http://127.0.0.1:3000/hooks --limit 1 -o ndjson'],
  notes:
    'Receives new events until Ctrl-C or --limit. You do not need to enable a webhook. To get the signing secret: parley server webhooks secret.',
  view: { id: (it: ForwardedEvent) => it.id, columns: [], empty: 'No events received.' },
  async run(context, { input, flags }) {
    const target = flags.forwardTo === undefined ? undefined : String(flags.forwardTo)
    if (target === undefined && !flags.print)
      throw usageError(
        'Missing --print or --forward-to.',
        'Pass --print to print the events, or --forward-to <url> to forward them.',
      )
    if (target !== undefined && !/^https?:\/\/[^\s/]+/.test(target))
      throw usageError(`Invalid --forward-to URL "${target}".`, 'Pass a URL such as http://127.0.0.1:3000/hooks.')
    const account = await resolveAccount(context, flags.account)
    const { secret } = await context.call(webhooks.secret, { account })
    const forward = target === undefined ? undefined : await forwarder(context, target)
    await context.notes.note('Listening. Stop with Ctrl-C.')
    const { globals, out, system } = context
    const heard = pollStream<ReceivedEvent>(context, parseCount(globals.limit, '--limit'), async (after) => {
      const { data, last } = await context.call(events.listen, {
        ...input,
        account,
        ...(after === undefined ? { limit: 1 } : { after }),
      } as never)
      // Only new events are received.
      return { items: after === undefined ? [] : data, last }
    })
    const { isValidSignature } = await import('../../../client/webhook-signature.ts')
    const passed = (async function* (): AsyncIterable<readonly ForwardedEvent[]> {
      for await (const it of heard) {
        const genuine = isValidSignature(secret, it, system.now())
        const sent =
          forward && genuine
            ? await forward(it)
            : { status: null, error: genuine ? null : 'The signature does not match.' }
        yield [{ id: it.id, kind: it.kind, genuine, ...sent, payload: JSON.parse(it.body) }]
      }
    })()
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.pages(passed, { view: context.command.view } as never)
    else for await (const [it] of passed) if (it) await out.line(lineOf(it, target))
    return 'done'
  },
})

function lineOf({ kind, genuine, status, error, payload }: ForwardedEvent, target: string | undefined): string {
  const signed = genuine ? 'signature valid' : 'signature INVALID'
  if (target === undefined) return `${kind}  ${signed}  ${JSON.stringify(payload)}`
  return `${kind}  ${signed}  -> ${target}  ${error ?? status}`
}

/** Returns a function that forwards an event to a URL. */
async function forwarder(
  { system, globals }: Context,
  target: string,
): Promise<(it: ReceivedEvent) => Promise<{ status: number | null; error: string | null }>> {
  const { origin, pathname, search } = new URL(target)
  const transport = await system.connect(origin, { env: system.env, insecure: globals.insecure === true })
  return async ({ headers, body }) => {
    try {
      const { status } = await transport.send(
        { method: 'POST', url: pathname + search, headers, body },
        { timeoutMs: pollWaitMs, signal: system.signal },
      )
      return { status, error: null }
    } catch (error) {
      return { status: null, error: (error as Error).message }
    }
  }
}
