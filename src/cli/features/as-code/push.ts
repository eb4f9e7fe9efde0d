// `push`: compares the folder (compare-folder.ts), asks about what it would overwrite or delete (drift.ts,
// resources-in-use.ts), and lets pusher.ts write. Without agreement nothing is written.

import { existsSync } from 'node:fs'
import { command } from '../../program/commandline/command.ts'
import { forceFlag } from '../../program/commandline/field-flags.ts'
import {
  confirmPlan,
  guardWrite,
  requireConfirmation,
  requireConfirmedName,
} from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { describeEffectChanges } from '../../program/dependencies/dependents.ts'
import { plaintextFields } from '../../program/documents/environment-secrets.ts'
import { requireNoPrintCurl } from '../../program/errors/require-no-print-curl.ts'
import type { WriteOptions } from '../../program/resources/resource-files.ts'
import { confirmTestEffects } from '../automations/test-effects.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../automations/write-flags.ts'
import type { SyncEntry, SyncSide, SyncStatus } from './compare.ts'
import { applyRenames, compareFolder, type FolderComparison, type Layout } from './compare-folder.ts'
import {
  confirmOverwrite,
  describeEntryChanges,
  findDrift,
  isDifferentAfterPush,
  needsPush,
  noteDrift,
} from './drift.ts'
import { whileLocked } from './folder-lock.ts'
import { type PlanRemarks, planRemarks } from './invalid-values.ts'
import { lostLines, noteLostValues, noteMerges, withMergedLocal } from './merged-entries.ts'
import { fileList, plannedSteps } from './planned-steps.ts'
import { missingFolderError, parseSelection } from './project-layout.ts'
import { joinFileNames } from './pull.ts'
import { Pusher } from './pusher.ts'
import { writeResourceFile } from './resource-file.ts'
import { confirmDisabling, confirmDocumentDeletion, type ResourcesInUse, requireNotInUse } from './resources-in-use.ts'
import { failureExit, requireNoConflicts } from './sync-failures.ts'
import { folderArgument, forceLocalFlag, onlyFlag, pushCheckFlag } from './sync-flags.ts'
import {
  isDifferent,
  isNotWritten,
  type PushResult,
  pushResultView,
  syncView,
  toFileStatuses,
  withRemarks,
} from './sync-view.ts'

interface PushOptions {
  readonly folder: string
  readonly layout: Layout
  readonly check: boolean
  /** Takes the version of the files on conflicts. */
  readonly forced: boolean
  /** Deletes resources whose file was deleted. */
  readonly prunes: boolean
  readonly options: WriteOptions
  /** Value of `--confirm`. */
  readonly confirm: string | undefined
  /** The commands for a pull, for showing the differences and for a push of the current folder, and the flag that prunes, for messages. */
  readonly words: { readonly pull: string; readonly diff: string; readonly here: string; readonly prune: string }
}

/** A conflict becomes a change of the file. A merged entry keeps its state. */
const resolveConflict = (forced: boolean, { status, local }: SyncEntry): SyncStatus =>
  status === 'changed_both' || !forced ? status : local ? 'changed_locally' : 'deleted_locally'

/** Applies the files to the platform. Referenced resources are written first; deletions come last, in reverse order. Also of `automate push`. */
export const pushFolder = (
  context: Context,
  options: PushOptions,
): Promise<'finding' | 'partial' | 'conflict' | 'done'> =>
  options.check || context.globals.dryRun || !existsSync(options.folder)
    ? applyFolder(context, options)
    : whileLocked(context, options.folder, () => applyFolder(context, options))

