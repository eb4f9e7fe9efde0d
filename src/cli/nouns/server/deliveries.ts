// Commands of `server deliveries`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not
// renamed.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type Delivery, deliveries } from '../../../contract/control/deliveries.ts'
import { failures } from '../../../contract/errors/failures.ts'
import { maxListed } from '../../../contract/values/page-size.ts'
import { stringifyJson } from '../../../node/json.ts'
import { command } from '../../program/commandline/command.ts'
import { findServer } from '../../program/connection/connect.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { limitFlags, parseLimit } from '../../program/input/count-flag.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { idView, type View } from '../../program/output/format.ts'
import { formatValue } from '../../program/output/format-value.ts'
import { printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import type { Target } from '../../program/resources/resource.ts'

/**
 * Rethrows the failure of a replay. If the webhook is disabled, it names the command that enables it, and the one that
 * sends a copy: to the test receiver of the inspector, if a server serves it.
 */
async function throwWithNextCommand(context: Context, id: number, error: unknown): Promise<never> {
  const text = failures['deliveries.webhook_disabled'].text
  if (!(error instanceof ClientFailure) || error.message !== text) throw error
  const { data } = await context.call(deliveries.show, { id })
  const server = findServer(context.system)
  // The path of the test receiver is that of inspector.ts.
  const url = server?.inspector ? `${server.url}/_parley/receiver` : '<url>'
  const next = [`${enableCommand(data)} ${url}`, `parley server deliveries replay ${id} --url ${url}`]
  throw new ClientFailure({
    exit: error.exit,
    code: error.code,
    message: error.message,
    ...(error.status !== undefined && { status: error.status }),
    hint: `Enable the webhook and replay again, or send a copy.${
      server?.inspector
        ? ' This URL is the test receiver of the inspector.'
        : ' The inspector has a test receiver: parley ui.'
    }`,
    next,
  })
}

/** Returns the command that enables the webhook of a delivery. Its values of --event are those of assistants/commands.ts. */
function enableCommand({ event, assistant_id, sender_id, account_id }: Delivery): string {
  if (event === 'message_status')
    return `parley server webhooks sender ${sender_id} --account ${account_id} --webhook-url`
  if (event === 'automation_run_failed') return `parley server webhooks runs --account ${account_id} --webhook-url`
  return `parley assistants enable-webhook ${assistant_id} --event ${event.replaceAll('_', '-')} --webhook-url`
}

/** How deliveries are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<Delivery> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'event', title: 'Event', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'attempts', title: 'Attempts', priority: 3, kind: 'number' },
    {
      key: (it) => it.next_attempt_at ?? (it.status === 'pending' ? 'after an earlier one' : null),
      field: 'next_attempt_at',
      title: 'Next',
      priority: 4,
      kind: 'time',
    },
    { key: (it) => it.last_error ?? it.last_status, title: 'Last response', priority: 3, flexible: true },
    { key: 'url', title: 'To', priority: 2, flexible: true },
    { key: 'created_at', title: 'Created', priority: 5, kind: 'time' },
  ],
  empty: 'No deliveries. Enable a webhook: parley assistants enable-webhook.',
}

const target: Target = {
  singular: 'delivery',
  list: deliveries.list,
  listCommand: 'server deliveries list',
  by: ['message_id'],
  label: (it) => `${it.event} to ${it.url}, ${it.status} (${it.id})`,
}

const argument = { name: 'id', describe: 'Id of the delivery' } as const

export const list = command({
  endpoint: deliveries.list,
  filledFields: ['limit', 'since'],
  flags: limitFlags('Maximum number of deliveries, 1-1000 (default: 100)'),
  isList: true,
  examples: ['', '--failed --since 24h', '--event conversation_ended --json'],
  notes: `--all, --filter and --sort read the newest ${maxListed} deliveries.`,
  view,
  run(context, { input, flags }) {
    const limit = context.globals.all ? maxListed : parseLimit(flags, maxListed)
    return printList(
      context,
      deliveries.list,
      { ...input, ...(limit !== undefined && { limit }) },
      { newest: { max: maxListed, plural: 'deliveries', narrowing: '--event, --status or --account' } },
    )
  },
})

export const replay = command({
  endpoint: deliveries.replay,
  filledFields: ['id'],
  exits: ['finding'],
  argument: { ...argument, optional: true },
  examples: ['1', '--failed --since 24h', '--since 2026-08-01T00:00:00Z --event post_call'],
  notes:
    'A replay keeps its message id, so that receivers can detect duplicates. With --url, --payload or --headers, a copy is sent once instead, with its own message id and signature; the exit code is 20 if it was not delivered. While the webhook is disabled, the exit code is 5 and nothing is sent.',
  async run(context, { argument: given, input }) {
    const isMany = input.failed === true || input.since !== undefined
    if (given === undefined && !isMany && !context.interactive)
      throw usageError('Missing delivery.', 'Pass an id, --failed or --since 24h.')
    if (given !== undefined && isMany) throw usageError('An id cannot be combined with --failed or --since.')
    const answer = isMany
      ? await sendRequest(context, deliveries.replay, input)
      : await requestById(context, given, target, (id) =>
          sendRequest(context, deliveries.replay, { ...input, id }).catch((error) =>
            throwWithNextCommand(context, id, error),
          ),
        )
    if (!answer) return
    const { out } = context
    await out.result(answer, answer.message, { view: idView(() => answer.count) })
    if (answer.copy === undefined) return
    const { data } = await context.call(deliveries.show, { id: answer.copy })
    return data.status === 'delivered' ? 'done' : 'finding'
  },
})

export const get = command({
  endpoint: deliveries.show,
  argument,
  examples: ['1', '1 --fields payload --json'],
  view,
  async run(context, { argument: given }) {
    const answer = await requestById(context, given, target, (id) => sendRequest(context, deliveries.show, { id }))
    if (!answer) return
    const { out, notes } = context
    const { tries, payload, ...about } = answer.data
    const print = async (): Promise<void> => {
      await out.record({ ...about, payload: stringifyJson(payload) }, itemShape({ endpoint: deliveries.show }))
      const how = { ...out.settings, relative: false, lines: false }
      for (const { number, at, status, error, ms } of tries)
        await notes.note(`Attempt ${number}, ${formatValue(at, 'time', how)}: ${error ?? status}, ${ms} ms`)
    }
    await out.result(answer.data, print, { view })
  },
})
