import { isReplay } from '../../../client/journal/outcome-detail.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { user } from '../../../contract/resources/user.ts'
import { amountText } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { command, repeatedFlag } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmTerms, type Terms } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { normalizePhoneNumber } from '../../input/phone-number.ts'
import { withListHint } from '../../input/request-by-id.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { spendingFlags } from '../../operations/billing-flags.ts'
import { confirmRepeat, readBilling, readMinutePrice } from '../../operations/budget.ts'
import { callPriceText, findAssistant, minutePriceText } from '../../operations/campaign-price.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { assistantFlag, target as assistantTarget } from '../assistants/view.ts'
import { mergeVariables, variableFlag } from '../conversations/assistant-flag.ts'
import { followCall, isUnreached } from './follow-call.ts'
import { answeredId, newestCallId, readStartedCall } from './started-call.ts'
import { view } from './view.ts'

export const start = command({
  endpoint: calls.start,
  argument: { name: 'number', describe: 'Number to call, E.164' },
  filledFields: ['phone_number', 'assistant_id'],
  flags: [
    assistantFlag,
    variableFlag,
    { flags: '--follow', describe: 'Print status changes and the transcript until the call has ended' },
    ...spendingFlags,
  ],
  exits: ['finding', 'unknown', 'interrupted'],
  examples: [
    '+14155550142 --assistant Recall --yes',
    '+14155550142 --assistant 2 --var first_name=Anna --follow --yes',
    '+14155550142 --assistant Recall --dry-run',
  ],
  notes:
    'Each started minute is charged to the balance. A call is never started twice: if the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome.\nThe call is read back. Where the response has no id, it is the first new call to this number in the list of calls. The exit code is 20 when the platform does not list the call, or the customer was not reached, and 12 when the call could not be read back: do not start it again.',
  view,
  async run(context, { argument, flags, input }) {
    const [number, given] = [argument ?? input.phone_number, flags.assistant ?? input.assistant_id]
    if (!context.interactive && (number === undefined || given === undefined))
      throw usageError(
        number === undefined
          ? 'Missing number. Pass the number to call, for example +14155550142.'
          : 'Missing --assistant.',
        `See: parley ${context.commandName} --help.`,
      )
    const assistant_id = await resolveId(
      context,
      given === undefined ? undefined : String(given),
      assistantTarget,
      '--assistant',
    )
    const variables = mergeVariables(input.variables, repeatedFlag(flags, 'var'))
    const filled = await promptMissingFields(context, calls.start, {
      ...input,
      assistant_id,
      ...(number !== undefined && { phone_number: String(number) }),
      ...(variables && { variables }),
    })
    const text = String(filled.phone_number)
    const body = { ...filled, phone_number: (await normalizePhoneNumber(text)) ?? text }
    if (await previewRequest(context, calls.start, body)) return
    if (!context.globals.yes) {
      const read = (): Promise<Terms> => readTerms(context, body.phone_number, filled.assistant_id)
      await confirmTerms(context, await read(), read)
    }
    await confirmRepeat(context, calls.start, body, false)
    const minutePriceUsd = await readMinutePrice(context)
    const before = await newestCallId(context, body.phone_number)
    const answer = await withListHint(assistantTarget, () =>
      context.progress.showWhile(
        `Calling ${body.phone_number}`,
        context.call(calls.start, body as never, { minutePriceUsd }),
      ),
    )
    const isEarlier = isReplay(answer)
    if (isEarlier && answeredId(answer) === undefined) {
      await context.out.done(`Call to ${body.phone_number} already started. Nothing was charged.`)
      await context.notes.note(`Next: parley calls list --phone-number ${body.phone_number}`)
      return
    }
    const call = await readStartedCall(context, answer, body.phone_number, before)
    if (call === 'unreadable') return 'unknown'
    if (!call) {
      await context.notes.warn(
        `The platform accepted the call but does not list it. Check: parley calls list --phone-number ${body.phone_number}`,
      )
      return 'finding'
    }
    const { out, notes } = context
    if (flags.follow === true) {
      // A later error must not look as if no call was started.
      await notes.note(`${isEarlier ? 'Call already started. Nothing was charged' : 'Started call'}. Id: ${call.id}`)
      return followCall(context, call.id, call)
    }
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(call, itemShape({ endpoint: calls.get, view: view as never }) as never)
    else {
      await out.done(
        `${isEarlier ? 'Already started, nothing was charged: call' : 'Started call'} to ${body.phone_number}: ${stateText(call.status)}.${isEarlier || minutePriceUsd === undefined ? '' : ` Price: ${minutePriceText(minutePriceUsd)}.`} Id: ${call.id}`,
      )
      await notes.note(`Next: parley calls follow ${call.id}`)
    }
    return isUnreached(call) ? 'finding' : 'done'
  },
})

/** Reads what is decided on: price, balance and assistant. */
async function readTerms(context: Context, number: string, assistantId: unknown): Promise<Terms> {
  const [{ total_balance: balance }, { prices, unit }, assistant] = await Promise.all([
    context.call(user.me, {}),
    readBilling(context),
    findAssistant(context, assistantId),
  ])
  const price = callPriceText(prices ?? undefined)
  const called = typeof assistant?.name === 'string' ? `"${assistant.name}" (${assistantId})` : String(assistantId)
  const cost = `Price: ${price}, charged to your balance of ${amountText(Number(balance), unit)}`
  return {
    question: `${cost}. Call ${number} with the assistant ${called}?`,
    refusalMessage: `A call to ${number} is charged to the balance and requires confirmation. ${cost}.`,
    terms: { 'The price': price, 'The assistant': called },
  }
}
