import { existsSync } from 'node:fs'
import type { Entry } from '../as-code/folder.ts'
import { differs, type Shown, shown, view } from '../as-code/view.ts'
import { command } from '../command.ts'
import { usage } from '../usage.ts'
import { argument, folderOf, layoutOf, only } from './as-code.ts'

export interface Differing extends Shown {
  /** Each field that differs, on both sides; secrets are references. */
  readonly changes: readonly { readonly field: string; readonly platform: unknown; readonly file: unknown }[]
}

export const diff = command({
  asks: true,
  exits: ['finding'],
  summary: 'Compare files of assistants, tools and automations with the platform',
  argument,
  flags: [only],
  examples: ['', 'practice --only tools', 'practice --json'],
  notes: 'Field by field, from the platform to the files; "parley push" would make it so. Exit 20 when anything differs.',
  view,
  async run(context, { argument: given, flags }) {
    const layout = await layoutOf(flags.only)
    const folder = folderOf(context, given)
    if (!existsSync(folder)) throw usage(`There is no folder ${folder}.`, `To make it of what the platform has: parley pull ${given ?? ''}`.trimEnd())
    const [{ compareFolder }, { linesOf }] = await Promise.all([import('../as-code/folder.ts'), import('../as-code/drift.ts')])
    const { entries } = await compareFolder(context, folder, layout)
    const different = entries.filter(differs)
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields || different.length === 0) {
      const found = shown(different).map((it, n): Differing => ({ ...it, changes: changes(different[n] as Entry) }))
      await out.list(found, { view } as never)
    } else {
      for (const it of different) {
        await out.line(`${it.file}: ${it.standing}`)
        for (const line of linesOf(it)) await out.line(`  ${line}`)
      }
    }
    return different.length > 0 ? 'finding' : 'done'
  },
})

const changes = ({ fields, here, there }: Entry): Differing['changes'] =>
  fields.map((field) => ({ field, platform: there?.content[field] ?? null, file: here?.content[field] ?? null }))
