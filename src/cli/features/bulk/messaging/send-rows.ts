import { ClientFailure, isAboutKey } from '../../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../../contract/errors/exit-codes.ts'
import { type MessageTemplate, messaging, type Sender } from '../../../../contract/resources/messaging.ts'
import { user } from '../../../../contract/resources/user.ts'
import { formatDuration } from '../../../../contract/values/duration.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { amountText, usd } from '../../../../contract/values/money.ts'
import { listPlaceholders, templateValueProblem } from '../../../../contract/values/template-value.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { type Sent, senderTarget, sentId, templateTarget } from '../../../nouns/messaging/view.ts'
import { type Invocation, repeatedFlag } from '../../../program/commandline/command.ts'
import type { Terms } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { isSameId } from '../../../program/input/ids.ts'
import { parseVariables } from '../../../program/input/parse-variables.ts'
import { resolveId } from '../../../program/input/resolve-target.ts'
import { findTemplate } from '../../../program/operations/campaign-price.ts'
import type { BulkJob } from '../bulk-job.ts'
import { hashFields } from '../content-hash.ts'
import { formatCount } from '../progress-bar.ts'
import type { Problem, RowOperation, Verdict } from '../row-operation.ts'
import { phoneColumns } from '../rows/phone-columns.ts'
import { rowOptions } from '../rows/row-options.ts'
import { runRows } from '../run-rows.ts'
import { deliveriesWait } from './deliveries-wait.ts'

/** A placeholder of a template and the name of its value. */
interface Slot {
  readonly mark: string
  readonly name: string
}

/** Maximum number of requests in flight, enough to reach the rate limit. */
const concurrency = 10

