import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { quoteForShell } from '../../../client/requests/shell-quote.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { command } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { keepLocalReferences } from '../../program/documents/environment-secrets.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { makeHistoryFolder, savedFilesDir } from '../../program/history/entries.ts'
import { saveBeforeWrite } from '../../program/history/recorder.ts'
import { savesHistory } from '../../program/history/undo-unavailable.ts'
import { mergeEntry, type SyncEntry, type SyncStatus } from './compare.ts'
import { applyRenames, compareFolder, type Layout, toSyncRecord } from './compare-folder.ts'
import { writeFileSchemas } from './file-schema.ts'
import { whileLocked } from './folder-lock.ts'
import { lostLines, noteLostValues, noteMerges } from './merged-entries.ts'
import { isProject, parseSelection } from './project-layout.ts'
import { filesOfResource, removeResourceFile, withSchemaLine, writeResourceFile } from './resource-file.ts'
import { findSharedVariables, separateVariables, variablesIn } from './shared-variables.ts'
import { requireNoConflicts } from './sync-failures.ts'
import { checkFlag, folderArgument, forceRemoteFlag, onlyFlag } from './sync-flags.ts'
import { isDifferent, pulledView, syncView, toFileStatuses } from './sync-view.ts'

interface PullOptions {
  readonly folder: string
  readonly layout: Layout
  readonly check: boolean
  /** Takes the version of the platform on conflicts. */
  readonly forced: boolean
  /** Adds the line for editors to files that exist. */
  readonly addsSchemaLines: boolean
  /** The commands for a push and for showing the differences, for messages. */
  readonly words: { readonly push: string; readonly diff: string }
}

const pullStatuses = new Set<SyncStatus>(['remote_only', 'changed_remotely', 'changed_both', 'deleted_remotely'])

/** Exports the resources of the platform to files, and prints the changed files. */
export const pullFolder = (context: Context, options: PullOptions): Promise<'finding' | 'done'> =>
  options.check || context.globals.dryRun
    ? exportFolder(context, options)
    : whileLocked(context, options.folder, () => exportFolder(context, options))

/** Saves the files of a resource before their local changes are overwritten. Returns the command that restores them. */
async function saveFiles(context: Context, folder: string, { file, kind }: SyncEntry): Promise<string> {
  const { system } = context
  if (!(await savesHistory(context))) return `The previous ${file} is not saved, because the history is off.`
  const copies = savedFilesDir(system)
  const time = new Date(system.now()).toISOString().replaceAll(':', '-')
  const [verb, quote] = system.os === 'win32' ? ['copy', (it: string): string => `"${it}"`] : ['cp', quoteForShell]
  const commands: string[] = []
  for (const path of await filesOfResource(join(folder, file), kind)) {
    const name = relative(folder, path)
    const copy = join(copies, `${time}-${name.replaceAll(/[/\\]/g, '-')}`)
    await saveBeforeWrite(context, `The file ${name}`, () => {
      makeHistoryFolder(system, copies)
      replaceFile(copy, readFileSync(path, 'utf8'))
    })
    commands.push([verb, quote(copy), quote(path)].join(' '))
  }
  return `The previous ${file} is saved. To restore it: ${commands.join(' && ')}`
}

