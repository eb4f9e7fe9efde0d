import { contacts, type WaitingContact } from '../../../contract/resources/contacts.ts'
import { stateText } from '../../../contract/values/states.ts'
import { type WaitingAnswer, waitingOf } from '../../../contract/values/waiting-answer.ts'
import { command } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { requireCapability } from '../../program/connection/require-capability.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { type LatestTarget, resolveLatest } from '../../program/input/resolve-target.ts'
import { changeSelected, selectionFlag, selectionNote } from '../../program/lists/selection.ts'
import type { View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import type { ShowCommand, WaitReader } from '../../program/waiting/waitable.ts'

const view: View<WaitingContact> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'channel', title: 'Channel', priority: 1 },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'state', title: 'State', priority: 1, kind: 'status' },
    { key: 'opens_at', title: 'Hours open', priority: 1, kind: 'time' },
    { key: 'started_id', title: 'Started', priority: 2, kind: 'number' },
    { key: 'error', title: 'Error', priority: 2, flexible: true },
    { key: 'created_at', title: 'Requested', priority: 3, kind: 'time' },
  ],
  empty: 'Nothing waits for the contact hours.',
}

export const waiting = listCommand({
  endpoint: contacts.waiting,
  elsewhere: 'Other platforms send and call at once.',
  examples: ['', '--state all --channel sms', '--state failed --json'],
  notes:
    'Messages, SMS and calls of requests, newest first. They are checked again and charged when they start. Leads of campaigns wait in "parley leads get", and runs of automations in "parley automate runs".',
  view,
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
    const print = async (): Promise<void> => {
      if (isCancelled) await out.done(`Cancelled ${describe(waiting_id, data)}. Nothing was sent or charged.`)
    }
    await out.result(data, print, { schema: contacts.cancelWaiting.output.shape.data, view })
    if (isCancelled) return 'done'
    await notes.warn(`It is still ${stateText(data.state)}. See: parley contacts waiting`)
    return 'unknown'
  },
})

/** Prints that what a command asked for waits for the contact hours. Returns undefined if it does not. */
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
    await notes.note(
      `Next: parley contacts waiting. To send it at once: parley contacts cancel-waiting ${found.id}, then send it again with --now.`,
    )
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