/** Sends a message with one template for every row. Nothing is sent before run-rows.ts has checked all rows and asked. */
export async function sendRows(context: Context, invocation: Invocation): Promise<ExitName | undefined> {
  const { flags, input } = invocation
  const now = input.now === undefined ? {} : { now: input.now }
  const single = Object.entries({
    to: '--to',
    text: '--text',
    mediaUrl: '--media-url',
    filename: '--filename',
    recipientName: '--recipient-name',
  })
  const mixed = single.find(([name]) => flags[name] !== undefined)?.[1]
  if (mixed !== undefined)
    throw usageError(
      `${mixed} cannot be combined with --file: it applies to a single message.`,
      'Put recipients and variables into the rows of the file.',
    )
  const [senderGiven, templateGiven] = [flags.sender ?? input.sender_id, flags.template ?? input.template_id]
  if (flags.ignoreOpen !== undefined)
    throw usageError(
      '--ignore-open cannot be combined with --file: it applies to a single message.',
      'Rows with an unknown outcome are skipped. Resolve them: parley ops reconcile, or parley ops close.',
    )
  const missing = [
    ...(senderGiven === undefined ? ['--sender'] : []),
    ...(templateGiven === undefined ? ['--template'] : []),
  ]
  if (missing.length > 0 && !context.interactive)
    throw usageError(`Missing ${missing.join(', ')}.`, `See: parley ${context.commandName} --help.`)
  const sender_id = await resolveId(context, senderGiven === undefined ? undefined : String(senderGiven), senderTarget)
  const template_id = await resolveId(
    context,
    templateGiven === undefined ? undefined : String(templateGiven),
    templateTarget(sender_id),
  )
  const [{ data: senders }, { data: templates }] = await Promise.all([
    context.call(messaging.senders, { status: 'all' }),
    context.call(messaging.templates, { senderId: sender_id, status: 'all' }),
  ])
  const sender = senders.find((it) => isSameId(it.id, sender_id))
  const template = templates.find((it) => isSameId(it.id, template_id))
  if (!sender || !template)
    throw usageError(
      `${sender ? 'Template' : 'Sender'} ${sender ? template_id : sender_id} not found.`,
      `See: parley messaging ${sender ? `templates ${sender_id}` : 'senders'} --status all.`,
    )
  const slots = slotsOf(template)
  const shared = sharedBy(
    {
      ...(input.variables as object | undefined),
      ...parseVariables(repeatedFlag(flags, 'var'), 'Example: --var 1=Anna.'),
    },
    slots,
  )
  const allowsDuplicates = flags.allowDuplicate === true || flags.allowDuplicates === true
  const operation: RowOperation = {
    nouns: ['message', 'messages'],
    progressVerb: 'Sending',
    doneVerb: 'sent',
    endpoint: messaging.send,
    target: `sender ${sender_id} template ${template_id}`,
    channel: 'messaging',
    phoneField: 'recipient_phone',
    fields: {
      known: {
        recipient_phone: [...phoneColumns, 'to', 'recipient'],
        recipient_name: ['name', 'fullname'],
        variables: [],
      },
      required: ['recipient_phone'],
      variables: slots.map((it) => it.name),
      aliases: Object.fromEntries(slots.map((it) => [it.mark, it.name])),
      preset: new Set(Object.keys(shared)),
      ignored: [],
    },
    allowsDuplicates,
    duplicateHint: 'Remove one of them, or pass --allow-duplicate.',
    resendHint: 'To send all rows a second time, and be charged again, pass --resend.',
    usesIdempotencyKeys: true,
    concurrency,
    contentFields: ['variables'],
    rowOf(input) {
      const fields = input as Readonly<Record<string, unknown>>
      if (
        !isSameId(fields.sender_id, sender_id) ||
        !isSameId(fields.template_id, template_id) ||
        typeof fields.recipient_phone !== 'string'
      )
        return undefined
      // A single message may name placeholders by number.
      return {
        phone: fields.recipient_phone,
        content: hashFields(bodyOf({ variables: fields.variables }, {}, {}, slots), ['variables']),
      }
    },
    bodyOf: (fields, own) => bodyOf({ sender_id, template_id, ...now, ...fields }, shared, own, slots),
    problemsOf: (body) => slotProblems(body, slots),
    priceOf: (_, { messages }) => messages[template.category],
    classifyFailure,
    onOpened: (job) =>
      context.nameStarted({ sender_id, template_id, started_at: job.progress.head.at }, deliveriesWait(job)),
    idOf: (answer) => sentId(answer as Sent),
  }
  return runRows(context, operation, rowOptions(invocation), async (job, isReread) => {
    if (!isReread) return buildConfirmation(context, job, sender, template)
    const [current, content] = await Promise.all([
      context.call(messaging.senders, { status: 'all' }),
      findTemplate(context, sender_id, template_id),
    ])
    const from = current.data.find((it) => isSameId(it.id, sender_id))
    if (!from || !content || stringifyJson(slotsOf(content)) !== stringifyJson(slots))
      throw new ClientFailure({
        exit: 'conflict',
        code: 'conflict',
        message: `${!from ? 'The sender was removed' : !content ? 'The template was deleted' : 'The placeholders of the template changed'} while the question was open. Nothing was sent.`,
        hint: 'Run the command again.',
        sent: false,
      })
    return buildConfirmation(context, job, from, content)
  })
}

function slotsOf({ body_text: text, variables }: MessageTemplate): Slot[] {
  const marks = listPlaceholders(String(text)).map(String)
  return marks.map((mark, n) => ({ mark, name: variables[n] ?? mark }))
}

/** Returns the values for all rows by placeholder name. @throws ClientFailure `usage` for an unknown placeholder */
function sharedBy(given: Readonly<Record<string, unknown>>, slots: readonly Slot[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const slot = slots.find((it) => it.name === name || it.mark === name)
      if (!slot)
        throw usageError(
          `The template has no placeholder "${name}".`,
          slots.length === 0
            ? 'The template has no placeholders.'
            : `Placeholders: ${slots.map((it) => it.name).join(', ')}.`,
        )
      return [slot.name, String(value)]
    }),
  )
}