async function exportFolder(
  context: Context,
  { folder, layout, check, forced, addsSchemaLines, words }: PullOptions,
): Promise<'finding' | 'done'> {
  const { lock, entries: found } = await compareFolder(context, folder, layout)
  // A pull writes no secrets.
  const entries = found.map((it): SyncEntry => (it.unclearSecrets ? { ...it, status: 'changed_locally' } : it))
  if (check || context.globals.dryRun) {
    const different = entries.filter(isDifferent)
    await context.out.list(toFileStatuses(different), { view: syncView })
    return check && different.length > 0 ? 'finding' : 'done'
  }
  const { notes } = context
  if (!forced) requireNoConflicts(entries, words.diff, 'pass --force-remote to use the platform version')
  const resolved = entries.map((entry): SyncEntry => {
    const merge =
      entry.status === 'conflict' || entry.status === 'changed_both' ? mergeEntry(entry, 'theirs') : undefined
    const status = entry.status !== 'conflict' ? entry.status : entry.remote ? 'changed_remotely' : 'deleted_remotely'
    return { ...entry, status, ...(merge && { merge }) }
  })
  const conflicts = new Set(entries.flatMap(({ file, status }) => (status === 'conflict' ? [file] : [])))
  const lost = resolved.filter((it) => it.local && conflicts.has(it.file))
  const merged = resolved.filter(({ status }) => status === 'changed_both')
  await noteMerges(context, merged, 'Merged with local changes since the last sync:')
  await noteLostValues(
    context,
    lost.flatMap((it) => lostLines(it, 'mine')),
    'Overwritten in the files:',
  )
  for (const file of lost) await notes.warn(await saveFiles(context, folder, file))
  try {
    applyRenames({ entries, lock })
    for (const entry of resolved) {
      const { file, status, local, remote } = entry
      const path = join(folder, file)
      if (status === 'deleted_remotely') {
        await removeResourceFile(path, entry.kind)
        lock.set(file, undefined)
      } else if (remote && pullStatuses.has(status)) {
        const pulledContent = entry.merge?.merged ?? remote.content
        const whole = (local && entry.kind.keepLocalParts?.(pulledContent, local.content)) ?? pulledContent
        const content = await withOwnVariables(
          context,
          entry,
          keepLocalReferences(whole, local?.content) as ResourceRecord,
        )
        await writeResourceFile(folder, file, entry.kind, content)
        lock.set(file, toSyncRecord(remote, remote))
      } else if (remote && local && status === 'same') {
        const content = await withOwnVariables(context, entry, local.content)
        if (content !== local.content) await writeResourceFile(folder, file, entry.kind, content)
        const now = toSyncRecord(local, remote)
        if (stringifyJson(lock.of(file)) !== stringifyJson(now)) lock.set(file, now)
      }
    }
  } finally {
    lock.save()
  }
  if (addsSchemaLines)
    for (const { file } of resolved) {
      const path = join(folder, file)
      if (existsSync(path)) replaceFile(path, withSchemaLine(readFileSync(path, 'utf8'), file), { mode: 'keep' })
    }
  writeFileSchemas(folder, layout)
  await context.out.list(toFileStatuses(resolved.filter((it) => pullStatuses.has(it.status))), {
    view: pulledView,
  })
  const written = resolved.filter((it) => it.status !== 'deleted_remotely' && pullStatuses.has(it.status)).length
  if (written > 0) await context.notes.note(`Wrote ${written} ${written === 1 ? 'file' : 'files'} to ${folder}.`)
  const removed = resolved.filter((it) => it.status === 'deleted_remotely')
  if (removed.length > 0)
    await context.notes.note(`Deleted remotely, so the files were removed: ${joinFileNames(removed)}.`)
  const notPulled = resolved.filter((it) => isDifferent(it) && !pullStatuses.has(it.status))
  if (notPulled.length > 0)
    await context.notes.note(
      `Not overwritten, because they were changed locally: ${joinFileNames(notPulled)}. Next: ${words.push}`,
    )
  return 'done'
}

/**
 * Returns the content of a file in which variables that are used for different secrets are replaced by one for each secret,
 * and says so.
 */
async function withOwnVariables(
  { notes }: Context,
  { file, remote }: SyncEntry,
  content: ResourceRecord,
): Promise<ResourceRecord> {
  const shared = findSharedVariables(content, remote?.raw)
  if (!remote || shared.length === 0) return content
  const names = new Set(shared.map((it) => it.variable))
  const separate = separateVariables(content, remote.content, names) as ResourceRecord
  const known = new Set(variablesIn(content))
  const added = [...new Set(variablesIn(separate))].filter((it) => !known.has(it))
  for (const { variable, paths } of shared)
    await notes.warn(
      `${file}: \${${variable}} was the variable of different secrets: ${paths.join(', ')}. Each has its own variable now. Set them where it is pushed: ${added.join(', ')}.`,
    )
  return separate
}

/** Joins the file names of entries for a message. */
export const joinFileNames = (entries: readonly SyncEntry[]): string => entries.map((it) => it.file).join(', ')

export const pull = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Export the platform to a folder of YAML files',
  argument: folderArgument,
  flags: [
    onlyFlag,
    checkFlag,
    forceRemoteFlag,
    { flags: '--schema', describe: 'Name the schema for editors in files that exist, too' },
  ],
  examples: ['', 'practice', 'practice --only assistants,tools', 'assistants/front-desk', '--check --json'],
  notes: `Writes one file for each resource that can be written, in one folder for each kind (assistants/, tools/, automations/, campaigns/, knowledge/, folders/, labels/, sip-trunks/, numbers/, senders/), and parley.lock.json with their ids. Files reference each other, voices, languages and models by name. Secrets are never written, only references such as \${CRM_API_KEY}. Campaigns are written without their leads, and documents of knowledge bases without their content, which the platform does not return. Senders are written with their assistants, on a Parley server only. Long prompts are written to a Markdown file beside the YAML file, which names it: system_prompt_file: front-desk.md. The folder .schema has the JSON Schema of each kind, which new files name for editors with a YAML language server; --schema adds that line to files that exist. Comments and the order of lines are preserved. Files that you changed are not overwritten. Local and remote changes of different fields since the last sync are merged and printed. When both changed one field, all three values are shown and nothing is written (exit code 5). --force-remote prints each local value that it overwrites, saves a copy of the file, and prints the command that restores it.`,
  view: syncView,
  async run(context, { words: given, flags }) {
    const { folder, layout, words } = await parseSelection(context, given, flags.only, flags.check !== true)
    const { cwd } = context.system
    if (folder === join(cwd, 'parley') && !existsSync(folder) && isProject(cwd))
      throw usageError(
        'The current folder is a project.',
        `To update it: parley pull .${words}. To create another one in it: parley pull <folder>.`,
      )
    return pullFolder(context, {
      folder,
      layout,
      check: flags.check === true,
      forced: flags.forceRemote === true,
      addsSchemaLines: flags.schema === true,
      words: { push: `parley push${words}`, diff: `parley diff${words}` },
    })
  },
})
