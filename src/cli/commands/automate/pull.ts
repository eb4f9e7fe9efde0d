import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../folder.ts'
import { replaceFile } from '../../as-code/lock.ts'
import { textOf } from '../../as-code/yaml-file.ts'
import { command } from '../../command.ts'
import { checkFlag, compared, differs, folderFlag, itemView, refuseConflicts, shown } from './as-code.ts'

const pulled = new Set(['new there', 'changed there', 'gone there'])

export const pull = command({
  asks: true,
  exits: ['finding'],
  summary: 'Keep the automations of the platform as YAML files',
  flags: [folderFlag, checkFlag],
  examples: ['', '--folder flows', '--check --json'],
  notes: `A file each, and parley.lock.json with ids beside them; secrets stay hidden. Files changed here are left alone, comments in files stay, and when
anything was changed on both sides nothing is done (exit 5). "parley automate push" goes the other way.`,
  view: itemView,
  async run(context, { flags }) {
    const { folder, lock, items } = await compared(context, flags.folder)
    if (flags.check || context.globals.dryRun) {
      await context.out.list(shown(items.filter(differs)), { view: itemView })
      return flags.check && items.some(differs) ? 'finding' : 'done'
    }
    refuseConflicts(items)
    makeFolder(folder)
    for (const { file, standing, here, there } of items) {
      const path = join(folder, file)
      if (standing === 'gone there') {
        rmSync(path, { force: true })
        lock.set(file, undefined)
      } else if (there && (pulled.has(standing) || standing === 'same')) {
        if (standing !== 'same') replaceFile(path, await textOf(there.content, here && path), context.world.pid)
        const mine = standing === 'same' ? (here ?? there) : there
        const synced = lock.of(file)
        if (synced?.here !== mine.hash || synced.there !== there.hash) lock.set(file, { id: there.id, here: mine.hash, there: there.hash })
      }
    }
    await context.out.list(shown(items.filter((it) => pulled.has(it.standing))), { view: { ...itemView, empty: 'Nothing was new on the platform.' } })
    const left = items.filter((it) => differs(it) && !pulled.has(it.standing))
    if (left.length > 0) await context.notes.note(`Changed here and left alone: ${left.map((it) => it.file).join(', ')}. Next: parley automate push`)
    return 'done'
  },
})
