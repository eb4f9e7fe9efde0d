import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { isRefusedWrite } from '../../../../client/failures/uncertain-writes.ts'
import { ifVersionHeader } from '../../../../contract/automations/automation-headers.ts'
import type { Restored } from '../../../../contract/automations/automation-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import type { Context, RecordedReply } from '../../../program/context.ts'
import { finishRestore } from '../finish-update.ts'
import {
  describeState,
  explainVersionChange,
  type LiveAutomation,
  readLiveAutomation,
  requireSameVersion,
} from '../live-automation.ts'
import {
  findOpenRestore,
  type OpenOperation,
  openOperation,
  toAutomationOperation,
  unfinishedError,
} from '../operation-journal.ts'
import { describeRestore } from '../reconcile-automations.ts'
import { findLiveVersion, listVersions, type RestoreTarget } from './restore-targets.ts'

/** A completed restore that was read back. */
export interface SafeRestoreResult {
  /** Response of the platform; empty if it was lost. */
  readonly answer: Partial<Restored>
  readonly live: LiveAutomation
  readonly isAnswerLost: boolean
  /** The history entry with the version that was live before. */
  readonly historyEntry?: number | undefined
}

/**
 * Restores an earlier version and reads back the live version. `shown` is the live version that the user confirmed. If
 * another version was published since, nothing is restored (exit 5).
 *
 * @throws ClientFailure; `unknown` (exit 12) if the live version is unknown, with an entry in the journal
 */
export async function restoreSafely(
  context: Context,
  shown: LiveAutomation,
  target: RestoreTarget,
): Promise<SafeRestoreResult> {
  const { id, name } = shown.automation
  const isGuarded = shown.version !== undefined && (await context.supports('version-guard'))
  if (!isGuarded) {
    await requireSameVersion(context, shown)
    await context.notes.note(
      'This deployment has no version guard. A change by someone else between this check and the restore is not detected.',
    )
  }
  const operation = {
    ...toAutomationOperation(shown, shown.automation.status === 'enabled', false),
    target: target.fingerprint ?? null,
  }
  const entry = await openOperation(context, 'restore', operation)
  const options = {
    ...(isGuarded && { headers: { [ifVersionHeader]: shown.version as string } }),
    history: { previous: shown.automation },
  }
  const sent: Promise<RecordedReply<unknown>> =
    target.number === undefined || target.isPrevious
      ? context.call.raw(automate.restore, { id }, options)
      : context.call.raw(automate.restoreVersion, { id, number: target.number }, options)
  let reply: RecordedReply<unknown>
  try {
    reply = await context.progress.showWhile('Restoring', sent)
  } catch (error) {
    if (isRefusedWrite(error)) {
      entry.settle('refused', { message: (error as Error).message })
      throw await explainRefusal(context, error as ClientFailure, id)
    }
    if (isAnsweredError(error)) {
      const live = await readLiveAutomation(context, id).catch(() => undefined)
      // The platform responded with an error and the live version is unchanged.
      if (
        live &&
        live.fingerprint === shown.fingerprint &&
        live.version === shown.version &&
        live.automation.updated_at === shown.automation.updated_at
      ) {
        entry.settle('refused', { message: (error as Error).message })
        throw await explainRefusal(context, error as ClientFailure, id)
      }
    }
    return resolveLostAnswer(context, entry, error)
  }
  return {
    answer: reply.output as Partial<Restored>,
    live: await readBack(context, entry, shown, target),
    isAnswerLost: false,
    historyEntry: reply.historyEntry,
  }

  async function readBack(
    from: Context,
    { settle }: OpenOperation,
    before: LiveAutomation,
    { fingerprint }: RestoreTarget,
  ): Promise<LiveAutomation> {
    const live = await readLiveAutomation(from, id, new AbortController().signal).catch((error: unknown) => {
      settle('unknown')
      throw unfinishedError(
        `The platform reported that "${name}" was restored, but the live version could not be read: ${(error as Error).message}`,
        error,
      )
    })
    const isNewVersion =
      live.version !== undefined && before.version !== undefined
        ? live.version !== before.version
        : live.automation.updated_at !== before.automation.updated_at
    const isRestored =
      fingerprint === undefined
        ? live.fingerprint !== before.fingerprint || isNewVersion
        : live.fingerprint === fingerprint
    settle(isRestored ? 'done' : 'refused', isRestored ? undefined : { reconciled: 'Another definition is live.' })
    if (isRestored && live.automation.status === before.automation.status) return live
    throw new ClientFailure({
      exit: 'platform',
      code: isRestored ? 'state_changed' : 'restore_without_effect',
      message: isRestored
        ? `"${name}" was restored, but it was ${before.automation.status} and is ${live.automation.status} now.`
        : `The platform reported that "${name}" was restored, but ${live.fingerprint === before.fingerprint ? 'the version that was live before is still live' : 'another definition is live'}. ${describeState(live)}`,
      hint: isRestored
        ? `To switch it back: parley automate ${before.automation.status === 'enabled' ? 'enable' : 'disable'} ${id}`
        : `Show the live version: parley automate get ${id}`,
    })
  }
}