async function applyFolder(
  context: Context,
  { folder, layout, check, forced, prunes, options, confirm, words }: PushOptions,
): Promise<'finding' | 'partial' | 'conflict' | 'done'> {
  if (!existsSync(folder)) throw missingFolderError(folder, { ...words, cwd: context.system.cwd })
  const { dryRun } = context.globals
  requireNoPrintCurl(context)
  const found = await compareFolder(context, folder, layout, true)
  if (check) {
    const different = found.entries.filter(isDifferent)
    // Runs the checks of a push, so that `--check` fails wherever a push would.
    const checker = new Pusher(context, found, options)
    await checker.checkAll(different.filter((it) => it.local && needsPush(it, prunes)))
    await context.out.list(toFileStatuses(different), { view: syncView })
    await noteDrift(context, findDrift(different.filter((it) => needsPush(it, prunes))))
    await noteNotPushed(context, found, prunes, words)
    return different.some((it) => needsPush(it, prunes)) ? 'finding' : 'done'
  }
  const readAt = context.pauses()
  const first = await planPush(context, found, { forced, prunes, options, words })
  if (dryRun) {
    await notePlan(context, first)
    await context.out.list(
      [...first.written, ...first.removals].map((entry) =>
        plannedResult(entry, first.inUse.get(entry), first.remarks.get(entry.file)),
      ),
      { view: { ...pushResultView, empty: emptyText(first.all) } },
    )
    await context.notes.note('Dry run. Nothing was sent.')
    return 'done'
  }
  await context.approvals.requirePlan(async () => ({
    summary: `Push ${fileList(first.written)}${first.removals.length > 0 ? ` and delete ${fileList(first.removals)}` : ''}?`,
    ...(await plannedSteps(context, first)),
  }))
  let confirmed = options
  const { all, written, removals, remarks } = await confirmPlan(context, {
    plan: first,
    readAt,
    async ask(plan, isAskedAgain) {
      confirmed = await confirmPush(context, plan, { confirm, options, isAskedAgain, pull: words.pull })
    },
    read: async () =>
      planPush(context, await compareFolder(context, folder, layout, true), { forced, prunes, options, words }),
    describeChanges: (agreed, current) => [
      ...describeEntryChanges([...agreed.written, ...agreed.removals], [...current.written, ...current.removals]),
      ...describeEffectChanges([...agreed.inUse.values()].flat(), [...current.inUse.values()].flat()),
    ],
  })
  applyRenames(all)
  // The file has both changes before they are sent, so that an interrupted push does not undo the remote ones later.
  for (const entry of written.filter(({ merge }) => merge)) {
    await writeResourceFile(folder, entry.file, entry.kind, (entry.local as SyncSide).content)
  }
  const pusher = new Pusher(context, all, confirmed)
  const sent = await pusher.write(written)
  // An update that should have removed a reference to a deleted resource may have failed.
  const stillInUse = sent.some(isNotWritten)
    ? [...(await pusher.inUse(removals, []))].filter(([entry]) => entry.name !== confirm)
    : []
  const done = [...sent, ...(await pusher.remove(removals, new Map(stillInUse)))]
  pusher.recordUnchanged()
  await context.out.list(withRemarks(done, remarks), { view: { ...pushResultView, empty: emptyText(all) } })
  await noteNotPushed(context, all, prunes, words)
  const failed = failureExit(done)
  if (failed) return failed
  if (
    done.some((it) => it.remark !== null) ||
    (prunes && all.entries.some(({ kind, status }) => kind.remove && status === 'remote_only'))
  )
    return 'finding'
  return done.length > 0 && (await isDifferentAfterPush(context, folder, layout, all.entries, words.diff))
    ? 'finding'
    : 'done'
}

/** What a push does. */
interface PushPlan {
  readonly all: FolderComparison
  readonly written: readonly SyncEntry[]
  readonly removals: readonly SyncEntry[]
  readonly drift: readonly SyncEntry[]
  /** Conflicts whose remote changes are overwritten. */
  readonly lost: readonly SyncEntry[]
  readonly inUse: ResourcesInUse
  readonly remarks: PlanRemarks
}

