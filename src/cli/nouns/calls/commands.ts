// Commands of `calls`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isReplay } from '../../../client/journal/outcome-detail.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { type Call, calls } from '../../../contract/resources/calls.ts'
import { user } from '../../../contract/resources/user.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { amountText, usd } from '../../../contract/values/money.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { stateText } from '../../../contract/values/states.ts'
import { isError } from '../../../node/is-error.ts'
import { command, repeatedFlag } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { requireCapability } from '../../program/connection/require-capability.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { confirmRepeat } from '../../program/consent/confirm-paid-request.ts'
import { confirmTerms, requireConfirmation, type Terms } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { pathId } from '../../program/input/ids.ts'
import { normalizePhoneNumber } from '../../program/input/phone-number.ts'
import { withListHint } from '../../program/input/request-by-id.ts'
import { type LatestTarget, resolveId, resolveLatest } from '../../program/input/resolve-target.ts'
import { spendingFlags } from '../../program/operations/billing-flags.ts'
import { readBilling, readMinutePrice } from '../../program/operations/budget.ts'
import { callPriceText, findAssistant, minutePriceText } from '../../program/operations/campaign-price.ts'
import type { View } from '../../program/output/format.ts'
import { formatValue } from '../../program/output/format-value.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import type { Target } from '../../program/resources/resource.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { assistantFlag, target as assistantsTarget, target as assistantTarget } from '../assistants/view.ts'
import { noteOutlook, readWaitingText } from '../contacts/closed-hours.ts'
import { printIfWaiting } from '../contacts/waiting.ts'
import { mergeVariables, variableFlag } from '../conversations/assistant-flag.ts'
import { printScenario } from '../conversations/print-scenario.ts'
import { recordedCall } from './recorded-call.ts'
import { callWait, isInProgress, isUnreached } from './wait.ts'

/** How calls are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<Call> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'type', title: 'Type', priority: 3 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'client_phone_number', title: 'Customer', priority: 1 },
    { key: 'assistant_name', title: 'Assistant', priority: 4, flexible: true },
    { key: 'campaign_name', title: 'Campaign', priority: 6, flexible: true },
    { key: 'duration', title: 'Duration', priority: 2, kind: 'duration' },
    { key: 'answered_by', title: 'Answered by', priority: 5 },
    { key: 'total_cost', title: 'Cost', priority: 2, kind: 'money' },
    { key: 'created_at', title: 'Started', priority: 2, kind: 'time' },
  ],
  empty: 'No calls.',
}

const latest: LatestTarget<Call> = {
  singular: 'call',
  list: calls.list,
  id: (it) => it.id,
  label: (call) =>
    `${call.type} ${call.client_phone_number ?? ''}, ${stateText(String(call.status))}, ${call.created_at} (${call.id})`,
}

/** Target of deletions. Calls have no names; the newest hundred are read for the question. */
const target: Target = {
  singular: 'call',
  list: calls.list,
  limit: maxPerPage,
  by: [],
  label: (call) =>
    `${call.type} ${call.client_phone_number ?? ''}, ${stateText(String(call.status))}, ${call.created_at} (${call.id})`,
}

const pollIntervalMs = 1000

/**
 * Prints status changes and the growing transcript of a call until it has ended, then its duration, cost and variables.
 * Programs get the ended call as one record. Returns `finding` when the customer was not reached.
 */
