import type { JournalEntry } from '../../../client/journal.ts'
import type { ExitName } from '../../../contract/exits.ts'
import { command } from '../../command.ts'
import { isPurchase, reconcilePurchases } from './purchases.ts'
import { isSend, reconcileSends } from './sends.ts'
import { shown, view } from './view.ts'

export const reconcile = command({
  summary: 'Find out from the platform what became of purchases and messages that got no answer',
  examples: ['', '--profile production'],
  notes:
    'Buys and sends nothing. Purchases are looked up in the list of numbers; of messages a platform of this program tells what it answered to their key, any other one only shows the conversation. Entries of other profiles are left for a run with that profile. Exit code 12 while something stays unknown.',
  view,
  async run(context): Promise<ExitName | undefined> {
    const journal = await context.journal()
    const { profileName } = await context.settings()
    const open = journal.list({ open: true })
    const mine = open.filter((it) => it.profile === profileName.value)
    const [purchases, sends] = [mine.filter(isPurchase), mine.filter(isSend)]
    // On the platform inside, what a dead process left is finished first: what is told then is final.
    if (purchases.length + sends.length > 0) await (await context.connected()).settle()
    if (purchases.length > 0) await reconcilePurchases(context, journal, purchases)
    if (sends.length > 0) await reconcileSends(context, journal, sends)
    const before = new Set(open.map((it) => it.id))
    const after: readonly JournalEntry[] = journal.list().filter((it) => before.has(it.id))
    await context.out.list(after.map(shown), { view: { ...view, empty: 'Nothing to reconcile.' } })
    const unknown = after.filter((it) => it.state === 'open' || it.state === 'unknown')
    if (unknown.length === 0) return undefined
    const others = [...new Set(unknown.filter((it) => it.profile !== profileName.value).map((it) => it.profile))]
    if (others.length > 0) await context.notes.note(`Entries of other profiles: run it with --profile ${others.join(', --profile ')}.`)
    if (unknown.length > 0 && others.length === 0) await context.notes.note('Still unknown: it may be under way. Run this again in two minutes.')
    return 'unknown'
  },
})
