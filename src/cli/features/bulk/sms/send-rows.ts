import { isAboutKey } from '../../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../../contract/errors/exit-codes.ts'
import { sms } from '../../../../contract/resources/sms.ts'
import { user } from '../../../../contract/resources/user.ts'
import { amountText, usd } from '../../../../contract/values/money.ts'
import { countSegments } from '../../../../contract/values/sms-segments.ts'
import { target as numberTarget } from '../../../nouns/numbers/view.ts'
import type { Invocation } from '../../../program/commandline/command.ts'
import type { Terms } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { isSameId, pathId } from '../../../program/input/ids.ts'
import { resolveItem } from '../../../program/input/resolve-target.ts'
import type { ListedItem } from '../../../program/resources/resource.ts'
import type { BulkJob } from '../bulk-job.ts'
import { hashFields } from '../content-hash.ts'
import { formatCount } from '../progress-bar.ts'
import type { Problem, RowOperation, Verdict } from '../row-operation.ts'
import { phoneColumns } from '../rows/phone-columns.ts'
import { rowOptions } from '../rows/row-options.ts'
import { runRows } from '../run-rows.ts'

/** Maximum number of requests in flight. */
const concurrency = 4

/** A column in the text for all rows: `{{first_name}}`. */
const placeholder = /\{\{\s*([\w ]+?)\s*\}\}/g

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(placeholder)].map((it) => it[1] as string))]

/**
 * Sends an SMS for every row, with the text of the row or with one text that names columns. Nothing is sent before
 * run-rows.ts has checked all rows and asked.
 */
export async function sendRows(context: Context, invocation: Invocation): Promise<ExitName | undefined> {
  const { flags, input } = invocation
  if (input.to !== undefined)
    throw usageError(
      '--to cannot be combined with --file: it applies to a single SMS.',
      'Put the recipients into the rows of the file.',
    )
  if (flags.ignoreOpen !== undefined)
    throw usageError(
      '--ignore-open cannot be combined with --file: it applies to a single SMS.',
      'Rows with an unknown outcome are skipped. Resolve them: parley ops reconcile, or parley ops close.',
    )
  const given = flags.from ?? input.from
  if (given === undefined && !context.interactive)
    throw usageError('Missing --from.', `See: parley ${context.commandName} --help.`)
  const number = await resolveItem(context, given === undefined ? undefined : String(given), numberTarget, '--from')
  const from = pathId(number.id)
  const text = input.body === undefined ? undefined : String(input.body)
  const names = text === undefined ? [] : namesIn(text)
  const operation: RowOperation = {
    nouns: ['SMS', 'SMS'],
    progressVerb: 'Sending',
    doneVerb: 'sent',
    endpoint: sms.send,
    target: `number ${from} sms`,
    channel: 'sms',
    phoneField: 'to',
    fields: {
      known: {
        to: [...phoneColumns, 'recipient', 'recipientphone'],
        ...(text === undefined && { body: ['text', 'message'] }),
      },
      required: ['to', ...(text === undefined ? ['body'] : [])],
      variables: names,
      ignored: [],
    },
    allowsDuplicates: flags.allowDuplicate === true,
    duplicateHint: 'Remove one of them, or pass --allow-duplicate.',
    resendHint: 'To send all rows a second time, and be charged again, pass --resend.',
    usesIdempotencyKeys: true,
    concurrency,
    contentFields: ['body'],
    rowOf(sent) {
      const fields = sent as Readonly<Record<string, unknown>>
      if (!isSameId(fields.from, from) || typeof fields.to !== 'string') return undefined
      return { phone: fields.to, content: hashFields({ body: fields.body }, ['body']) }
    },
    bodyOf: (fields, own) => ({
      ...fields,
      ...(input.now !== undefined && { now: input.now }),
      from,
      ...(text === undefined
        ? fields.body !== undefined && { body: String(fields.body) }
        : { body: text.replaceAll(placeholder, (whole, name: string) => String(own[name] ?? whole)) }),
    }),
    problemsOf: ({ body }): Problem[] =>
      namesIn(text === undefined ? '' : String(body)).map((name) => ({
        field: name,
        message: `Missing value for {{${name}}}. Fill the cell.`,
      })),
    priceOf: ({ body }, { sms_segment: price }) => countSegments(String(body)) * price,
    classifyFailure,
    idOf: (answer) => (answer as { data?: { id?: number } }).data?.id,
  }
  return runRows(context, operation, rowOptions(invocation), (job) => buildConfirmation(context, job, number, text))
}

function classifyFailure({
  exit,
  code,
  details,
}: {
  readonly exit: ExitName
  readonly code: string
  readonly details: readonly unknown[]
}): Verdict {
  if (exit === 'unknown' || isAboutKey({ code })) return 'unknown'
  return exit === 'rejected' && details.length > 0 ? 'failed' : 'stop'
}

async function buildConfirmation(
  context: Context,
  { todo, billing, costUsd }: BulkJob,
  number: ListedItem,
  text: string | undefined,
): Promise<Terms> {
  const { total_balance: balance } = await context.call(user.me, {})
  const each =
    text === undefined || namesIn(text).length > 0
      ? 'Each segment is charged.'
      : `Each has ${countSegments(text)} ${countSegments(text) === 1 ? 'segment' : 'segments'}, and each segment is charged.`
  const from = number.phone_number === undefined ? `number ${number.id}` : `${number.phone_number} (${number.id})`
  const price = billing?.prices ? `${usd(billing.prices.sms_segment)} per segment` : 'unknown'
  const total = costUsd === undefined ? `Price: ${price}.` : `Cost: ${usd(costUsd)}, ${price}.`
  const cost = `${each} ${total} Your balance is ${amountText(Number(balance), billing?.unit ?? null)}.`
  return {
    terms: { 'The price': price },
    question: `${cost} Send ${formatCount(todo)} SMS from ${from}?`,
    refusalMessage: `Sending ${formatCount(todo)} SMS from ${from} is charged to the balance and requires confirmation. ${cost}`,
  }
}
