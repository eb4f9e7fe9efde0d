import { isReplay } from '../../../../client/journal/outcome-detail.ts'
import { messaging } from '../../../../contract/resources/messaging.ts'
import { usd } from '../../../../contract/values/money.ts'
import { isNumericId } from '../../../../contract/values/numeric-id.ts'
import { templateValueProblem } from '../../../../contract/values/template-value.ts'
import { noteOutlook } from '../../../nouns/contacts/closed-hours.ts'
import { printIfWaiting } from '../../../nouns/contacts/waiting.ts'
import { type MessageAddress, resolveAddress } from '../../../nouns/messaging/message-address.ts'
import { type Sent, senderFlag, sentId, templateTarget, toFlag } from '../../../nouns/messaging/view.ts'
import { messageWait } from '../../../nouns/messaging/wait.ts'
import { type CommandInput, command, type Invocation, repeatedFlag } from '../../../program/commandline/command.ts'
import { sendRequest } from '../../../program/connection/send-request.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { isSameId } from '../../../program/input/ids.ts'
import { parseVariables } from '../../../program/input/parse-variables.ts'
import { resolveId } from '../../../program/input/resolve-target.ts'
import { spendingFlags } from '../../../program/operations/billing-flags.ts'
import { readPrice } from '../../../program/operations/budget.ts'
import { idView } from '../../../program/output/format.ts'
import { itemShape } from '../../../program/output/tables/item-shape.ts'
import { recordFlag } from '../../../program/prompts/equivalent-command.ts'
import { requireNoRowFlags, rowFlags } from '../rows/row-flags.ts'

/** Fields of a template message by flag. */
const templateFields = {
  '--template': 'template_id',
  '--variables': 'variables',
  '--recipient-name': 'recipient_name',
} as const

/**
 * Returns the content of a message without a template; undefined if none was given. @throws ClientFailure `usage` if
 * mixed with template flags
 */
function freeformContent({ flags, input }: Pick<Invocation, 'flags' | 'input'>): CommandInput | undefined {
  const content = {
    message: flags.text ?? input.message,
    media_url: flags.mediaUrl ?? input.media_url,
    filename: flags.filename ?? input.filename,
  }
  const { now } = input
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return undefined
  const mixed = Object.entries(templateFields).flatMap(([flag, field]) => (input[field] === undefined ? [] : [flag]))
  if (flags.template !== undefined) mixed.push('--template')
  if (repeatedFlag(flags, 'var').length > 0) mixed.push('--var')
  if (mixed.length > 0)
    throw usageError(
      `Text and media cannot be combined with template flags: ${mixed.join(', ')}.`,
      'Pass --template with --var, or --text and --media-url.',
    )
  if (given.message === undefined && given.media_url === undefined) throw usageError('--filename requires --media-url.')
  return { ...given, ...(now !== undefined && { now }) }
}

/** Returns the content of a template message: template id and variables. Prompts for missing values on a terminal. */
async function templateContent(
  context: Context,
  senderId: number,
  { flags, input }: Pick<Invocation, 'flags' | 'input'>,
): Promise<CommandInput> {
  const { sender_id: _sender, recipient_phone: _recipient, template_id, variables, ...rest } = input
  const named = flags.template ?? template_id
  const id = await resolveId(
    context,
    named === undefined ? undefined : String(named),
    templateTarget(senderId),
    '--template',
  )
  const given = {
    ...(variables as Record<string, string> | undefined),
    ...parseVariables(repeatedFlag(flags, 'var'), 'Use the number or name of a placeholder: --var 1=Anna.'),
  }
  const values =
    Object.keys(given).length === 0 && context.interactive ? await promptVariables(context, senderId, id) : given
  for (const [name, value] of Object.entries(values)) {
    const problem = templateValueProblem(String(value))
    if (problem !== undefined)
      throw usageError(
        `The value of placeholder ${name} contains ${problem}. The channel does not accept that in a template.`,
        'Replace it with a single space, or use several placeholders.',
      )
  }
  return { template_id: id, ...rest, ...(Object.keys(values).length > 0 && { variables: values }) }
}

async function promptVariables(context: Context, senderId: number, id: number): Promise<Record<string, string>> {
  const { data } = await context.call(messaging.templates, { senderId, status: 'all' })
  const template = data.find((it) => isSameId(it.id, id))
  const values: Record<string, string> = {}
  if (!template?.has_variables) return values
  const prompts = await context.prompts()
  await context.notes.note(template.body_text)
  for (const name of template.variables) {
    values[name] = await prompts.input(`${name}:`, {
      validate: (value) => value !== '' || 'Enter a value.',
    })
    recordFlag(context, '--var', `${name}=${values[name]}`)
  }
  return values
}

/**
 * Command `messaging send`. A single message is asked about and sent by `sendRequest`; rows of a file are another way, in
 * send-rows.ts.
 */
