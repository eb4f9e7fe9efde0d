// Commands of `server snapshot`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs
// and flags: they are added, not renamed.

import { type ResourceDifference, type Snapshot, snapshots } from '../../../contract/control/snapshots.ts'
import { maskText } from '../../../contract/values/mask-text.ts'
import { maxListed } from '../../../contract/values/page-size.ts'
import { command } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { deleteLocalProgress } from '../../program/configuration/purge-bulk-progress.ts'
import { describeControlled, requireControlAccess } from '../../program/connection/require-control-access.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import { confirmPlan, requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView, type View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordArgument } from '../../program/prompts/equivalent-command.ts'
import { safeLine } from '../../program/terminal/safe-text.ts'
import { describeDataChanges, type LostData, lostDataText, readLostData } from './lost-data.ts'
import { view as seedPlatformView } from './seed-platform.ts'

/** How snapshots are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<Snapshot> = {
  id: (it) => it.name,
  columns: [
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'status', title: 'Status', priority: 3, kind: 'status' },
    { key: 'saved_at', title: 'Saved', priority: 1, kind: 'computer_time' },
    { key: 'time', title: 'Platform time', priority: 3, kind: 'time' },
    { key: 'bytes', title: 'Bytes', priority: 2, kind: 'number' },
    { key: 'seed', title: 'Seed', priority: 4, kind: 'number' },
    { key: 'accounts', title: 'Accounts', priority: 4, kind: 'number' },
    { key: 'numbers', title: 'Numbers', priority: 5, kind: 'number' },
  ],
  empty: 'No snapshots. Save one: parley server snapshot save.',
}

const argument = { name: 'name', describe: 'Name of the snapshot' } as const

/** Returns the name of a snapshot, or prompts for it. @throws ClientFailure `usage` without a terminal */
async function nameOf(context: Context, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) throw usageError('Missing snapshot name.', 'List snapshots: parley server snapshot list.')
  const { data } = await context.call(snapshots.list, {})
  if (data.length === 0) throw usageError('No snapshots.', 'Save one: parley server snapshot save.')
  const items = data.map((it) => ({ ...it, id: it.name }))
  const prompts = await context.prompts()
  const { id } = await prompts.select(
    'Which snapshot?',
    promptChoices(items, (it) => `${it.id}, saved ${it.saved_at}`),
    { searchable: true },
  )
  recordArgument(context, id)
  return id
}

/** Returns the snapshot of a name, if it exists. */
const findSnapshot = async (context: Context, name: string): Promise<Snapshot | undefined> =>
  (await context.call(snapshots.list, {})).data.find((it) => it.name === name)

/** Returns a sentence if a snapshot was saved again while a question about it was open. */
const describeSavedAgain = (agreed: Snapshot | undefined, current: Snapshot | undefined): string[] =>
  agreed && current && agreed.saved_at !== current.saved_at
    ? [`Snapshot "${current.name}" was saved again at ${current.saved_at}.`]
    : []

type Change = ResourceDifference['records'][number]

export const compare = command({
  endpoint: snapshots.compare,
  exits: ['finding'],
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --to after-tests', 'before-tests --limit 100 --json'],
  notes:
    'Shows what was created, changed and deleted from the first snapshot to the other, or to the current data. Secrets are masked, and long values are shortened. The counts are complete; --limit applies to the listed records. The exit code is 20 when there are differences.',
  async run(context, { argument: given, input }) {
    const name = await nameOf(context, given)
    const answer = await sendRequest(context, snapshots.compare, { ...input, name }, { progressText: 'Comparing' })
    if (!answer) return
    const { out } = context
    const print = async (): Promise<void> => {
      for (const text of describe(answer.data)) await out.line(safeLine(text))
    }
    await out.result(answer, print, { view: idView(() => answer.from) })
    return answer.data.length > 0 ? 'finding' : 'done'
  },
})

const signs = { created: '+', changed: '~', deleted: '-' } as const

function describe(differences: readonly ResourceDifference[]): string[] {
  if (differences.length === 0) return ['No differences.']
  return differences.flatMap((difference) => {
    const named = difference.records.length
    const total = difference.created + difference.changed + difference.deleted
    return [
      `${difference.resource}: ${difference.created} created, ${difference.changed} changed, ${difference.deleted} deleted`,
      ...difference.records.flatMap(recordLines),
      ...(named < total ? [`  ${total - named} more; pass --limit ${Math.min(maxListed, total)}`] : []),
    ]
  })
}

