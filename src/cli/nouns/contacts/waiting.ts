// Commands of `contacts` for what waits for the hours: tree.ts loads each by its export. Scripts have verbs and flags: they
// are added, not renamed.

import type { CallMore } from '../../../client/create-client.ts'
import { contacts, type WaitingContact } from '../../../contract/resources/contacts.ts'
import { usd } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { type WaitingAnswer, waitingOf } from '../../../contract/values/waiting-answer.ts'
import { stringifyJson } from '../../../node/json.ts'
import { command } from '../../program/commandline/command.ts'
import { requireCapability } from '../../program/connection/require-capability.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { confirmTerms, requireConfirmation, type Terms } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { pathId } from '../../program/input/ids.ts'
import { type LatestTarget, resolveLatest } from '../../program/input/resolve-target.ts'
import { changeSelected, selectionFlag, selectionNote } from '../../program/lists/selection.ts'
import { spendingFlags } from '../../program/operations/billing-flags.ts'
import { openReservations, type Release } from '../../program/operations/reservations.ts'
import type { View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { describeTime } from '../../program/output/time.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import type { ShowCommand, WaitReader } from '../../program/waiting/waitable.ts'
import { closingText, recipientTime } from './closed-hours.ts'
import { noteWaitingLeads } from './waiting-leads.ts'

/**
 * How messages, SMS and calls that wait are shown to people: titles and columns may change. Programs get the fields of the
 * contract.
 */
const view: View<WaitingContact> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'channel', title: 'Channel', priority: 1 },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'content', title: 'Text', priority: 1, flexible: true },
    { key: 'opens_at', title: 'Hours open', priority: 1, kind: 'time' },
    { key: recipientTime, field: 'timezones', title: 'For the recipient', priority: 1 },
    { key: closingText, field: 'closed_by', title: 'Closed now', priority: 2, flexible: true },
    { key: 'max_cost', title: 'Costs at most', priority: 3, kind: 'money' },
    { key: 'state', title: 'State', priority: 2, kind: 'status' },
    { key: 'started_id', title: 'Started', priority: 2, kind: 'number' },
    { key: 'error', title: 'Error', priority: 2, flexible: true },
    { key: 'created_at', title: 'Requested', priority: 3, kind: 'time' },
  ],
  empty: 'Nothing waits for the contact hours.',
}

export const waiting = command({
  endpoint: contacts.waiting,
  isList: true,
  elsewhere: 'Other platforms send and call at once.',
  examples: ['', '--state all --channel sms', '--state failed --json'],
  notes:
    'Messages, SMS and calls of requests, newest first, with when they are sent in your time zone and that of the recipient, and why they wait. They are checked again and charged when they start. On a terminal, the number of leads that wait follows for each running campaign; "parley leads get" shows when one may be contacted. Runs of automations wait in "parley automate runs".',
  view,
  async run(context, { input, flags }) {
    await printList(context, contacts.waiting, input)
    const { state = 'waiting', channel } = input
    if (state === 'waiting' && !flags.watch) await noteWaitingLeads(context, channel)
  },
})

const channelWords: Readonly<Record<string, string>> = { messaging: 'message', sms: 'SMS', call: 'call' }

/** Describes something that waits: `SMS 12 to +4930123456`. A platform may leave something out. */
const describe = (id: unknown, found?: Partial<WaitingContact>): string =>
  `${channelWords[String(found?.channel)] ?? 'send or call'} ${id}${typeof found?.phone_number === 'string' ? ` to ${safeText(found.phone_number)}` : ''}`

const latest: LatestTarget<WaitingContact> = {
  singular: 'waiting contact',
  list: contacts.waiting,
  id: (it) => it.id,
  label: (it) => describe(it.id, it),
}

/** Returns what a person decides on: what is sent to whom, and the most that it costs. */
function termsOf(id: unknown, found: WaitingContact | undefined): Terms {
  const what = describe(id, found)
  const verb = found?.channel === 'call' ? 'Start' : 'Send'
  const price = costText(found?.max_cost)
  const content =
    typeof found?.content === 'string'
      ? ` ${found.channel === 'call' ? 'Assistant' : 'Text'}: ${stringifyJson(safeText(found.content))}.`
      : ''
  const closed = closingText(found ?? {})
  const why = closed === null ? '' : ` Now is ${closed}.`
  return {
    question: `Price: ${price}.${content}${why} ${verb} ${what} at once?`,
    refusalMessage: `${what} is charged to the balance (${price}) and contacts somebody outside the contact hours, which requires confirmation.`,
    // A price or a content that changes while the question is open is asked about again.
    terms: { 'The price': price, 'What is sent': `${what}${content}` },
  }
}

/** Returns the price of what waits for the journal: of a call, whose length is not known before, only the highest. */
const priceOf = (found: WaitingContact | undefined): Pick<CallMore, 'priceUsd' | 'maxPriceUsd'> =>
  typeof found?.max_cost !== 'number'
    ? {}
    : found.channel === 'call'
      ? { maxPriceUsd: found.max_cost }
      : { priceUsd: found.max_cost }

const costText = (cost: unknown): string => (typeof cost === 'number' ? `at most ${usd(cost)}` : 'not known in advance')

