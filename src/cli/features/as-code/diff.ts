import { existsSync } from 'node:fs'
import { command } from '../../program/commandline/command.ts'
import { describePlatform } from '../../program/configuration/active-profile.ts'
import { escapeCell, escapeXml, reportFlags, writeReports } from '../../program/output/report-files.ts'
import type { SyncEntry } from './compare.ts'
import { compareFolder } from './compare-folder.ts'
import { fieldDifferences } from './drift.ts'
import { missingFolderError, parseSelection } from './project-layout.ts'
import { folderArgument, onlyFlag } from './sync-flags.ts'
import { type FileStatus, isDifferent, syncView, toFileStatuses } from './sync-view.ts'

const statusText = ({ status }: SyncEntry): string => status.replaceAll('_', ' ')

/** Returns the result of a comparison as Markdown, for people who read the summary of a job. `platform` describes the platform. */
function markdownReport(entries: readonly SyncEntry[], platform: string): string {
  const different = entries.filter(isDifferent)
  const title = `## ${escapeCell(platform)}\n\n`
  if (different.length === 0) return `${title}No differences in ${entries.length} resources.\n\n`
  const rows = different.map((entry) => {
    const lines = fieldDifferences(entry).map(escapeCell)
    return `| ${escapeCell(entry.file)} | ${statusText(entry)} | ${lines.join('<br>')} |`
  })
  return `${title}${different.length} of ${entries.length} resources differ. Values: platform -> file.\n\n| File | Status | Differences |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

/**
 * Returns the result of a comparison as JUnit XML: a test case for each resource, which fails if it differs. CI services follow a case
 * over time by its class and name.
 */
function junitReport(entries: readonly SyncEntry[]): string {
  const cases = entries.map((entry) => {
    const open = `  <testcase classname="${escapeXml(entry.kind.noun)}" name="${escapeXml(entry.name)}" file="${escapeXml(entry.file)}"`
    if (!isDifferent(entry)) return `${open}/>`
    const lines = [statusText(entry), ...fieldDifferences(entry)].map(escapeXml)
    return `${open}><failure type="${entry.status}" message="${statusText(entry)}">${lines.join('\n')}</failure></testcase>`
  })
  const counts = `tests="${entries.length}" failures="${entries.filter(isDifferent).length}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="parley diff" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}

/** A difference as JSON has it: scripts read its fields. */
interface Differing extends FileStatus {
  /** Fields that differ, with both values; secrets are references. */
  readonly changes: readonly { readonly field: string; readonly platform: unknown; readonly file: unknown }[]
}

export const diff = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Compare local files with the platform',
  argument: folderArgument,
  flags: [
    onlyFlag,
    {
      flags: '--check',
      describe: 'For CI: fail if any kind of resource cannot be read, and print the number of differences',
    },
    ...reportFlags,
  ],
  examples: [
    '',
    'practice --only tools',
    'tools/lookup-patient',
    'practice --json',
    '--check --profile production --junit diff.xml',
  ],
  notes:
    'Compares the YAML files with the platform. Shows each field that differs, from the platform value to the file value, which "parley push" would apply. The exit code is 20 when there are differences. A nightly job that compares production with the files in version control: parley diff --check --profile production --markdown "$GITHUB_STEP_SUMMARY".',
  view: syncView,
  async run(context, { words: given, flags }) {
    const { folder, layout, words } = await parseSelection(context, given, flags.only)
    if (!existsSync(folder))
      throw missingFolderError(folder, {
        cwd: context.system.cwd,
        here: `parley diff .${words}`,
        pull: `parley pull${words}`,
      })

    const { entries } = await compareFolder(context, folder, layout, flags.check === true)
    const different = entries.filter(isDifferent)
    const { out } = context
    await writeReports(context.system, flags, {
      markdown: async () => markdownReport(entries, describePlatform(await context.settings())),
      junit: () => junitReport(entries),
    })
    if (flags.check) {
      const platform = describePlatform(await context.settings())
      await context.notes.note(`${different.length} of ${entries.length} resources differ from the ${platform}.`)
    }
    if (!out.isForPeople || different.length === 0) {
      const found = toFileStatuses(different).map(
        (it, n): Differing => ({ ...it, changes: fieldChanges(different[n] as SyncEntry) }),
      )
      await out.list(found, { view: syncView })
    } else {
      await context.notes.note('Values: platform -> file.')
      for (const entry of different) {
        await out.line(`${entry.file}: ${entry.status.replaceAll('_', ' ')}`)
        for (const line of fieldDifferences(entry)) await out.line(`  ${line}`)
      }
    }
    return different.length > 0 ? 'finding' : 'done'
  },
})

const fieldChanges = ({ fields, local, remote }: SyncEntry): Differing['changes'] =>
  fields.map((field) => ({ field, platform: remote?.content[field] ?? null, file: local?.content[field] ?? null }))