/** Returns whether the platform responded, so that the request has ended. */
const isAnsweredError = (error: unknown): boolean =>
  error instanceof ClientFailure &&
  error.status !== undefined &&
  error.status !== 408 &&
  ![502, 503, 504].includes(error.status)

/** Adds the live version and a hint to a refused restore. */
async function explainRefusal(context: Context, error: ClientFailure, id: string): Promise<ClientFailure> {
  const { exit, code, message, status, requestId, details } = error
  const withContext = (parts: { exit?: ClientFailure['exit']; message?: string; hint: string }): ClientFailure =>
    new ClientFailure({
      exit,
      code,
      message,
      details,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      cause: error,
      ...parts,
    })
  if (code === 'version_changed') return explainVersionChange(error, id) as ClientFailure
  // Someone else published it after the preview.
  if (code === 'already_live') {
    const live = await listVersions(context, id).then(findLiveVersion, () => undefined)
    return withContext({
      exit: 'conflict',
      ...(live && { message: `${message} Version ${live.number} is live since ${live.published_at}.` }),
      hint: `Compare the versions and try again: parley automate diff ${id}`,
    })
  }
  if (code === 'binding_conflict')
    return withContext({
      exit: 'conflict',
      hint: error.hint ?? 'Detach the automation that is bound to the event, then restore again.',
    })
  if (code !== 'publish_failed') return error
  const isConflict = /already has an automation or custom webhook/i.test(message)
  return withContext({
    ...(isConflict && { exit: 'conflict' as const }),
    hint: `Show the draft: parley automate get ${id} --draft. The live version is unchanged.`,
  })
}

/**
 * Determines the outcome from the live version after the response was lost. @throws ClientFailure `unknown` while the
 * restore may be in progress
 */
async function resolveLostAnswer(context: Context, entry: OpenOperation, error: unknown): Promise<SafeRestoreResult> {
  const { name } = entry.operation
  entry.settle('unknown', { message: (error as Error).message })
  if (context.system.signal.aborted)
    throw unfinishedError(`The restore of "${name}" was interrupted. Its outcome is unknown.`, error)
  const finished = await finishRestore(context, entry.operation, entry.at, new AbortController().signal).catch(
    (failure: unknown) => {
      throw unfinishedError(
        `The response to the restore of "${name}" was lost, and the live version could not be read: ${(failure as Error).message}`,
        failure,
      )
    },
  )
  if (finished.verdict === 'live') {
    entry.settle('done', { reconciled: 'The restore is done.' })
    return { answer: {}, live: finished.live, isAnswerLost: true }
  }
  throw unfinishedError(
    `The response to the restore was lost: ${(error as Error).message} ${describeRestore(entry.operation, finished)}`,
    error,
  )
}

/**
 * Settles an earlier restore with an unknown outcome by comparing it with the live version. If it was carried out,
 * restoring again would undo it. Returns undefined if there is none, or if it was certainly not carried out.
 *
 * @throws ClientFailure `unknown` (exit 12) while it may still be in progress
 */
export async function resumeRestore(
  context: Context,
  id: string,
): Promise<{ readonly sentence: string; readonly live: LiveAutomation } | undefined> {
  const open = await findOpenRestore(context, id)
  if (!open) return undefined
  const finished = await finishRestore(context, open.operation, open.at)
  const sentence = describeRestore(open.operation, finished)
  if (finished.verdict === 'live') {
    open.settle('done', { reconciled: 'The restore is done.' })
    return { sentence: `The restore of ${open.at} had no response. ${sentence}`, live: finished.live }
  }
  // With the version guard, the platform refuses the later of two restores.
  if (finished.verdict === 'under_way' && !(await context.supports('version-guard')))
    throw unfinishedError(`An earlier restore of ${open.at} has no outcome. ${sentence}`)
  open.settle('refused', { reconciled: sentence })
  await context.notes.note(`Earlier restore (${open.at}): ${sentence}`)
  return undefined
}
