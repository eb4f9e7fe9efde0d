import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../folder.ts'
import type { Known } from '../before.ts'
import type { Context } from '../context.ts'
import type { Standing } from './compare.ts'
import { compareFolder, type Entry, followRenames, type Layout, syncedOf } from './folder.ts'
import { replaceFile } from './lock.ts'
import { withOwnReferences } from './secrets.ts'
import { differs, refuseConflicts, shown, view } from './view.ts'
import { textOf } from './yaml-file.ts'

export interface Pull {
  readonly folder: string
  readonly layout: Layout
  readonly check: boolean
  /** Takes what the platform has where both sides changed. */
  readonly forced: boolean
  /** The command that goes the other way, and the one that shows what differs. */
  readonly words: { readonly push: string; readonly diff: string }
}

const pulled = new Set<Standing>(['new there', 'changed there', 'gone there'])

/** Makes files as the platform has it, and prints which. */
export async function pullFolder(context: Context, { folder, layout, check, forced, words }: Pull): Promise<'finding' | 'done'> {
  const { lock, entries } = await compareFolder(context, folder, layout)
  if (check || context.globals.dryRun) {
    const different = entries.filter(differs)
    await context.out.list(shown(different), { view })
    return check && different.length > 0 ? 'finding' : 'done'
  }
  if (!forced) refuseConflicts(entries, words.diff, "the platform's: --force-remote")
  const settled = entries.map((it) =>
    forced && it.standing === 'conflict' ? { ...it, standing: it.there ? ('changed there' as const) : ('gone there' as const) } : it,
  )
  followRenames({ entries, lock })
  for (const entry of settled) {
    const { file, standing, here, there } = entry
    const path = join(folder, file)
    if (standing === 'gone there') {
      rmSync(path, { force: true })
      lock.set(file, undefined)
    } else if (there && pulled.has(standing)) {
      makeFolder(dirname(path))
      const content = withOwnReferences(there.content, here?.content) as Known
      replaceFile(path, await textOf(content, here && path), context.world.pid)
      lock.set(file, syncedOf(there, there))
    } else if (there && here && standing === 'same') {
      const now = syncedOf(here, there)
      if (JSON.stringify(lock.of(file)) !== JSON.stringify(now)) lock.set(file, now)
    }
  }
  await context.out.list(shown(settled.filter((it) => pulled.has(it.standing))), { view: { ...view, empty: 'Nothing was new on the platform.' } })
  const removed = settled.filter((it) => it.standing === 'gone there')
  if (removed.length > 0) await context.notes.note(`Gone on the platform, and removed here: ${filesOf(removed)}.`)
  const left = settled.filter((it) => differs(it) && !pulled.has(it.standing))
  if (left.length > 0) await context.notes.note(`Changed here and left alone: ${filesOf(left)}. Next: ${words.push}`)
  return 'done'
}

export const filesOf = (entries: readonly Entry[]): string => entries.map((it) => it.file).join(', ')