/** Plans a push, and checks every entry before anything is sent. @throws ClientFailure `conflict`, `usage` */
async function planPush(
  context: Context,
  found: FolderComparison,
  { forced, prunes, options, words }: Pick<PushOptions, 'forced' | 'prunes' | 'options' | 'words'>,
): Promise<PushPlan> {
  if (!forced) requireNoConflicts(found.entries, words.diff, 'pass --force-local to use the local files')
  const entries: SyncEntry[] = []
  for (const entry of found.entries)
    if (entry.status !== 'conflict' && entry.status !== 'changed_both') entries.push(entry)
    else entries.push({ ...(await withMergedLocal(entry)), status: resolveConflict(forced, entry) })
  const all: FolderComparison = { ...found, entries }
  const written = all.entries.filter((it) => it.local && needsPush(it, prunes))
  const removals = prunes
    ? all.entries.filter(({ kind, status, remote }) => kind.remove && remote && status === 'deleted_locally').reverse()
    : []
  const checker = new Pusher(context, all, options)
  await checker.checkAll(written)
  // From the comparison, because `entries` above has a forced conflict as a change of the file, which loses nothing.
  const lost = new Set(found.entries.flatMap((it) => (it.status === 'conflict' && it.remote ? [it.file] : [])))
  return {
    all,
    written,
    removals,
    drift: findDrift(written),
    lost: [...written, ...removals].filter((it) => lost.has(it.file)),
    inUse: await checker.inUse(removals, written),
    remarks: await planRemarks(context, written),
  }
}

interface PushConfirmation {
  readonly confirm: string | undefined
  readonly options: WriteOptions
  readonly isAskedAgain: boolean
  readonly pull: string
}

/** Shows a push and asks for everything that requires confirmation. Returns the options with what was agreed to. */
async function confirmPush(
  context: Context,
  plan: PushPlan,
  { confirm, options, isAskedAgain, pull }: PushConfirmation,
): Promise<WriteOptions> {
  const { written, removals, drift, inUse } = plan
  const pauses = context.pauses()
  const again = { isAskedAgain }
  await notePlan(context, plan)
  await requireConfirmedName(
    context,
    confirm,
    removals.map((it) => it.name),
  )
  requireNotInUse(context, inUse, confirm)
  if (written.length + removals.length > 0) await guardWrite(context, confirm, true)
  await confirmOverwrite(context, drift, pull, again)
  await confirmDisabling(context, written, again)
  await confirmDocumentDeletion(context, written, again)
  const confirmed = await confirmTestEffects(context, written, options)
  if (removals.length > 0) {
    const names = removals.map((it) => `the ${it.kind.singular} "${it.name}"`).join(', ')
    await requireConfirmation(
      context,
      {
        question: `Delete ${names} and everything that belongs to them?`,
        refusalMessage: `Deleting ${names} requires confirmation.`,
      },
      again,
    )
  }
  // None of the questions is about the change.
  if (isAskedAgain && context.pauses() === pauses)
    await requireConfirmation(
      context,
      { question: 'Push these changes?', refusalMessage: 'Pushing changed resources requires confirmation.' },
      again,
    )
  return confirmed
}

/** Returns the message for an empty push. The platform may have more resources than the files. */
const emptyText = ({ entries }: FolderComparison): string =>
  entries.some(isDifferent)
    ? 'Nothing to push: the platform has everything in the files, and more.'
    : pushResultView.empty

function plannedResult(
  { file, id, remote, local }: SyncEntry,
  uses: readonly string[] | undefined,
  remarks: readonly string[] | undefined,
): PushResult {
  return {
    file,
    id,
    done: !local ? 'would_delete' : remote ? 'would_update' : 'would_create',
    remark: uses ? `It is in use. ${uses.join(' ')}` : (remarks?.join(' ') ?? null),
  }
}

