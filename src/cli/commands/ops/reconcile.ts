import type { JournalEntry } from '../../../client/journal.ts'
import type { ExitName } from '../../../contract/exits.ts'
import { numbers } from '../../../contract/numbers.ts'
import { command } from '../../command.ts'
import { shown, view } from './view.ts'

/** A purchase that nobody answered may still be under way for this long. */
const settlingMs = 120_000

export const reconcile = command({
  summary: 'Find out from the platform what became of purchases that got no answer',
  examples: ['', '--profile production'],
  notes:
    'Asks for the list of numbers; buys nothing. Entries of other profiles are left for a run with that profile. Exit code 12 while something stays unknown.',
  view,
  async run(context): Promise<ExitName | undefined> {
    const journal = await context.journal()
    const { profileName } = await context.settings()
    const open = journal.list({ open: true })
    const mine = open.filter((it) => it.profile === profileName.value && it.endpoint === numbers.buy.name)
    if (mine.length > 0) {
      // On the platform inside, a purchase whose process died is finished first: what is listed then is final.
      await (await context.connected()).settle()
      const owned = new Set((await context.call(numbers.list, {})).data.map((it) => it.phone_number))
      for (const entry of mine) {
        const number = (entry.input as { phone_number: string }).phone_number
        if (owned.has(number)) journal.settle(entry.id, 'done', { reconciled: 'The number is on the account.' })
        else if (context.world.now() - Date.parse(entry.at) > settlingMs)
          journal.settle(entry.id, 'refused', { reconciled: 'The number is not on the account.' })
      }
    }
    const before = new Set(open.map((it) => it.id))
    const after: readonly JournalEntry[] = journal.list().filter((it) => before.has(it.id))
    await context.out.list(after.map(shown), { view: { ...view, empty: 'Nothing to reconcile.' } })
    const unknown = after.filter((it) => it.state === 'open' || it.state === 'unknown')
    if (unknown.length === 0) return undefined
    const others = [...new Set(unknown.filter((it) => it.profile !== profileName.value).map((it) => it.profile))]
    if (others.length > 0) await context.notes.note(`Entries of other profiles: run it with --profile ${others.join(', --profile ')}.`)
    if (unknown.length > 0 && others.length === 0) await context.notes.note('Still unknown: the purchase may be under way. Run this again in two minutes.')
    return 'unknown'
  },
})
