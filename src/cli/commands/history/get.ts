import { command } from '../../commandline/command.ts'
import { compareWithLive, findGivenEntry } from '../../history/undo-plan.ts'
import { argument, toListedEntry, view } from './view.ts'

export const get = command({
  callsPlatform: true,
  exits: ['not_found'],
  summary: 'Show a change made by this CLI, with the previous values',
  argument,
  examples: ['12', '12 --json'],
  notes: 'Secrets are not saved. To compare the saved values with the live ones: parley history diff <entry>.',
  view,
  async run(context, { argument: given }) {
    const copy = await findGivenEntry(context, given)
    const { before, sent, promotion } = copy
    if (promotion) {
      const { from, to, items } = promotion
      await context.out.record({ ...toListedEntry(copy), from, to, items } as never, { view })
      await context.notes.note(`Compare with live: parley history diff ${copy.entry}`)
      return
    }
    await compareWithLive(context, copy)
    await context.out.record({ ...toListedEntry(copy), before: before ?? null, sent: sent ?? null }, { view })
    await context.notes.note(`Compare with live: parley history diff ${copy.entry}`)
  },
})
