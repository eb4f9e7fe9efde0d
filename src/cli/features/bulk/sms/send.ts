import { isReplay } from '../../../../client/journal/outcome-detail.ts'
import { type SentSms, sms } from '../../../../contract/resources/sms.ts'
import { usd } from '../../../../contract/values/money.ts'
import { noteOutlook } from '../../../nouns/contacts/closed-hours.ts'
import { printIfWaiting } from '../../../nouns/contacts/waiting.ts'
import { target as numberTarget } from '../../../nouns/numbers/view.ts'
import { command } from '../../../program/commandline/command.ts'
import { sendRequest } from '../../../program/connection/send-request.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { normalizePhoneNumber } from '../../../program/input/phone-number.ts'
import { withListHint } from '../../../program/input/request-by-id.ts'
import { resolveId } from '../../../program/input/resolve-target.ts'
import { spendingFlags } from '../../../program/operations/billing-flags.ts'
import { idView } from '../../../program/output/format.ts'
import { itemShape } from '../../../program/output/tables/item-shape.ts'
import { promptMissingFields } from '../../../program/prompts/prompt-fields.ts'
import { requireNoRowFlags, rowFlags } from '../rows/row-flags.ts'

/** Command `sms send`. A single SMS is asked about and sent by `sendRequest`; rows of a file are another way, in send-rows.ts. */
export const send = command({
  endpoint: sms.send,
  // A single message is cheap, so no confirmation is needed. The operations journal still records it.
  risk: 'write',
  rows: 'maybe',
  exits: ['finding'],
  summary: 'Send an SMS, or one per row of a file',
  filledFields: ['from'],
  flags: [
    { flags: '--from <id>', describe: 'Id, number or nickname of your number', field: 'from' },
    ...rowFlags,
    { flags: '--allow-duplicate', describe: 'Allow the same recipient in several rows' },
    ...spendingFlags,
  ],
  examples: [
    '--from "Front desk" --to +14155550142 --body "Your appointment is on Monday at 9."',
    '--from 4 --file patients.csv --body "Hello {{first_name}}, see you on Monday." --yes',
    '--from 4 --to +14155550142 --body "Your table is free now." --now',
    '--from 4 --file patients.csv --body "See you on Monday." --dry-run',
  ],
  notes:
    'Outside the contact hours of the account (parley contacts hours), an SMS waits on the platform until they open, unless you pass --now. Each segment is charged to the balance: 160 characters of the GSM alphabet or 70 of others; in longer messages, each segment has 153 or 67.\nA lost response never sends an SMS twice: the exit code is 12, and nothing is repeated. Run "parley ops reconcile" to determine the outcome. A single message that repeats one of the last minute, to the same recipient with the same content, is asked about on a terminal, and is a warning in scripts. The minute is one of this computer, because moving the clock of the platform does not change when a person sent a message. --resend and --within need --file. The API has no list of sent SMS: parley ops list shows those of this machine, and parley billing usage what they cost.\nWith --file, each row is an SMS. Columns: to (or phone, number, mobile, tel), and either body or those that --body names in double braces. All rows are checked first. Then you confirm; without a terminal, pass --yes. Running the same command again sends the remaining rows. See: parley help bulk.',
  view: idView((it: SentSms) => it.id),
  async run(context, invocation) {
    if (invocation.holdsRows) return (await import('./send-rows.ts')).sendRows(context, invocation)
    const { flags, input } = invocation
    requireNoRowFlags(flags)
    const given = flags.from ?? input.from
    const missing = [
      ...(given === undefined ? ['--from'] : []),
      ...(['to', 'body'] as const).filter((it) => input[it] === undefined).map((it) => `--${it}`),
    ]
    if (missing.length > 0 && !context.interactive)
      throw usageError(`Missing ${missing.join(', ')}.`, `See: parley ${context.commandName} --help.`)
    const from = await resolveId(context, given === undefined ? undefined : String(given), numberTarget, '--from')
    const rest = await promptMissingFields(context, sms.send, { ...input, from })
    const to = (await normalizePhoneNumber(String(rest.to))) ?? String(rest.to)
    const answer = await withListHint(numberTarget, () =>
      sendRequest(context, sms.send, { ...rest, to }, { progressText: `Sending to ${to}` }),
    )
    if (!answer) return noteOutlook(context, sms.send, { ...rest, to })
    const { out, notes } = context
    if (await printIfWaiting(context, answer, `SMS to ${to}`)) return 'done'
    const { data } = answer
    const sentence = isReplay(answer)
      ? `SMS to ${to} already sent. Nothing was charged. Id: ${data.id}`
      : `SMS to ${to} ${data.status}. Segments: ${data.segments}. Cost: ${usd(Number(data.total_cost))}. Id: ${data.id}`
    await out.result(data, sentence, itemShape(send))
    if (data.status !== 'failed') return 'done'
    await notes.warn('The carrier did not accept the SMS.')
    return 'finding'
  },
})
