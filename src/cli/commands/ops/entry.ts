import { ClientFailure } from '../../../client/failure.ts'
import { gaveArgument } from '../../answered.ts'
import { choices } from '../../choices.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../usage.ts'
import { type ShownEntry, shown } from './view.ts'

const listing = 'List them: parley ops list.'

export const entryArgument = { name: 'id', describe: 'Id of the entry, or as much of its beginning as no other has' } as const

/** The entry that an argument names; picked on a terminal. @throws ClientFailure `usage`, `not_found` */
export async function entryOf(context: Context, argument: string | undefined, isOffered: (it: ShownEntry) => boolean = () => true): Promise<ShownEntry> {
  const entries = (await context.journal()).list().map(shown)
  const id = argument ?? (await picked(context, entries.filter(isOffered)))
  const found = entries.filter((it) => it.id.startsWith(id))
  if (found.length > 1 && id !== '') throw usage(`More than one entry begins with "${id}": ${found.map((it) => it.id).join(', ')}.`, 'Give more of it.')
  const [entry] = found
  if (!entry || id === '')
    throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no entry "${id}" in the journal.`, hint: listing })
  return entry
}

async function picked(context: Context, entries: readonly ShownEntry[]): Promise<string> {
  if (!context.interactive) throw usage('Which entry? Give its id.', listing)
  if (entries.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'There is no entry to choose from.' })
  const prompts = await context.prompts()
  const label = (it: ShownEntry): string => `${it.at}  ${it.endpoint}  ${it.state}  ${it.id}`
  const { id } = await prompts.select('Which entry?', choices(entries.toReversed(), label), { searchable: true })
  gaveArgument(context, id)
  return id
}
