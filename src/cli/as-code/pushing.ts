import { existsSync } from 'node:fs'
import { consent, guardWrite } from '../consent.ts'
import type { Context } from '../context.ts'
import { usage } from '../usage.ts'
import type { Standing } from './compare.ts'
import { consentToDrift, driftIn, isLeft, isOpen, tellDrift } from './drift.ts'
import { type Compared, compareFolder, type Entry, followRenames, type Layout } from './folder.ts'
import { refuseInUse } from './in-use.ts'
import type { WriteOptions } from './kind.ts'
import { filesOf } from './pulling.ts'
import { type Pushed, pushedView } from './pushed.ts'
import { Pusher } from './pusher.ts'
import { inTheClear } from './secrets.ts'
import { differs, refuseConflicts, shown, view } from './view.ts'

export interface Push {
  readonly folder: string
  readonly layout: Layout
  readonly check: boolean
  /** Takes what the files have where both sides changed. */
  readonly forced: boolean
  /** Deletes things whose file is gone. */
  readonly prunes: boolean
  readonly options: WriteOptions
  /** What `--confirm` said. */
  readonly confirm: string | undefined
  /** The command that goes the other way, the one that shows what differs, and the flag that prunes. */
  readonly words: { readonly pull: string; readonly diff: string; readonly prune: string }
}

const settledBy = (forced: boolean, { here }: Entry): Standing => (!forced ? 'conflict' : here ? 'changed here' : 'gone here')

/** Makes the platform as the files are: what is pointed to before what points to it, deletions last and the other way round. */
export async function pushFolder(
  context: Context,
  { folder, layout, check, forced, prunes, options, confirm, words }: Push,
): Promise<'finding' | 'partial' | 'done'> {
  if (!existsSync(folder)) throw usage(`There is no folder ${folder}.`, `To make it of what the platform has: ${words.pull}`)
  const { dryRun, printCurl } = context.globals
  if (printCurl) throw usage('--print-curl works for commands that send one request. Nothing was done.', 'To see what would be done: --dry-run')
  const found = await compareFolder(context, folder, layout, true)
  if (check) {
    const different = found.entries.filter(differs)
    // What push would refuse is refused here as well.
    const checker = new Pusher(context, found, options)
    for (const it of different) if (it.here && isOpen(it, prunes)) await checker.check(it)
    await context.out.list(shown(different), { view })
    await tellDrift(context, driftIn(different.filter((it) => isOpen(it, prunes))))
    await tellRest(context, found, prunes, words)
    return different.some((it) => isOpen(it, prunes)) ? 'finding' : 'done'
  }
  if (!forced) refuseConflicts(found.entries, words.diff, "the files': --force-local")
  const all: Compared = { ...found, entries: found.entries.map((it) => (it.standing === 'conflict' ? { ...it, standing: settledBy(forced, it) } : it)) }
  const written = all.entries.filter((it) => it.here && isOpen(it, prunes))
  const drift = driftIn(written)
  const gone = prunes ? all.entries.filter(({ standing, there }) => there && standing === 'gone here').reverse() : []
  const pusher = new Pusher(context, all, options)
  // Whatever cannot be sent is told before anything is.
  for (const it of written) await pusher.check(it)
  await tellPlan(context, written, gone)
  await tellDrift(context, drift)
  if (dryRun) {
    const inUse = await pusher.inUse(gone, written)
    await context.out.list(
      [...written, ...gone].map((it) => planned(it, inUse.get(it))),
      { view: { ...pushedView, empty: emptyText(all) } },
    )
    await context.notes.note('Nothing was sent: this was a dry run.')
    return 'done'
  }
  refuseInUse(await pusher.inUse(gone, written), confirm)
  if (written.length + gone.length > 0) await guardWrite(context, confirm)
  await consentToDrift(context, drift, words.pull)
  if (gone.length > 0) {
    const names = gone.map((it) => `the ${it.kind.thing} "${it.name}"`).join(', ')
    await consent(context, { ask: `Delete ${names}? What belongs to them is lost.`, without: `Deleting ${names} needs consent.` })
  }
  followRenames(all)
  const sent = await pusher.write(written)
  // What was to let go of a thing may have failed to.
  const held = sent.some((it) => it.done === 'failed') ? [...(await pusher.inUse(gone, []))].filter(([it]) => it.name !== confirm) : []
  const done = [...sent, ...(await pusher.remove(gone, new Map(held)))]
  pusher.settle()
  await context.out.list(done, { view: { ...pushedView, empty: emptyText(all) } })
  await tellRest(context, all, prunes, words)
  if (done.some((it) => it.done === 'failed')) return 'partial'
  if (done.some((it) => it.remark !== null) || (prunes && all.entries.some(({ standing }) => standing === 'new there'))) return 'finding'
  return done.length > 0 && (await isLeft(context, folder, layout, all.entries, words.diff)) ? 'finding' : 'done'
}

/** What is said where nothing is pushed: the platform may have more than the files. */
const emptyText = ({ entries }: Compared): string =>
  entries.some(differs) ? 'Nothing was pushed: the platform has everything in the files, and more.' : pushedView.empty

function planned({ file, id, there, here }: Entry, uses?: readonly string[]): Pushed {
  return { file, id, done: !here ? 'would delete' : there ? 'would update' : 'would create', remark: uses ? `It is in use. ${uses.join(' ')}` : null }
}

/** What is about to be done, and what of it is unwise. */
async function tellPlan({ notes, out }: Context, written: readonly Entry[], gone: readonly Entry[]): Promise<void> {
  for (const { file, here } of written) {
    const clear = inTheClear(here?.content)
    if (clear.length > 0)
      await notes.warn(`${file} has a secret in the clear: ${clear.join(', ')}. Write a reference such as \${SECRET} there, and set it in the environment.`)
  }
  if (out.settings.form !== 'table' || written.length + gone.length === 0) return
  const line = ({ file, here, there, fields }: Entry): string =>
    `${!here ? 'delete' : there ? 'update' : 'create'} ${file}${here && there && fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  await notes.note(['Plan:', ...[...written, ...gone].map(line)].join('\n'))
}

async function tellRest({ notes }: Context, { entries }: Compared, prunes: boolean, { pull, prune }: Push['words']): Promise<void> {
  const others = entries.filter(({ standing }) => standing === 'new there')
  if (others.length > 0)
    await notes.note(
      `Not in files: ${others.map((it) => `"${it.name}"`).join(', ')}. They are left alone${prunes ? `, even with ${prune}` : ''}. To have files of them: ${pull}`,
    )
  const beside = entries.filter((it) => it.standing === 'changed there' && !isOpen(it, prunes))
  if (beside.length > 0) await notes.note(`Changed on the platform in fields that the files do not have: ${filesOf(beside)}. To take them in: ${pull}`)
  const kept = prunes ? [] : entries.filter(({ standing }) => standing === 'gone here')
  if (kept.length > 0)
    await notes.note(`Their files are gone, and they are left alone: ${kept.map((it) => `"${it.name}"`).join(', ')}. To delete them: ${prune}`)
}