export const sendMessage = command({
  endpoint: messaging.send,
  // A single message is cheap, so no confirmation is needed. The operations journal still records it.
  risk: 'write',
  rows: 'maybe',
  summary: 'Send a message, or one per row of a file',
  filledFields: ['sender_id', 'template_id', 'recipient_phone'],
  allowedFields: [...new Set([messaging.send, messaging.sendFreeform].flatMap(({ body }) => Object.keys(body.shape)))],
  flags: [
    senderFlag,
    { flags: '--template <id>', describe: 'Id or name of the template', field: 'template_id' },
    toFlag,
    {
      flags: '--var <name=value>',
      describe: 'Value of a placeholder, by number or name; repeatable',
      repeatable: true,
      field: 'variables',
    },
    {
      flags: '--text <text>',
      describe: 'Text instead of a template, or media caption (24-hour window only)',
      field: 'message',
    },
    {
      flags: '--media-url <url>',
      describe: 'URL of an image, video, audio file or document instead of a template (24-hour window only)',
      field: 'media_url',
    },
    { flags: '--filename <name>', describe: 'Name of the document', field: 'filename' },
    ...rowFlags,
    { flags: '--allow-duplicate', describe: 'Allow the same recipient in several rows' },
    { flags: '--allow-duplicates', describe: 'Same as --allow-duplicate', hidden: true },
    ...spendingFlags,
  ],
  examples: [
    '--sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday',
    '--sender +14155550170 --to +14155550142 --text "See you on Monday." --wait --wait-timeout 1m',
    '--sender 1 --to +14155550142 --media-url https://northwind.example/map.pdf --filename map.pdf --text "How to find us"',
    '--sender 1 --template appointment_reminder --file patients.csv --map 1="First name" --yes',
    '--sender 1 --template appointment_reminder --file patients.csv --yes --wait=sent --wait-timeout 5m',
    '--sender 1 --template appointment_reminder --file patients.csv --dry-run',
  ],
  notes:
    'The cost is charged to the balance. Outside the contact hours of the account (parley contacts hours), a message waits on the platform until they open, unless you pass --now. Text and media without a template require an open 24-hour window with the recipient. The rate limit is 5 messages per second; further messages wait.\nA message is never sent twice. If the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome. A single message that repeats one of the last minute, to the same recipient with the same content, is asked about on a terminal, and is a warning in scripts. The minute is one of this computer, because moving the clock of the platform does not change when a person sent a message. --resend and --within need --file.\nWith --file, each row is a message with the same template. Columns: recipient_phone (or phone, number, mobile, tel), recipient_name (or name), and one per placeholder, by name or number. Use --var for values that all rows share. All rows are checked first. Then you confirm the price; without a terminal, pass --yes. Running the same command again sends the remaining rows. Recipients that got the same content in the last 7 days, from any file, are skipped and listed; pass --resend to send again. See: parley help bulk.\n--wait waits until the message is delivered; with --file, until no message of the file, sent by any of its runs, is on its way or waits for the contact hours. Run the same command again to wait again.',
  view: idView(sentId),
  waits: messageWait,
  async run(context, invocation) {
    if (invocation.holdsRows) return (await import('./send-rows.ts')).sendRows(context, invocation)
    requireNoRowFlags(invocation.flags)
    const text = freeformContent(invocation)
    if (text) return deliver(context, await resolveAddress(context, invocation), messaging.sendFreeform, text)
    const { flags, input } = invocation
    const isOpen = flags.template === undefined && input.template_id === undefined
    const to = await resolveAddress(
      context,
      invocation,
      isOpen ? ['--template'] : [],
      isOpen ? 'To send without a template, pass --text or --media-url. ' : '',
    )
    await deliver(context, to, messaging.send, await templateContent(context, to.sender_id, invocation))
  },
})

async function deliver(
  context: Context,
  to: MessageAddress,
  endpoint: typeof messaging.send | typeof messaging.sendFreeform,
  content: Invocation['input'],
): Promise<void> {
  const { globals, notes, out } = context
  if (context.interactive && !globals.dryRun && !globals.printCurl) await warnOfRating(context, to.sender_id)
  const input: CommandInput = { ...to, ...content }
  let priceUsd: number | undefined
  const answer: Sent | undefined = await sendRequest(context, endpoint, input, {
    progressText: `Sending to ${to.recipient_phone}`,
    async readPrice() {
      priceUsd = await readPrice(context, endpoint, input)
      return priceUsd
    },
  })
  if (!answer) return noteOutlook(context, endpoint, input)
  const waiting = await printIfWaiting(context, answer, `Message to ${to.recipient_phone}`)
  if (waiting) return context.nameStarted({ ...to, waiting: waiting.id }, messageWait)
  const { status } = answer
  const id = sentId(answer)
  const outcome = isReplay(answer)
    ? 'already sent. Nothing was charged.'
    : `${typeof status === 'string' ? status : 'sent'}.${priceUsd === undefined ? '' : ` Cost: ${usd(priceUsd)}.`}`
  context.nameStarted({ ...to, id }, messageWait)
  const sentence = `Message to ${to.recipient_phone} ${outcome}${isNumericId(id) ? ` Id: ${id}` : ''}`
  await out.result(answer, sentence, itemShape({ endpoint, view: sendMessage.view }))
  if (out.isForPeople)
    await notes.note(`Next: parley messaging session --sender ${to.sender_id} --to ${to.recipient_phone}`)
}

/** Warns people about a sender with a bad quality rating. Scripts skip this extra request. */
async function warnOfRating(context: Context, id: number): Promise<void> {
  const { data } = await context.call(messaging.senders, { status: 'all' })
  const sender = data.find((it) => isSameId(it.id, id))
  if (sender?.quality_rating === 'RED')
    await context.notes.warn(
      `${sender.display_name} (${sender.phone_number}) has the quality rating RED. The channel may restrict its messages.`,
    )
}