/** Prints the plan, and warns about secrets in plain text. */
async function notePlan(context: Context, { written, removals: gone, drift, lost, remarks }: PushPlan): Promise<void> {
  const { notes, out } = context
  for (const { file, local } of written) {
    const clear = plaintextFields(local?.content)
    if (clear.length > 0)
      await notes.warn(
        `${file} has a secret in plain text: ${clear.join(', ')}. Replace it with a reference such as \${SECRET}, and set it in the environment.`,
      )
  }
  const line = ({ file, local, remote, fields }: SyncEntry): string =>
    `${!local ? 'delete' : remote ? 'update' : 'create'} ${file}${local && remote && fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  const parts = ({ kind, fields, local, remote }: SyncEntry): string[] =>
    fields.flatMap((name) => kind.describeChange?.(name, remote?.content[name], local?.content[name]) ?? [])
  if (out.settings.format === 'table' && written.length + gone.length > 0)
    await notes.note(
      ['Plan:', ...[...written, ...gone].flatMap((it) => [line(it), ...parts(it).map((part) => `  ${part}`)])].join(
        '\n',
      ),
    )
  for (const [file, lines] of remarks) await notes.warn(`${file}: ${lines.join(' ')}`)
  await noteMerges(context, written, 'Merged with remote changes since the last sync:')
  await noteDrift(context, drift)
  await noteLostValues(
    context,
    lost.flatMap((it) => lostLines(it, 'theirs')),
    'Overwritten on the platform:',
  )
}

async function noteNotPushed(
  { notes }: Context,
  { entries }: FolderComparison,
  prunes: boolean,
  { pull, prune }: PushOptions['words'],
): Promise<void> {
  const others = entries.filter(({ status }) => status === 'remote_only')
  if (others.length > 0)
    await notes.note(
      `Not in files: ${others.map((it) => `"${it.name}"`).join(', ')}. Not deleted${prunes ? `, even with ${prune}` : ''}. To export them: ${pull}`,
    )
  const remoteOnlyChanges = entries.filter((it) => it.status === 'changed_remotely' && !needsPush(it, prunes))
  if (remoteOnlyChanges.length > 0)
    await notes.note(
      `Changed remotely in fields that the files do not have: ${joinFileNames(remoteOnlyChanges)}. To export them: ${pull}`,
    )
  const withoutFile = entries.filter(({ kind, status }) => status === 'deleted_locally' && !(prunes && kind.remove))
  if (withoutFile.length === 0) return
  const reasons = new Set(withoutFile.flatMap(({ kind }) => kind.removalNote ?? []))
  await notes.note(
    `Not deleted (no local file): ${withoutFile.map((it) => `"${it.name}"`).join(', ')}. ${reasons.size === 0 ? `To delete them: ${prune}` : [...reasons].join(' ')}`,
  )
}

export const push = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Apply local YAML files to the platform',
  argument: folderArgument,
  risk: 'outside',
  supportsPreview: true,
  flags: [
    onlyFlag,
    pushCheckFlag,
    forceLocalFlag,
    forceFlag,
    { flags: '--prune', describe: 'Delete resources whose file was deleted' },
    {
      flags: '--confirm-side-effects',
      describe: 'Allow test steps of automations that send messages or place calls',
    },
    skipLocalTestFlag,
    noRollbackFlag,
    {
      flags: '--confirm <name>',
      describe: 'Name of the protected profile, or of the one resource in use that --prune deletes, to confirm',
    },
  ],
  examples: [
    '',
    'practice --dry-run',
    'practice --check --json',
    'practice --prune --yes',
    'assistants/front-desk.yaml',
  ],
  notes: `Applies referenced resources first and deletions last. A folder that an earlier version of Parley exported covers tools, assistants and automations only, until you export it again. Numbers are never bought or released, senders are never connected or removed, and campaigns are created as drafts and never started. The plan is printed first. Only fields that differ are sent; a field that was removed from its file is cleared. References to secrets are filled from the environment, and masked values keep their live value. Remote changes and deletions are shown with both values and overwritten after you confirm (--yes without a terminal). Local and remote changes of different fields since the last sync are merged, printed, sent, and written to the file. When both changed one field, all three values are shown and nothing is sent (exit code 5). --force-local does not ask about these conflicts, and prints each value that it overwrites. Each resource is read again right before it is written: one that was changed during the command is not written, and its result is "conflict" (exit code 5). Resources without a file are listed and not deleted. --prune deletes those whose file was deleted; the exit code is 20 while there are resources that never had a file.
After a push that ends with exit code 0, --check finds no differences. Progress is saved for each file. Running the same command again resumes with the remaining files (exit code 11 when some failed, 20 when the test of an automation failed). In another account, resources are matched by name.`,
  view: pushResultView,
  async run(context, { words: given, flags }) {
    const { folder, layout, words } = await parseSelection(context, given, flags.only)
    return pushFolder(context, {
      folder,
      layout,
      check: flags.check === true,
      forced: flags.forceLocal === true,
      prunes: flags.prune === true,
      options: parseWriteOptions(flags),
      confirm: flags.confirm as string | undefined,
      words: {
        pull: `parley pull${words}`,
        diff: `parley diff${words}`,
        here: `parley push .${words}`,
        prune: '--prune',
      },
    })
  },
})
