import { ClientFailure } from '../../../client/failure.ts'
import { gaveArgument } from '../../answered.ts'
import { choices } from '../../choices.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../usage.ts'
import { type ShownEntry, shown, view } from './view.ts'

const listing = 'List them: parley ops list.'

export const show = command({
  exits: ['not_found'],
  summary: 'Show one entry of the journal: what was sent, under which key, and what became of it',
  argument: { name: 'id', describe: 'Id of the entry, or as much of its beginning as no other has' },
  examples: ['0c9a4f12', '0c9a4f12 --json'],
  view,
  async run(context, { argument }) {
    const entries = (await context.journal()).list().map(shown)
    const id = argument ?? (await picked(context, entries))
    const found = entries.filter((it) => it.id.startsWith(id))
    if (found.length > 1 && id !== '') throw usage(`More than one entry begins with "${id}": ${found.map((it) => it.id).join(', ')}.`, 'Give more of it.')
    const [entry] = found
    if (!entry || id === '')
      throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no entry "${id}" in the journal.`, hint: listing })
    await context.out.record(entry, { view })
    if (entry.state === 'open' || entry.state === 'unknown') await context.notes.note('Find out what became of it: parley ops reconcile')
  },
})

async function picked(context: Context, entries: readonly ShownEntry[]): Promise<string> {
  if (!context.interactive) throw usage('Which entry? Give its id.', listing)
  if (entries.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'There is no entry to choose from.' })
  const prompts = await context.prompts()
  const label = (it: ShownEntry): string => `${it.at}  ${it.endpoint}  ${it.state}  ${it.id}`
  const { id } = await prompts.select('Which entry?', choices(entries.toReversed(), label), { searchable: true })
  gaveArgument(context, id)
  return id
}
