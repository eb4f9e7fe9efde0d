import { command } from '../../command.ts'
import { listCopies } from '../../history/copies.ts'
import { nouns } from '../../history/kinds.ts'
import { placeOf } from '../../history/recorder.ts'
import { listWrites } from '../../history/writes.ts'
import { limited } from '../../requests.ts'
import { usage } from '../../usage.ts'
import { listed, view, writesView } from './view.ts'

const spans: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export const list = command({
  summary: 'List what is kept of things as they were before they were changed from here, newest first',
  flags: [
    { flags: '--noun <noun>', describe: 'Only this kind of thing', choices: nouns },
    { flags: '--id <id>', describe: 'Only the thing with this id' },
    { flags: '--since <time>', describe: 'Only from a time on, or of the last 30m, 2h, 7d, 1w' },
    { flags: '--all-writes', describe: 'The log of every write instead, of all profiles: when, by which command, what was answered' },
  ],
  examples: ['', '--noun assistants --id 1', '--since 2h --json', '--all-writes --limit 20'],
  notes: `A copy is kept before every update, deletion and restore, without secrets, in the data folder under history: 500 of each profile and platform, for 30 days
("parley server purge" forgets them earlier). The log of writes tells names of fields and no values.`,
  view,
  async run(context, { flags }) {
    const since = sinceOf(flags.since, context.world.now())
    const isMeant = (it: { readonly at: string; readonly id: string | null }): boolean =>
      (since === undefined || Date.parse(it.at) >= since) && (flags.id === undefined || it.id === flags.id)
    if (flags.allWrites) {
      const resource = flags.noun === undefined ? undefined : String(flags.noun).split(' ', 1)[0]
      const writes = listWrites(context.world).filter((it) => isMeant(it) && (resource === undefined || it.command.startsWith(resource)))
      return context.out.list(limited(context, writes), { view: writesView })
    }
    const copies = listCopies(context.world, await placeOf(context)).map(listed)
    const found = copies.filter((it) => isMeant(it) && (flags.noun === undefined || it.noun === flags.noun))
    await context.out.list(limited(context, found), { view })
    if (found.length > 0) await context.notes.note('To take one back: parley history undo <entry>')
  },
})

function sinceOf(given: unknown, now: number): number | undefined {
  if (given === undefined) return undefined
  const text = String(given)
  const [, n, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const at = unit === undefined ? Date.parse(text) : now - Number(n) * (spans[unit] as number)
  if (Number.isNaN(at)) throw usage(`--since must be a time such as 2026-01-31T09:00, or a span such as 2h or 7d, not "${text}".`)
  return at
}