const recordLines = ({ change, id, name, fields }: Change): string[] => [
  `  ${signs[change]} ${name === null ? id : `${name} (${id})`}`,
  ...fields.map(
    (change) =>
      `      ${change.field}: ${change.before === maskText && change.after === maskText ? 'changed, not shown' : `${change.before ?? 'not set'} -> ${change.after ?? 'not set'}`}`,
  ),
]

export const remove = command({
  endpoint: snapshots.delete,
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --yes'],
  async run(context, { argument: given }) {
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.delete, { name })) return
    const readPlan = async (): Promise<Snapshot | undefined> => findSnapshot(context, name)
    await confirmPlan(context, {
      plan: context.interactive && !context.globals.yes ? await readPlan() : undefined,
      ask: (plan, isAskedAgain) =>
        requireConfirmation(
          context,
          {
            question: `Delete snapshot "${name}"${plan ? `, saved ${describeTime(plan.saved_at)}` : ''}?`,
            refusalMessage: `Deleting snapshot "${name}" cannot be undone and requires confirmation.`,
          },
          { isAskedAgain },
        ),
      read: readPlan,
      describeChanges: describeSavedAgain,
    })
    const { message } = await context.call(snapshots.delete, { name })
    await printMessage(context, message, name)
  },
})

export const list = listCommand({
  endpoint: snapshots.list,
  examples: ['', '--json'],
  notes:
    'Saved is the time of this computer, which moving the clock of the platform does not change. --since and --until compare the platform time that a snapshot has.',
  view,
})

interface RestorePlan {
  readonly snapshot: Snapshot | undefined
  readonly lost: LostData | undefined
}

export const restore = command({
  endpoint: snapshots.restore,
  argument: { ...argument, optional: true },
  startsEmpty: true,
  examples: ['before-tests', 'before-tests --yes'],
  notes:
    'A running server completes its current requests, then continues with the restored data, time and key. Automations and deliveries resume from the restored state, so messages sent since then may be sent again. The operations journal (parley ops) does not change. Bulk operations forget which rows of a file they have sent.',
  async run(context, { argument: given }) {
    await requireControlAccess(context)
    const where = await describeControlled(context)
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.restore, { name })) return
    const isAsked = context.interactive && !context.globals.yes
    const readPlan = async (): Promise<RestorePlan> => ({
      snapshot: await findSnapshot(context, name),
      lost: await readLostData(context),
    })
    await confirmPlan<RestorePlan | undefined>(context, {
      plan: isAsked ? await readPlan() : undefined,
      ask: (plan, isAskedAgain) =>
        requireConfirmation(
          context,
          {
            question: `Restore the platform ${where}${lostDataText(context, plan?.lost)} from snapshot "${name}"? All changes since then are lost, including new keys.`,
            refusalMessage: `Restoring "${name}" discards all later changes on the platform ${where} and requires confirmation.`,
          },
          { isAskedAgain },
        ),
      read: readPlan,
      describeChanges: (agreed, current) => [
        ...describeSavedAgain(agreed?.snapshot, current?.snapshot),
        ...describeDataChanges(agreed?.lost, current?.lost),
      ],
    })
    const { message, token } = await context.progress.showWhile('Restoring', context.call(snapshots.restore, { name }))
    // Rows that were sent since the snapshot are not on the platform any more.
    deleteLocalProgress(context.system)
    await context.out.record({ message, key: token }, { view: seedPlatformView })
  },
})

export const save = command({
  endpoint: snapshots.save,
  filledFields: ['name'],
  argument: { ...argument, optional: true },
  examples: ['', 'before-tests', 'before-tests --replace --json'],
  notes:
    'A running server continues to work. Snapshots are stored in snapshots/ of the data folder, readable only by you: they contain keys and conversations. For data in PostgreSQL, use the tools of PostgreSQL.',
  view,
  async run(context, { argument: name, input }) {
    const answer = await sendRequest(
      context,
      snapshots.save,
      { ...input, ...(name !== undefined && { name }) },
      { progressText: 'Saving' },
    )
    if (!answer) return
    const { out, notes } = context
    await out.result(answer.data, `${answer.message} Name: ${answer.data.name}`, { view })
    if (out.isForPeople) await notes.note(`Next: parley server snapshot restore ${answer.data.name}`)
  },
})
