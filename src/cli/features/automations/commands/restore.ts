import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import type { Restored } from '../../../../contract/automations/automation-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { type DefinitionDiff, diff } from '../../../../engine/analysis/diff.ts'
import { command } from '../../../program/commandline/command.ts'
import { forceFlag, ifUnchangedFlag } from '../../../program/commandline/field-flags.ts'
import { previewRequest } from '../../../program/connection/send-request.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { requireUnchanged as check } from '../../../program/history/if-unchanged.ts'
import { readBeforeWrite } from '../../../program/history/undo-unavailable.ts'
import { parseCount } from '../../../program/input/count-flag.ts'
import { idView, type View } from '../../../program/output/format.ts'
import { describeTime } from '../../../program/output/time.ts'
import { loadRecorded } from '../../../program/resources/registry.ts'
import { fitText } from '../../../program/terminal/wrap-text.ts'
import { confirmRestore, type RestorePlan } from '../confirm-publish.ts'
import { differenceLines } from '../flow-files/difference-lines.ts'
import { describeState, type LiveAutomation, readLiveAutomation } from '../live-automation.ts'
import { findRolledBackUpdate } from '../operation-journal.ts'
import { republishVersion } from '../restore/republish-version.ts'
import {
  describeCircumstances,
  describeDifference,
  previewRestore,
  type RestorePreview,
  requirePossible,
} from '../restore/restore-preview.ts'
import {
  noteUndo,
  previousInHistory,
  previousNumber,
  type RestoreTarget,
  readVersion,
} from '../restore/restore-targets.ts'
import { restoreSafely, resumeRestore, type SafeRestoreResult } from '../restore/safe-restore.ts'
import { noRollbackFlag, skipLocalTestFlag } from '../write-flags.ts'
import { argument, automationId } from './view.ts'

interface PrintOptions {
  readonly before: LiveAutomation
  readonly result: SafeRestoreResult
  readonly target: RestoreTarget
}

/** Prints the live state after a restore, its changes and the command that undoes it. */
async function printRestoreResult(context: Context, { before, result, target }: PrintOptions): Promise<void> {
  const { out, notes } = context
  const { answer, live, isAnswerLost } = result
  const { id, name, status, binding } = live.automation
  const difference = await diffDefinitions(before, live)
  const note = typeof answer.note === 'string' && answer.note !== '' ? answer.note : `Restored ${target.label}.`
  if (!out.isForPeople) {
    const restored = {
      automation_id: id,
      name,
      status,
      restored_version_id: answer.restored_version_id ?? live.version ?? null,
      note,
    }
    return out.record(
      { ...restored, ...answer, difference, live: { status, binding, version_id: live.version ?? null } },
      { view: idView(() => id) },
    )
  }
  const lostAnswerNote = isAnswerLost ? ' The response was lost; the live version was read back.' : ''
  await out.done(await fitText(`${note}${lostAnswerNote} Id: ${id}`, out.settings))
  const lines = difference ? differenceLines(difference) : []
  for (const line of lines) await out.line(await fitText(line, out.settings))
  if (difference && lines.length === 0) await notes.note('Both versions have the same content.')
  // The note of a Parley server says the status already.
  if (isObject(binding) || !note.includes(String(status))) await notes.note(describeState(live))
  if (result.historyEntry !== undefined)
    await notes.note(`Compare with the replaced version: parley history diff ${result.historyEntry}`)
  if (status === 'disabled') await notes.note(`Enable it: parley automate enable ${id}`)
  await noteUndo(context, before)
}

async function diffDefinitions(
  { automation: before }: LiveAutomation,
  { automation: after }: LiveAutomation,
): Promise<DefinitionDiff | null> {
  if (!isObject(before.definition) || !isObject(after.definition)) return null
  return diff(before.definition, after.definition)
}

const view: View<Restored> = idView((it) => it.automation_id)

