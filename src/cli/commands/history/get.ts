import { command } from '../../command.ts'
import { besideLive } from '../../history/undoing.ts'
import { argument, listed, view } from './view.ts'

export const get = command({
  asks: true,
  exits: ['not_found'],
  summary: 'Show a change made by this CLI, with the previous values',
  argument,
  examples: ['12', '12 --json'],
  notes: 'Secrets are not saved. To compare the saved values with the live ones: parley history diff <entry>.',
  view,
  async run(context, { argument: given }) {
    const { copy } = await besideLive(context, given)
    const { before, sent } = copy
    await context.out.record({ ...listed(copy), before: before ?? null, sent: sent ?? null }, { view })
    await context.notes.note(`Compare with live: parley history diff ${copy.entry}`)
  },
})