function bodyOf(
  fields: Record<string, unknown>,
  shared: Record<string, string>,
  own: Record<string, unknown>,
  slots: readonly Slot[],
): Record<string, unknown> {
  const given = typeof fields.variables === 'string' ? parsed(fields.variables) : fields.variables
  if (given !== undefined && !isObject(given)) return { ...fields, variables: given }
  const all: Record<string, unknown> = { ...shared }
  // The platform rejects a placeholder that is given twice, so numbers are replaced by names.
  for (const [name, value] of [...Object.entries(given ?? {}), ...Object.entries(own)])
    all[slots.find((it) => it.mark === name)?.name ?? name] =
      typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value
  const { variables: _, recipient_name: name, ...rest } = fields
  return {
    ...rest,
    ...(name !== undefined && { recipient_name: String(name) }),
    ...(Object.keys(all).length > 0 && { variables: all }),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function slotProblems({ variables = {} }: Record<string, unknown>, slots: readonly Slot[]): Problem[] {
  if (typeof variables !== 'object') return []
  const values = variables as Readonly<Record<string, unknown>>
  const missing = slots.filter((it) => values[it.name] === undefined || values[it.name] === '')
  const unknown = Object.keys(values).filter((name) => !slots.some((it) => it.name === name))
  return [
    ...missing.map((parameter) => ({
      field: parameter.name,
      message: `Missing value for {{${parameter.mark}}}. Fill the cell, or set a value for all rows: --var ${parameter.name}=<value>.`,
    })),
    ...Object.entries(values).flatMap(([field, value]) => {
      const problem = templateValueProblem(String(value))
      return problem === undefined
        ? []
        : { field, message: `Contains ${problem}. The channel does not accept that in a template.` }
    }),
    ...unknown.map((name) => ({ field: name, message: 'Unknown placeholder: the template does not have it.' })),
  ]
}

/**
 * Error codes that concern one recipient only; any other error would repeat for every row. 63018 is `limitReachedCode` of
 * the platform (send-rules.ts): a sender at its limit would fail on each row.
 */
const recipientError = /^(INVALID_PHONE|TEMPLATE_MISMATCH|UNKNOWN_ERROR|PROVIDER_ERROR_(?!63018$).*|invalid)$/

function classifyFailure(failure: {
  readonly exit: ExitName
  readonly code: string
  readonly details: readonly unknown[]
}): Verdict {
  if (failure.exit === 'unknown' || isAboutKey(failure)) return 'unknown'
  return recipientError.test(failure.code) || (failure.exit === 'rejected' && failure.details.length > 0)
    ? 'failed'
    : 'stop'
}

/**
 * Returns the confirmation: number of messages, sender, template, and cost if it is known. @throws ClientFailure
 * `usage` for more recipients than the sender limit allows
 */
async function buildConfirmation(
  context: Context,
  { todo, checkResult, source, billing, costUsd }: BulkJob,
  sender: Sender,
  template: MessageTemplate,
): Promise<Terms> {
  const { messaging_limit: recipientLimit } = sender
  // 0 means that the limit is unknown; the platform then rejects the first message itself.
  if (
    typeof recipientLimit === 'number' &&
    recipientLimit > 0 &&
    todo > recipientLimit &&
    checkResult.numbers.distinct > recipientLimit
  )
    throw usageError(
      `${source.name} has ${formatCount(checkResult.numbers.distinct)} recipients, but ${sender.display_name} (${sender.phone_number}) is limited to ${formatCount(recipientLimit)} in 24 hours. Nothing was sent.`,
      `Pass --limit ${recipientLimit} to send the first ones now. Run the same command again a day later for the next ones.`,
    )
  const me = await context.call(user.me, {})
  if (sender.quality_rating === 'RED')
    await context.notes.warn(
      `${sender.display_name} (${sender.phone_number}) has the quality rating RED. The channel may restrict its messages.`,
    )
  const price = billing?.prices?.messages[template.category]
  const balance = Number(me.total_balance)
  const unit = billing?.unit ?? null
  const cost =
    price === undefined || costUsd === undefined
      ? `The platform does not publish the price. Your balance is ${amountText(balance, unit)}.`
      : `Cost: ${usd(costUsd)}, ${usd(price)} per message. Your balance is ${amountText(balance, unit)}.`
  const shortfall =
    price !== undefined && unit !== 'minute' && todo * price > balance
      ? ` That covers ${formatCount(Math.floor(balance / price))} messages.`
      : ''
  const what = `${formatCount(todo)} ${todo === 1 ? 'message' : 'messages'}`
  const from = `from ${sender.display_name} (${sender.phone_number}) with the template "${template.name}"`
  return {
    terms: {
      'The price': price === undefined ? 'unknown' : `${usd(price)} per message`,
      'The sender': `${sender.display_name} (${sender.phone_number})`,
      'The template': `"${template.name}"`,
      'The text of the template': stringifyJson(template.body_text),
    },
    question: `${cost}${shortfall} Minimum duration: ${formatDuration(todo / 5)}. Send ${what} ${from}?`,
    refusalMessage: `Sending ${what} ${from} is charged to the balance and requires confirmation. ${cost}${shortfall}`,
  }
}