async function followCall(context: Context, id: number, first: Call): Promise<ExitName> {
  const { out, system } = context
  let call = first
  let shownStatus = ''
  let shownText = ''
  const show = async (): Promise<void> => {
    const text = typeof call.transcript === 'string' ? call.transcript : ''
    if (call.status !== shownStatus) await out.line(`${timeText(out, call.updated_at)}  ${shown(call.status)}`)
    // A transcript normally only grows. One that was rewritten is printed again as a whole.
    const fresh = text.startsWith(shownText) ? text.slice(shownText.length) : text
    if (fresh.trim() !== '') await system.streams.stdout.write(`${safeText(fresh.trim())}\n`)
    shownStatus = call.status
    shownText = text
  }
  try {
    while (!system.signal.aborted) {
      if (out.isForPeople) await show()
      if (!isInProgress(call)) {
        const ended = call
        await out.result(ended, () => printSummary(context, id, ended), itemShape({ endpoint: calls.get, view }))
        return isUnreached(call) ? 'finding' : 'done'
      }
      await context.pause(pollIntervalMs)
      if (!system.signal.aborted) call = await context.call(calls.get, { id })
    }
  } catch (error) {
    if (!system.signal.aborted) throw error
  }
  await context.notes.note(`Stopped following. The call continues. Follow it again: parley calls follow ${id}`)
  return interruptedExit(system.signal)
}

/** Formats a value of a platform, which may have another type than the contract says. */
const shown = (value: unknown): string =>
  formatValue(value, undefined, { utc: true, now: 0, computerNow: 0, relative: false, lines: false })

/** Formats a time as in records. */
const timeText = ({ settings }: Context['out'], value: unknown): string =>
  formatValue(value, 'time', { ...settings, relative: false, lines: false })

async function printSummary(
  { out, notes }: Context,
  id: number,
  { duration, total_cost, variables }: Call,
): Promise<void> {
  const cost = Number.isFinite(Number(total_cost)) ? usd(Number(total_cost)) : shown(total_cost)
  await out.line(`Call ${id} ended after ${shown(duration)} s. Cost: ${cost}`)
  const values = isObject(variables) ? Object.entries(variables) : []
  if (values.length > 0)
    await out.line(`Variables: ${values.map(([name, value]) => `${shown(name)}=${shown(value)}`).join(', ')}`)
  await notes.note(`Next: parley calls get ${id}`)
}

/** Milliseconds between two reads of the list, and number of reads. Some platforms list a new call a moment later. */
const readIntervalMs = 500
const reads = 6

const outboundCalls = async (context: Context, number: string): Promise<readonly Call[]> =>
  (await context.call(calls.list, { phone_number: number, type: 'outbound', per_page: 5 })).data

/** Returns the highest id of the outbound calls to a number; 0 without any. */
const newestCallId = async (context: Context, number: string): Promise<number> =>
  // An id beyond 2^53 is a `bigint`, with which `Math.max` fails.
  (await outboundCalls(context, number)).reduce((newest, { id }) => (id > newest ? id : newest), 0)

/**
 * Returns the first outbound call to a number after the call with the id `before`; undefined when the list does not
 * have it after a few seconds.
 */
async function findStartedCall(context: Context, number: string, before: number): Promise<Call | undefined> {
  for (let read = 1; read <= reads; read++) {
    const started = (await outboundCalls(context, number)).filter((it) => it.id > before)
    if (started.length > 0) return started.toSorted((a, b) => (a.id > b.id ? 1 : -1))[0]
    if (read < reads) await context.system.sleep(readIntervalMs, context.system.signal)
  }
  return undefined
}

/** Returns the id that some platforms answer with, beside or inside `data`. */
function answeredId(answer: unknown): number | undefined {
  const fields = isObject(answer) ? [answer, answer.data] : []
  const id = fields.map((it) => (isObject(it) ? it.call_id : undefined)).find((it) => it !== undefined)
  return Number.isSafeInteger(id) || typeof id === 'bigint' ? (id as number) : undefined
}

/**
 * Reads a started call back: by the id in the answer, else the first new one in the list. `unreadable` if a read failed,
 * after a warning: the call was started, so the failure must not look like one of the call.
 */
async function readStartedCall(
  context: Context,
  answer: unknown,
  number: string,
  before: number,
): Promise<Call | 'unreadable' | undefined> {
  const id = answeredId(answer)
  try {
    return await (id === undefined ? findStartedCall(context, number, before) : context.call(calls.get, { id }))
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    await context.notes.warn(
      `The platform accepted the call${id === undefined ? '' : ` ${id}`}, but it could not be read: ${error.message} Do not start it again. Check: parley calls list --phone-number ${number}`,
    )
    return 'unreadable'
  }
}