export const restore = command({
  confirmsName: true,
  endpoint: automate.restore,
  exits: ['finding', 'unknown', 'rejected', 'platform'],
  summary: 'Restore an earlier version of an automation',
  argument,
  flags: [
    { flags: '--to <n>', describe: 'Version to restore (default: the previous version)' },
    {
      flags: '-f, --file <path>',
      describe: 'JSON or YAML file with the version of --to, for deployments without version numbers',
    },
    {
      flags: '--sample <json>',
      describe: 'Trigger input for the test when the version is sent as an update (JSON, YAML or @file)',
    },
    {
      flags: '--confirm-side-effects',
      describe: 'Allow test steps that send messages or place calls when the version is sent as an update',
    },
    skipLocalTestFlag,
    noRollbackFlag,
    ifUnchangedFlag,
    forceFlag,
  ],
  examples: ['Greeting', 'Greeting --dry-run', 'Greeting --yes', 'Greeting --to 2 --yes'],
  notes: `Shows the changes, bindings, runs in progress, and the connections and resources that the earlier version needs, then asks for confirmation. The live version is saved to the history first, with secrets masked. The result is read back from the platform. Restoring again undoes a restore. When another version was published in between, the command fails with exit code 5.
A deployment without version numbers restores only the previous version. There, --to takes an entry of "parley automate versions list" from the local history. It is sent as an update, which needs --confirm-side-effects and the secrets of that version.`,
  view,
  async run(context, { argument: given, flags }) {
    const readAt = context.pauses()
    const id = await automationId(context, given)
    const to = parseCount(flags.to as string | undefined, '--to')
    const isPlanned = context.globals.dryRun === true
    if (context.globals.printCurl) {
      await (to === undefined
        ? previewRequest(context, automate.restore, { id })
        : previewRequest(context, automate.restoreVersion, { id, number: to }))
      return
    }
    if (flags.file !== undefined && to === undefined)
      throw usageError('--file needs --to.', 'To publish a definition from a file: parley automate update --file.')
    const hasVersions = await readBeforeWrite('list of capabilities', () => context.supports('versions', true), '')
    if (to !== undefined && !hasVersions) return republishVersion(context, id, to, flags)
    if (!isPlanned) {
      const earlier = await resumeRestore(context, id)
      if (earlier) return printDone(context, id, earlier)
    }
    const readPlan = async (): Promise<RestorePlan> => {
      const live = await readBeforeWrite('automation', () => readLiveAutomation(context, id), '')
      if (!hasVersions) await requireNoFailedVersion(context, live)
      const target = await targetFor(context, live, to, hasVersions)
      if (context.writeSettings.ifUnchanged !== undefined) await requireUnchanged(context, live.automation)
      const preview = await previewRestore(context, live, target)
      if (!isPlanned && (hasVersions || preview.conflict) && !isLive({ live, target }))
        requirePossible(preview, target.label)
      return { live, target, preview }
    }
    const isLive = ({ live, target }: Pick<RestorePlan, 'live' | 'target'>): boolean =>
      to !== undefined && target.fingerprint === live.fingerprint
    const plan = await readPlan()
    if (to !== undefined && isLive(plan)) return printAlready(context, id, to, plan.live)
    if (isPlanned) return printPlan(context, id, plan.target, plan.preview)
    const { live, target } = await confirmRestore(context, plan, { confirmed: flags.confirm, readAt, read: readPlan })
    const done = await restoreSafely(context, live, target)
    await printRestoreResult(context, { before: live, result: done, target })
  },
})

/**
 * Refuses to restore a version that is known to fail. On a platform without version numbers, the previous version after
 * a rollback is the one that was rolled back. @throws ClientFailure `conflict`
 */
async function requireNoFailedVersion(context: Context, live: LiveAutomation): Promise<void> {
  const at = await findRolledBackUpdate(context, live)
  if (at === undefined) return
  const { id, name } = live.automation
  throw new ClientFailure({
    exit: 'conflict',
    code: 'previous_version_failed',
    message: `The previous version of "${name}" failed its test on ${describeTime(at)} and was rolled back. Restoring it would publish it again. Nothing was sent.`,
    hint: `To restore an earlier version, pass its number with --to. List them: parley automate versions list ${id}`,
  })
}

async function targetFor(
  context: Context,
  live: LiveAutomation,
  to: number | undefined,
  hasVersions: boolean,
): Promise<RestoreTarget> {
  const { id } = live.automation
  if (!hasVersions) return previousInHistory(context, live)
  if (to !== undefined) return readVersion(context, id, to)
  return { ...(await readVersion(context, id, await previousNumber(context, id))), isPrevious: true }
}

async function requireUnchanged(context: Context, shown: object): Promise<void> {
  await check(context, await loadRecorded('automate'), shown as never, context.writeSettings.ifUnchanged as string)
}

/** Prints what a restore would do. */
async function printPlan(context: Context, id: string, target: RestoreTarget, preview: RestorePreview): Promise<void> {
  const path = `/api/user/automate/flows/${id}${target.number === undefined || target.isPrevious ? '' : `/versions/${target.number}`}/restore`
  if (context.out.isForPeople)
    for (const line of [
      `Would restore ${target.label}.`,
      ...describeDifference(preview),
      ...describeCircumstances(preview),
    ])
      await context.out.line(line)
  else await context.out.record({ method: 'POST', path, body: null, ...preview }, { view: idView(() => id) })
  if (preview.conflict || preview.needs.some((it) => it.state === 'missing' || it.state === 'expired'))
    try {
      requirePossible(preview, target.label)
    } catch (error) {
      await context.notes.warn((error as Error).message)
    }
  await context.notes.note('Dry run. Nothing was sent.')
}

/** Prints that the version is live already. Nothing is sent. */
async function printAlready(
  context: Context,
  id: string,
  to: number,
  { automation, version }: LiveAutomation,
): Promise<void> {
  if (context.out.isForPeople)
    return context.out.line(`Version ${to} is already live. Nothing was sent. It is ${automation.status}. Id: ${id}`)
  return context.out.record(
    {
      automation_id: id,
      name: automation.name,
      status: automation.status,
      restored_version_id: version ?? null,
      note: `Version ${to} is live already.`,
      difference: null,
    },
    { view },
  )
}

async function printDone(
  context: Context,
  id: string,
  { sentence, live }: { readonly sentence: string; readonly live: LiveAutomation },
): Promise<void> {
  if (context.out.isForPeople) return context.out.line(`${sentence} Nothing was sent. Id: ${id}`)
  const { automation, version } = live
  return context.out.record(
    {
      automation_id: id,
      name: automation.name,
      status: automation.status,
      restored_version_id: version ?? null,
      note: sentence,
      difference: null,
    },
    { view },
  )
}
