import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { maskDefinition } from '../../../engine/definition/mask.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { confirmDisable } from '../../program/dependencies/dependents.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import type { UndoOutcome } from '../../program/history/undo-result.ts'
import type { UndoOptions } from '../../program/resources/resource.ts'
import { confirmRestore, type RestorePlan } from './confirm-publish.ts'
import { describeState, fingerprintDefinition, type LiveAutomation, readLiveAutomation } from './live-automation.ts'
import { outcomeRemark } from './print-update-outcome.ts'
import {
  describeCircumstances,
  describeDifference,
  previewRestore,
  requirePossible,
} from './restore/restore-preview.ts'
import { fromHistoryEntry, listVersions, type RestoreTarget, readVersion } from './restore/restore-targets.ts'
import { restoreSafely } from './restore/safe-restore.ts'
import { updateSafely } from './safe-update.ts'

/** Number of versions searched for the previous one. */
const maxSearched = 10

/** History entries have their credentials masked, so all definitions are compared with masked ones. */
const maskedFingerprint = async (definition: unknown): Promise<string> => {
  if (!isObject(definition)) return fingerprintDefinition(null)
  return fingerprintDefinition(maskDefinition(definition as AutomationNode))
}

/**
 * Undoes an update or a restore of an automation; `change` has the previous fields. A definition is restored as a
 * version, which runs no test and does not enable or disable the automation. If no version can be restored, it is sent
 * as a safe update and tested with the sample of that time. The result is read back.
 *
 * Returns undefined for --dry-run and --print-curl. @throws ClientFailure; `exit` of the result is `finding` (20) if
 * the previous state was not fully restored
 */
export async function undoAutomation(
  context: Context,
  copy: HistoryEntry,
  label: string,
  change: ResourceRecord,
  options: UndoOptions,
): Promise<UndoOutcome | undefined> {
  const id = String(copy.ids.id)
  const { flow, name, enabled } = change
  const { dryRun, printCurl } = context.globals
  let live = await readLiveAutomation(context, id)
  const nextStatus = enabled === undefined ? undefined : enabled ? 'enabled' : 'disabled'
  const notes: string[] = []
  let historyEntry: number | undefined
  if (flow !== undefined) {
    const planUndo = async (): Promise<RestorePlan> => {
      const target = await findUndoTarget(context, copy, live)
      return { live, target, preview: await previewRestore(context, live, target) }
    }
    const { target, preview } = await planUndo()
    const lines = [...describeDifference(preview), ...describeCircumstances(preview, nextStatus)]
    if (printCurl) {
      await previewUndo(context, id, target, flow)
      return undefined
    }
    if (dryRun) {
      await previewUndo(context, id, target, flow)
      await context.notes.note(lines.join('\n'))
      return undefined
    }
    if (preview.conflict || (await context.supports('versions'))) requirePossible(preview, target.label)
    const agreed = await confirmRestore(
      context,
      { live, target, preview },
      {
        confirmed: options.confirmed,
        ...(nextStatus !== undefined && { nextStatus }),
        async read() {
          live = await readLiveAutomation(context, id)
          const plan = await planUndo()
          if (plan.preview.conflict || (await context.supports('versions')))
            requirePossible(plan.preview, plan.target.label)
          return plan
        },
      },
    )
    const published = await publishPrevious(context, { copy, live, target: agreed.target, flow, options })
    historyEntry = published.historyEntry
    if (published.failure)
      return {
        undone: { done: 'nothing' },
        sentence: `Not undone: ${label}. ${published.failure}`,
        historyEntry,
        exit: 'finding',
      }
    live = await readLiveAutomation(context, id)
  }
  const wantedStatus = nextStatus ?? live.automation.status
  const rest = {
    ...(name !== undefined && name !== live.automation.name && { name: String(name) }),
    ...(wantedStatus !== live.automation.status && { enabled: wantedStatus === 'enabled' }),
  }
  if (flow === undefined && (dryRun || printCurl)) {
    await previewRequest(context, automate.update, { ...rest, id })
    return undefined
  }
  if (flow === undefined && rest.enabled === false) await confirmDisable(context, id, options.confirmed)
  if (Object.keys(rest).length > 0) {
    const reply = await context.call.raw(
      automate.update,
      { ...rest, id },
      { history: flow === undefined ? { previous: live.automation } : { isSkipped: true } },
    )
    historyEntry = reply.historyEntry ?? historyEntry
    live = await readLiveAutomation(context, id)
  }
  const wrong = await remainingDifferences(copy, live, { flow, name, wantedStatus })
  if (wrong.length > 0)
    return {
      undone: { done: 'nothing' },
      sentence: `Not fully restored: ${wrong.join(', ')} of the ${label}. ${describeState(live)}`,
      notes,
      historyEntry,
      exit: 'finding',
    }
  return {
    undone: { done: 'restored', fields: Object.keys(change) },
    sentence: `Restored ${label}.`,
    notes: [describeState(live), ...notes],
    historyEntry,
  }
}