export const remove = deleteCommand({
  endpoint: calls.delete,
  argument: { name: 'id', describe: 'Id of the call' },
  examples: ['1', '1 --yes'],
  notes:
    'Deletes the call with its transcript and its recording. A call in progress is hung up first. Its charges are not refunded, except those of a call that was not answered.',
  target,
  buildQuestion: (called) => ({
    question: `Delete call ${called} with its transcript? This cannot be undone.`,
    refusalMessage: `Deleting call ${called} cannot be undone and requires confirmation.`,
  }),
})

export const follow = command({
  endpoint: calls.get,
  summary: 'Print the transcript of a call until it has ended',
  argument: { name: 'id', describe: 'Id of the call' },
  exits: ['finding', 'interrupted'],
  examples: ['2', '2 --json'],
  notes:
    'Prints status changes and the transcript as it grows, then the duration, the cost and the variables. With --json, the ended call is printed. The exit code is 20 when the customer was not reached.',
  view,
  async run(context, { argument }) {
    const id = await resolveLatest(context, argument, latest)
    const call = await sendRequest(context, calls.get, { id })
    return call && followCall(context, pathId(id), call)
  },
})

export const get = command({
  endpoint: calls.get,
  argument: { name: 'id', describe: 'Id of the call' },
  examples: ['1', '2 --fields status,transcript', '2 --wait --json'],
  view,
  waits: callWait,
  async run(context, { argument }) {
    const answer = await sendRequest(context, calls.get, { id: await resolveLatest(context, argument, latest) })
    if (answer) await context.out.record(answer, itemShape({ endpoint: calls.get, view: view }))
  },
})

export const list = listCommand({
  endpoint: calls.list,
  filter: { flag: assistantFlag, target: assistantsTarget },
  examples: ['', '--status no-answer --date-from 2026-08-01', '--assistant Recall --json'],
  notes: 'Sorted from newest to oldest. Show a call with its transcript: parley calls get <id>.',
  view,
})

/**
 * Command `calls start`, which costs money: the preview, the question, the warning about a repetition and what the new call is recognized
 * by come before the only request.
 */
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
    '+14155550142 --assistant Recall --yes --wait=answered --wait-timeout 90s',
    '+14155550142 --assistant Recall --dry-run',
  ],
  notes:
    'Outside the contact hours of the account (parley contacts hours), a call waits on the platform until they open, unless you pass --now. Each started minute is charged to the balance. A call is never started twice: if the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome. The same call within a minute of this computer is a warning, also where the clock of the platform was moved.\nThe call is read back. Where the response has no id, it is the first new call to this number in the list of calls. The exit code is 20 when the platform does not list the call, or the customer was not reached, and 12 when the call could not be read back: do not start it again.',
  view,
  waits: callWait,
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
    if (await previewRequest(context, calls.start, body)) return noteOutlook(context, calls.start, body)
    if (!context.globals.yes) {
      const read = (): Promise<Terms> => readTerms(context, body.phone_number, filled.assistant_id, input.now)
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
    const waiting = await printIfWaiting(context, answer, `Call to ${body.phone_number}`)
    if (waiting) {
      context.nameStarted({ waiting: waiting.id }, callWait)
      return 'done'
    }
    const isEarlier = isReplay(answer)
    if (isEarlier && answeredId(answer) === undefined) {
      const message = `Call to ${body.phone_number} already started. Nothing was charged.`
      await context.out.result({ message }, message)
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
    const price = isEarlier || minutePriceUsd === undefined ? '' : ` Price: ${minutePriceText(minutePriceUsd)}.`
    await out.result(
      call,
      `${isEarlier ? 'Already started, nothing was charged: call' : 'Started call'} to ${body.phone_number}: ${stateText(call.status)}.${price} Id: ${call.id}`,
      itemShape({ endpoint: calls.get, view }),
    )
    if (out.isForPeople) await notes.note(`Next: parley calls follow ${call.id}`)
    return isUnreached(call) ? 'finding' : 'done'
  },
})

