import { messaging } from '../../../contract/resources/messaging.ts'
import { rowFlags } from '../../bulk/rows/row-flags.ts'
import { command, type Invocation } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { billingFlags } from '../../operations/billing-flags.ts'
import { itemShape } from '../../output/item-shape.ts'
import { freeformContent } from './freeform-message.ts'
import { type MessageAddress, resolveAddress } from './message-address.ts'
import { templateContent } from './template-message.ts'
import { senderFlag, toFlag } from './view.ts'

/** An answer of either way to send. */
interface Sent {
  readonly message_id: number
  readonly status?: string
}

export const sendMessage = command({
  endpoint: messaging.send,
  // One message costs less than a question about it: the terminal asks no consent, though the journal keeps it as a spend.
  risk: 'write',
  rows: 'maybe',
  summary:
    'Send a message, or one for every row of a file: a template, or text inside the 24-hour window; the cost is deducted from the balance',
  filledFields: ['sender_id', 'template_id', 'recipient_phone'],
  allowedFields: [...new Set([messaging.send, messaging.sendFreeform].flatMap(({ body }) => Object.keys(body.shape)))],
  flags: [
    senderFlag,
    { flags: '--template <id>', describe: 'Id or name of the template', field: 'template_id' },
    toFlag,
    {
      flags: '--var <name=value>',
      describe: 'Value of a placeholder, by its number or name; repeatable',
      repeatable: true,
      field: 'variables',
    },
    {
      flags: '--text <text>',
      describe: 'Text instead of a template, or the caption of the media; only inside the 24-hour window',
      field: 'message',
    },
    {
      flags: '--media-url <url>',
      describe: 'Image, video, audio or document instead of a template; only inside the window',
      field: 'media_url',
    },
    { flags: '--filename <name>', describe: 'Name of the document', field: 'filename' },
    ...rowFlags,
    { flags: '--allow-duplicate', describe: 'Allow the same recipient in several rows' },
    { flags: '--allow-duplicates', describe: 'Same as --allow-duplicate', hidden: true },
    ...billingFlags,
  ],
  examples: [
    '--sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday',
    '--sender +14155550170 --to +14155550142 --text "See you on Monday."',
    '--sender 1 --to +14155550142 --media-url https://northwind.example/map.pdf --filename map.pdf --text "How to find us"',
    '--sender 1 --template appointment_reminder --file patients.csv --map 1="First name" --yes',
    '--sender 1 --template appointment_reminder --file patients.csv --dry-run',
  ],
  notes:
    'A template message opens the 24-hour window in which text needs no template. At most 5 messages a second are taken; more wait their turn.\nA message is never sent twice: when its answer is lost the exit code is 12, and "parley ops reconcile" finds out what happened.\nWith --file each row is a message of one template: the columns recipient_phone (or phone, number, mobile, tel), recipient_name (or name), and one for each placeholder, by its name or number; --var gives all rows the same. All rows are checked first, then the price is told and --yes is needed without a terminal. The same command again sends what is left. Recipients that were sent the same content in the last 7 days, by any file, are skipped and named; --resend sends it again. See: parley help bulk.',
  view: { id: (it: Sent) => it.message_id, columns: [], empty: '' },
  async run(context, invocation) {
    if (invocation.holdsRows) return (await import('./send-rows.ts')).sendRows(context, invocation)
    refuseRowFlags(invocation)
    const text = freeformContent(invocation)
    if (text) return deliver(context, await resolveAddress(context, invocation), messaging.sendFreeform, text)
    const { flags, input } = invocation
    const isOpen = flags.template === undefined && input.template_id === undefined
    const to = await resolveAddress(
      context,
      invocation,
      isOpen ? ['--template'] : [],
      isOpen ? 'Without a template give --text or --media-url. ' : '',
    )
    await deliver(context, to, messaging.send, await templateContent(context, to.sender_id, invocation))
  },
})

function refuseRowFlags({ flags }: Invocation): void {
  const given = ['format', 'map', 'skipInvalid', 'failed', 'again', 'resend', 'within', 'allowDuplicate', 'allowDuplicates'].find(
    (it) => flags[it] !== undefined,
  )
  if (given !== undefined)
    throw usageError(`--${given.replaceAll(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)} belongs to --file with rows.`)
}

async function deliver(
  context: Context,
  to: MessageAddress,
  endpoint: typeof messaging.send | typeof messaging.sendFreeform,
  content: Invocation['input'],
): Promise<void> {
  const { globals, notes, out } = context
  if (context.interactive && !globals.dryRun && !globals.printCurl) await warnOfRating(context, to.sender_id)
  const answer: Sent | undefined = await sendRequest(
    context,
    endpoint,
    { ...to, ...content },
    `Sending to ${to.recipient_phone}`,
  )
  if (!answer) return
  if (out.settings.form !== 'table' || out.settings.fields)
    return out.record(answer, itemShape({ endpoint, view: sendMessage.view as never }) as never)
  const { status, message_id: id } = answer
  await out.line(
    `Message to ${to.recipient_phone} ${typeof status === 'string' ? status : 'sent'}.${typeof id === 'number' ? ` Id: ${id}` : ''}`,
  )
  await notes.note(`Next: parley messaging session --sender ${to.sender_id} --to ${to.recipient_phone}`)
}

/** A person is told that the channel thinks badly of the sender; looking that up is a request scripts do not pay for. */
async function warnOfRating(context: Context, id: number): Promise<void> {
  const { data } = await context.call(messaging.senders, { status: 'all' })
  const sender = data.find((it) => it.id === id)
  if (sender?.quality_rating === 'RED')
    await context.notes.warn(
      `${sender.display_name} (${sender.phone_number}) has the quality rating RED: the channel may restrict what it sends.`,
    )
}