interface PublishOptions {
  readonly copy: HistoryEntry
  readonly live: LiveAutomation
  readonly target: RestoreTarget
  readonly flow: unknown
  readonly options: UndoOptions
}

interface PublishResult {
  /** A sentence with the cause if the definition is not live. */
  readonly failure?: string | undefined
  readonly historyEntry: number | undefined
}

/** Makes the definition of the history entry live. */
async function publishPrevious(
  context: Context,
  { copy, live, target, flow, options }: PublishOptions,
): Promise<PublishResult> {
  const id = String(copy.ids.id)
  let historyEntry: number | undefined
  const wantedFingerprint = await maskedFingerprint(copy.before?.definition)
  if (target.number !== undefined || target.isPrevious) {
    const done = await restoreSafely(context, live, target)
    historyEntry = done.historyEntry
    if ((await maskedFingerprint(done.live.automation.definition)) === wantedFingerprint) return { historyEntry }
    // The previous version has other content: the live one is restored before the content is sent.
    const reverted = await restoreSafely(context, done.live, {
      ...target,
      number: undefined,
      fingerprint: live.fingerprint,
    })
    historyEntry = reverted.historyEntry ?? historyEntry
    await context.notes.note(
      'The previous version on the platform has other content, so the saved content is sent as an update.',
    )
  }
  const outcome = await updateSafely(context, {
    id,
    change: { flow, ...(options.confirmsSideEffects && { confirm_side_effects: true }) },
    sampleBefore: copy.at,
    progressText: 'Building and testing the automation',
  })
  return {
    historyEntry: outcome.historyEntry ?? historyEntry,
    ...(outcome.kind !== 'shown' && { failure: outcomeRemark(outcome) ?? undefined }),
  }
}

/** Returns the version before the change if the platform has it, otherwise the saved one. */
async function findUndoTarget(context: Context, copy: HistoryEntry, live: LiveAutomation): Promise<RestoreTarget> {
  const id = live.automation.id
  const wanted = await maskedFingerprint(copy.before?.definition)
  if (await context.supports('versions')) {
    const versions = (await listVersions(context, id)).filter((it) => !it.live).slice(0, maxSearched)
    for (const { number } of versions) {
      const target = await readVersion(context, id, number)
      if ((await maskedFingerprint(target.definition)) === wanted) return target
    }
    return fromHistoryEntry(copy)
  }
  // The live version is the one that the change created, so the previous version is the saved one.
  const isNewest =
    copy.after !== null &&
    (await maskedFingerprint(copy.after.definition)) === (await maskedFingerprint(live.automation.definition))
  return { ...fromHistoryEntry(copy), ...(isNewest && { isPrevious: true }) }
}

async function previewUndo(context: Context, id: string, target: RestoreTarget, flow: unknown): Promise<void> {
  if (target.isPrevious) await previewRequest(context, automate.restore, { id })
  else if (target.number !== undefined)
    await previewRequest(context, automate.restoreVersion, { id, number: target.number })
  else await previewRequest(context, automate.update, { id, flow })
}

/** Returns the parts that are not restored. */
async function remainingDifferences(
  copy: HistoryEntry,
  { automation }: LiveAutomation,
  { flow, name, wantedStatus }: { readonly flow: unknown; readonly name: unknown; readonly wantedStatus: string },
): Promise<string[]> {
  return [
    ...(flow !== undefined &&
    (await maskedFingerprint(automation.definition)) !== (await maskedFingerprint(copy.before?.definition))
      ? ['the definition']
      : []),
    ...(name !== undefined && automation.name !== name ? ['the name'] : []),
    ...(automation.status !== wantedStatus ? [`the state (${automation.status}, not ${wantedStatus})`] : []),
  ]
}
