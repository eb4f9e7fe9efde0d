import { existsSync } from 'node:fs'
import type { SyncEntry } from '../as-code/compare-folder.ts'
import { folderArgument, onlyFlag, parseSelection } from '../as-code/project-layout.ts'
import { type FileStatus, isDifferent, syncView, toFileStatuses } from '../as-code/sync-view.ts'
import { command } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'

export interface Differing extends FileStatus {
  /** Fields that differ, with both values; secrets are references. */
  readonly changes: readonly { readonly field: string; readonly platform: unknown; readonly file: unknown }[]
}

export const diff = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Compare local files with the platform',
  argument: folderArgument,
  flags: [onlyFlag],
  examples: ['', 'practice --only tools', 'tools/lookup-patient', 'practice --json'],
  notes:
    'Compares the YAML files with the platform. Shows each field that differs, from the platform value to the file value, which "parley push" would apply. The exit code is 20 when there are differences.',
  view: syncView,
  async run(context, { words: given, flags }) {
    const { folder, layout, words } = await parseSelection(context, given, flags.only)
    if (!existsSync(folder))
      throw usageError(`Folder ${folder} not found.`, `Export the platform to it: parley pull${words}`)
    const [{ compareFolder }, { fieldDifferences }] = await Promise.all([
      import('../as-code/compare-folder.ts'),
      import('../as-code/drift.ts'),
    ])
    const { entries } = await compareFolder(context, folder, layout)
    const different = entries.filter(isDifferent)
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields || different.length === 0) {
      const found = toFileStatuses(different).map(
        (it, n): Differing => ({ ...it, changes: fieldChanges(different[n] as SyncEntry) }),
      )
      await out.list(found, { view: syncView } as never)
    } else {
      for (const it of different) {
        await out.line(`${it.file}: ${it.status.replaceAll('_', ' ')}`)
        for (const line of fieldDifferences(it)) await out.line(`  ${line}`)
      }
      await context.notes.note('Values: platform -> file.')
    }
    return different.length > 0 ? 'finding' : 'done'
  },
})

const fieldChanges = ({ fields, local, remote }: SyncEntry): Differing['changes'] =>
  fields.map((field) => ({ field, platform: remote?.content[field] ?? null, file: local?.content[field] ?? null }))