export const sendWaiting = command({
  endpoint: contacts.sendWaiting,
  elsewhere: 'Other platforms send and call at once.',
  argument: { name: 'id', describe: 'Id of what waits', optional: true },
  flags: spendingFlags,
  exits: ['consent'],
  examples: ['12', '12 --yes --json', '12 --dry-run'],
  notes:
    'The question has the recipient, the text and the price. It is sent or called once, also when the command is repeated or interrupted: what was started before is only shown. If the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome. What is refused, such as for the balance, waits on. The exit code is 5 when it was cancelled or has failed before.',
  view,
  async run(context, { argument }) {
    await requireCapability(context, contacts.sendWaiting)
    const waiting_id = await resolveLatest(context, argument, latest)
    let found = await readWaiting(context, waiting_id)
    const { out, notes, globals } = context
    if (globals.dryRun || globals.printCurl) {
      if (found?.state === 'waiting') await notes.note(termsOf(waiting_id, found).question)
      await previewRequest(context, contacts.sendWaiting, { waiting_id })
      return undefined
    }
    // What does not wait is not sent: the platform says why.
    if (found === undefined || found.state === 'waiting')
      await confirmTerms(context, termsOf(waiting_id, found), async () => {
        found = await readWaiting(context, waiting_id)
        return termsOf(waiting_id, found)
      })
    const wasStarted = found?.state === 'started'
    // What was started needs no request, which would be a further entry of the journal.
    const data =
      found && wasStarted
        ? found
        : (await context.call(contacts.sendWaiting, { waiting_id: pathId(waiting_id) }, priceOf(found))).data
    const isStarted = data.state === 'started'
    const print = async (): Promise<void> => {
      const said = wasStarted ? 'Already started, nothing was charged' : 'Started at once'
      if (isStarted) await out.done(`${said}: ${describe(waiting_id, data)}. Id: ${data.started_id}`)
    }
    await out.result(data, print, { schema: contacts.sendWaiting.output.shape.data, view })
    if (isStarted) return 'done'
    await notes.warn(`It is still ${stateText(data.state)}. See: parley contacts waiting`)
    return 'unknown'
  },
})

export const cancelWaiting = command({
  endpoint: contacts.cancelWaiting,
  elsewhere: 'Other platforms send and call at once.',
  reducesHarm: true,
  argument: { name: 'id', describe: 'Id of what waits', optional: true },
  flags: [selectionFlag('messages, SMS and calls that wait')],
  changesSelected: true,
  exits: ['consent', 'partial', 'unknown'],
  examples: ['12', '12 --yes --json', '--filter channel=sms --yes'],
  notes: `It is never sent or called, and nothing is charged. The exit code is 5 when it was started before, or has failed. It cannot be undone: send it again instead.\n${selectionNote.replace(' One history entry undoes all of it.', ' An undo does not restore what was cancelled.')}`,
  view,
  async run(context, invocation) {
    await requireCapability(context, contacts.cancelWaiting)
    const { argument, flags } = invocation
    let release: Release | undefined
    if (flags.filter !== undefined)
      return changeSelected(context, invocation, {
        list: 'contacts waiting',
        noun: 'contacts',
        called: ['message, SMS or call', 'messages, SMS and calls'],
        verb: ['Cancel', 'cancelled'],
        isMeant: ({ state }) => state === 'waiting',
        loss: 'What is cancelled is never sent, and cannot be restored.',
        endpoint: contacts.cancelWaiting,
        inputOf: ({ id }) => ({ waiting_id: Number(id) }),
        async apply({ call }, { id }) {
          await call(contacts.cancelWaiting, { waiting_id: Number(id) })
          release ??= await openReservations(context)
          await release(Number(id))
          return undefined
        },
      })
    const waiting_id = await resolveLatest(context, argument, latest)
    if (await previewRequest(context, contacts.cancelWaiting, { waiting_id })) return undefined
    const what = describe(waiting_id, await readWaiting(context, waiting_id))
    await requireConfirmation(context, {
      question: `Cancel ${what}? It is never sent, and this cannot be undone.`,
      refusalMessage: `Cancelling ${what} cannot be undone and requires confirmation.`,
    })
    const answer = await sendRequest(context, contacts.cancelWaiting, { waiting_id })
    if (!answer) return undefined
    const { data } = answer
    const { out, notes } = context
    const isCancelled = data.state === 'cancelled'
    // Only after the cancel: until then it can start, and its price counts against the budget of the profile.
    if (isCancelled) await (await openReservations(context))(waiting_id)
    const print = async (): Promise<void> => {
      if (isCancelled) await out.done(`Cancelled ${describe(waiting_id, data)}. Nothing was sent or charged.`)
    }
    await out.result(data, print, { schema: contacts.cancelWaiting.output.shape.data, view })
    if (isCancelled) return 'done'
    await notes.warn(`It is still ${stateText(data.state)}. See: parley contacts waiting`)
    return 'unknown'
  },
})

/**
 * Prints that what a command asked for waits for the contact hours. Returns undefined if it does not. Scripts recognize such
 * a result by its `state`.
 */
export async function printIfWaiting(
  context: Context,
  answer: unknown,
  what: string,
): Promise<WaitingAnswer | undefined> {
  const found = waitingOf(answer)
  if (!found) return undefined
  const { out, notes } = context
  const sentence = `${what} waits until ${describeTime(found.opens_at)}, when the contact hours are open. Nothing was sent or charged yet. Id: ${found.id}`
  await out.result({ state: 'waiting', ...found }, sentence, { view })
  if (out.isForPeople)
    await notes.note(`Next: parley contacts waiting. To send it at once: parley contacts send-waiting ${found.id}`)
  return found
}

/** Reads something that waits. */
export async function readWaiting(
  { call }: Pick<WaitReader, 'call'>,
  id: unknown,
): Promise<WaitingContact | undefined> {
  return (await call(contacts.waiting, { waiting_id: id as number, state: 'all' })).data[0]
}

/** Returns the command that shows something that waits. */
export const showWaiting = (id: unknown): ShowCommand => ({
  words: 'contacts waiting',
  flags: { waitingId: String(id), state: 'all' },
  canWait: false,
})
