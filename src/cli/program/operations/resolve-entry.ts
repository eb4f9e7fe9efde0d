import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from '../prompts/choices.ts'
import { recordArgument } from '../prompts/equivalent-command.ts'
import { type ShownEntry, toShownEntry } from './operation-view.ts'

const listHint = 'List them: parley ops list.'

export const entryArgument = {
  name: 'id',
  describe: 'Id of the entry, or its unique beginning',
} as const

/** Returns the journal entry for an id, or prompts for one. @throws ClientFailure `usage`, `not_found` */
export async function resolveEntry(
  context: Context,
  argument: string | undefined,
  isOffered: (it: ShownEntry) => boolean = () => true,
): Promise<ShownEntry> {
  const entries = (await context.journal()).list().map(toShownEntry)
  const id = argument ?? (await pickEntry(context, entries.filter(isOffered)))
  const found = entries.filter((it) => it.id.startsWith(id.replace(/(?:…|\.{3})$/, '')))
  if (found.length > 1 && id !== '')
    throw usageError(
      `Several entries begin with "${id}": ${found.map((it) => it.id).join(', ')}.`,
      'Pass more of the id.',
    )
  const [entry] = found
  if (!entry || id === '')
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `Journal entry "${id}" not found.`,
      hint: listHint,
    })
  return entry
}

async function pickEntry(context: Context, entries: readonly ShownEntry[]): Promise<string> {
  if (!context.interactive) throw usageError('Missing entry. Pass its id.', listHint)
  if (entries.length === 0)
    throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'No entries to choose from.' })
  const prompts = await context.prompts()
  const label = (it: ShownEntry): string => `${it.at}  ${it.endpoint}  ${it.state}  ${it.id}`
  const { id } = await prompts.select('Which entry?', promptChoices(entries.toReversed(), label), { searchable: true })
  recordArgument(context, id)
  return id
}