/** Reads what is decided on: price, balance and assistant. */
async function readTerms(context: Context, number: string, assistantId: unknown, now: unknown): Promise<Terms> {
  const [{ total_balance: balance }, { prices, unit }, assistant, waits] = await Promise.all([
    context.call(user.me, {}),
    readBilling(context),
    findAssistant(context, assistantId),
    readWaitingText(context, number, now),
  ])
  const price = callPriceText(prices ?? undefined)
  const called = typeof assistant?.name === 'string' ? `"${assistant.name}" (${assistantId})` : String(assistantId)
  const cost = `Price: ${price}, charged to your balance of ${amountText(Number(balance), unit)}`
  return {
    question: `${cost}. ${waits === undefined ? '' : `${waits} `}Call ${number} with the assistant ${called}?`,
    refusalMessage: `A call to ${number} is charged to the balance and requires confirmation. ${cost}.`,
    terms: { 'The price': price, 'The assistant': called },
  }
}

export const stop = command({
  endpoint: calls.stop,
  reducesHarm: true,
  argument: { name: 'id', describe: 'Id of the call' },
  exits: ['unknown'],
  examples: ['2', '2 --yes --json'],
  notes:
    'The call ends as "ended" when it was answered, otherwise as "no-answer". The started minutes are charged, and webhooks and automations receive the end as that of any call. A campaign counts an answered call as one that reached its lead. The call is read back: the exit code is 12 when it is still in progress, and 5 when it had already ended.',
  view,
  async run(context, { argument }) {
    await requireCapability(context, calls.stop)
    const id = await resolveLatest(context, argument, latest)
    if (await previewRequest(context, calls.stop, { id })) return
    await requireConfirmation(context, {
      question: `End call ${id}? It cannot be continued.`,
      refusalMessage: `Ending call ${id} interrupts it and requires confirmation.`,
    })
    await context.call(calls.stop, { id } as never)
    const { out, notes } = context
    const call = await context.call(calls.get, { id } as never).catch((error: Error) => error)
    if (isError(call)) {
      if (context.system.signal.aborted) throw call
      await notes.warn(`The platform accepted the end of call ${id}, but the call could not be read: ${call.message}`)
      return 'unknown'
    }
    const hasEnded = !isInProgress(call)
    const print = async (): Promise<void> => {
      if (hasEnded)
        await out.done(
          `Ended call ${id} after ${call.duration} s: ${stateText(call.status)}. Cost: ${usd(call.total_cost)}`,
        )
    }
    await out.result(call, print, itemShape({ endpoint: calls.get, view }))
    if (hasEnded) return 'done'
    await notes.warn(`Call ${id} is still ${stateText(call.status)}. See: parley calls get ${id}`)
    return 'unknown'
  },
})

export const toTest = command({
  summary: 'Turn a call into a test scenario',
  callsPlatform: true,
  argument: { name: 'id', describe: 'Id of the call' },
  exits: ['not_found'],
  flags: [{ flags: '--name <name>', describe: 'Name of the scenario (default: the id of the call)' }],
  examples: ['3', '3 --name "Asks for a price" > parley/tests/asks-for-a-price.yaml'],
  notes:
    'Prints a scenario for "parley assistants test" from the transcript of the call, with the extracted variables as expectations. Transcripts do not contain the tools that the assistant called. Phone numbers, email addresses, names and other personal data are replaced where they are recognized.',
  async run(context, { argument, flags }) {
    const call = await context.call(calls.get, { id: Number(await resolveLatest(context, argument, latest)) })
    await printScenario(context, {
      ...recordedCall(call),
      name: typeof flags.name === 'string' ? flags.name : `call ${call.id}`,
    })
  },
})
