import { keyMark } from '../../../client/credentials.ts'
import type { JournalEntry } from '../../../client/journal.ts'
import { isSamePlatform } from '../../../client/open-operation.ts'
import type { ExitName } from '../../../contract/exits.ts'
import { command } from '../../command.ts'
import { isOther, reconcileOthers } from './others.ts'
import { isPurchase, reconcilePurchases } from './purchases.ts'
import { isSend, reconcileSends } from './sends.ts'
import { shown, view } from './view.ts'

export const reconcile = command({
  asks: true,
  exits: ['unknown'],
  summary: 'Find out from the platform what became of purchases and messages that got no answer',
  examples: ['', '--profile production'],
  notes:
    'Buys and sends nothing. A platform of this program tells what it answered to their key. Of any other one purchases are looked up in the list of numbers, and messages stay unknown beside what the conversation shows. Entries of other profiles are left for a run with that profile. Exit code 12 while something stays unknown.',
  view,
  async run(context): Promise<ExitName | undefined> {
    const journal = await context.journal()
    const { profileName } = await context.settings()
    const open = journal.list({ open: true })
    const connected = await context.connected()
    const key = await connected.key()
    const mark = key === undefined ? undefined : keyMark(key)
    // An older entry does not say which key it went out with.
    const isMine = (it: JournalEntry): boolean =>
      it.profile === profileName.value && isSamePlatform(it.baseUrl, connected.base) && (it.keyMark === undefined || it.keyMark === mark)
    const mine = open.filter(isMine)
    const [purchases, sends, others] = [mine.filter(isPurchase), mine.filter(isSend), mine.filter(isOther)]
    // On the platform inside, what a dead process left is finished first: what is told then is final.
    if (purchases.length + sends.length + others.length > 0) await connected.settle()
    if (purchases.length > 0) await reconcilePurchases(context, journal, purchases)
    if (sends.length > 0) await reconcileSends(context, journal, sends)
    if (others.length > 0) await reconcileOthers(context, journal, others)
    const before = new Set(open.map((it) => it.id))
    const after: readonly JournalEntry[] = journal.list().filter((it) => before.has(it.id))
    await context.out.list(after.map(shown), { view: { ...view, empty: 'Nothing to reconcile.' } })
    const unknown = after.filter((it) => it.state === 'open' || it.state === 'unknown')
    if (unknown.length === 0) return undefined
    const elsewhere = [...new Set(unknown.filter((it) => it.profile !== profileName.value).map(flagOf))]
    if (elsewhere.length > 0) await context.notes.note(`Entries of other profiles and addresses: run it with ${elsewhere.join(', or with ')}.`)
    if (unknown.some((it) => it.profile === profileName.value && !isMine(it)))
      await context.notes.note('Entries of this profile that went out with another API key or to another address are left: that may be another account.')
    if (unknown.some(isMine)) await context.notes.note('Still unknown: it may be under way. Run this again in two minutes.')
    return 'unknown'
  },
})

/** What leads to where an entry went. Without a profile it has the address in place of a name. */
const flagOf = ({ profile }: JournalEntry): string => (/^https?:/.test(profile) ? `--base-url ${profile}` : `--profile ${profile}`)
