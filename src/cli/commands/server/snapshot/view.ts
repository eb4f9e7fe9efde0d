import { type Snapshot, snapshots } from '../../../../contract/control/snapshots.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import type { View } from '../../../output/form.ts'
import { promptChoices } from '../../../prompts/choices.ts'
import { recordArgument } from '../../../prompts/equivalent-command.ts'

export const view: View<Snapshot> = {
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

export const argument = { name: 'name', describe: 'Name of the snapshot' } as const

/** Returns the name of a snapshot, or prompts for it. @throws ClientFailure `usage` without a terminal */
export async function nameOf(context: Context, given: string | undefined): Promise<string> {
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
export const findSnapshot = async (context: Context, name: string): Promise<Snapshot | undefined> =>
  (await context.call(snapshots.list, {})).data.find((it) => it.name === name)

/** Returns a sentence if a snapshot was saved again while a question about it was open. */
export const describeSavedAgain = (agreed: Snapshot | undefined, current: Snapshot | undefined): string[] =>
  agreed && current && agreed.saved_at !== current.saved_at
    ? [`Snapshot "${current.name}" was saved again at ${current.saved_at}.`]
    : []
