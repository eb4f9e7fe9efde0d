// Replaces a live automation so that callers always meet a version that works. Its steps are in the journal before they are
// sent (operation-journal.ts), so that the same command finishes after a crash.

import { isRefusedWrite } from '../../../client/failures/uncertain-writes.ts'
import {
  ifVersionHeader,
  publishedHeader,
  publishHeader,
  publishWhenTested,
} from '../../../contract/automations/automation-headers.ts'
import type { BuiltAutomation } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { LocalCheckResult, LocalFailure } from '../../../engine/runs/local-check.ts'
import { createSandbox } from '../../../engine/sandbox/create-sandbox.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { CommandInput } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import { confirmSideEffects } from '../../program/consent/confirm-side-effects.ts'
import type { Context, RecordedReply } from '../../program/context.ts'
import { discardEntry } from '../../program/history/recorder.ts'
import { findSample, saveSample } from '../../program/history/test-samples.ts'
import { readBeforeWrite } from '../../program/history/undo-unavailable.ts'
import { fillFlowMasks } from '../../program/secrets/fill-flow-masks.ts'
import { finishUpdate, packDefinition, rollBack } from './finish-update.ts'
import {
  describeState,
  explainVersionChange,
  fieldsNotLive,
  type LiveAutomation,
  readLiveAutomation,
  requireSameVersion,
} from './live-automation.ts'
import { type OpenOperation, openOperation, toAutomationOperation, unfinishedError } from './operation-journal.ts'
import { finishEarlierUpdates } from './reconcile-automations.ts'

/** Checks a definition locally with a sample of trigger input. Sends nothing. */
async function checkLocally(context: Context, flow: unknown, sample: unknown): Promise<LocalCheckResult> {
  const { checkDefinitionLocally } = await import('../../../engine/runs/local-check.ts')
  const { system } = context
  const sandbox = createSandbox()
  try {
    return await checkDefinitionLocally(flow, { sandbox, sample, now: system.now() * 1000, signal: system.signal })
  } finally {
    await sandbox.close()
  }
}

/** Lists steps without a local test in a sentence; undefined if all were tested. */
function notTestedNote({ notTested }: LocalCheckResult): string | undefined {
  if (notTested.length === 0) return undefined
  const list = notTested.map(({ step, reason }) => `${step ?? 'the definition'} (${reason})`).join(', ')
  return `Not tested locally: ${list}.`
}

const maxInputLength = 400

/** Returns a line with the beginning of the input of a failed step; empty without one. */
export function inputLine(input: unknown): string {
  if (input === undefined || input === null) return ''
  const text = stringifyJson(input)
  return `\n  input: ${text.length > maxInputLength ? `${text.slice(0, maxInputLength)}…` : text}`
}

/** Describes a failure in one or two lines: place, cause and input of the step. */
export function describeFailure({ step, path, message, input }: LocalFailure): string {
  const where = [step, path].filter(Boolean).join(' ')
  return `${where}${where ? ': ' : ''}${message}${inputLine(input)}`
}

interface SafeUpdateOptions {
  readonly id: string
  /** Fields to send, including a definition. */
  readonly change: CommandInput & { readonly flow: unknown }
  /** Skips the local check. */
  readonly skipLocalTest?: boolean
  /** Restores the previous version if the test fails after publishing (default: true). */
  readonly rollback?: boolean
  /** Uses only samples up to this time (ISO 8601), for a definition of that time. */
  readonly sampleBefore?: string
  /** Text of the progress spinner. */
  readonly progressText: string
}

type BuildResult = Partial<BuiltAutomation> & { readonly status?: string }

/** Outcome of an update of a definition. */
export type UpdateOutcome = {
  /** Time when the sample was saved (ISO 8601). */
  readonly sampleAt?: string | undefined
  readonly verdict?: LocalCheckResult | undefined
  /** The version that was live before, if the response to its replacement arrived. */
  readonly before?: LiveAutomation
  /** The history entry with the version that was live before, if that was replaced. */
  readonly historyEntry?: number | undefined
} & (
  | { readonly kind: 'shown' }
  /** The local check failed. Nothing was sent. */
  | { readonly kind: 'not_sent'; readonly verdict: LocalCheckResult }
  /** Tested, published and read back. */
  | { readonly kind: 'live'; readonly built: BuildResult; readonly live: LiveAutomation; readonly isAnswerLost?: true }
  /** Reported as done, but these live fields differ from the sent ones. */
  | {
      readonly kind: 'differs'
      readonly built: BuildResult
      readonly live: LiveAutomation
      readonly fields: readonly string[]
      readonly isAnswerLost?: true
    }
  /** The draft failed its test. The live version is unchanged. */
  | { readonly kind: 'not_published'; readonly built: BuildResult; readonly live: LiveAutomation }
  /** The test failed after publishing: the previous version is live again. */
  | {
      readonly kind: 'rolled_back'
      readonly built: BuildResult
      readonly live: LiveAutomation
      readonly wasBound: boolean
    }
  /** The test failed after publishing, and rollback was disabled. */
  | { readonly kind: 'left'; readonly built: BuildResult; readonly live: LiveAutomation }
)

/**
 * Replaces the definition of a live automation without interrupting production. It is checked locally first. The
 * platform tests it before publishing if it supports that; otherwise the previous version is restored if the test
 * fails. The live version is read back.
 *
 * @throws ClientFailure; `unknown` (exit 12) if the live version is unknown or was not restored; then `ops reconcile`
 * finishes it
 */
export async function updateSafely(context: Context, update: SafeUpdateOptions): Promise<UpdateOutcome> {
  const { id, progressText } = update
  const { printCurl, dryRun } = context.globals
  const storedSample =
    update.change.sample === undefined ? await findSample(context, id, update.sampleBefore) : undefined
  const change: CommandInput = { ...update.change, ...(storedSample && { sample: storedSample.sample }) }
  if (printCurl) {
    await previewRequest(context, automate.update, { ...update.change, id })
    return { kind: 'shown' }
  }
  const flow = await fillFlowMasks(context, id, change.flow)
  const verdict = update.skipLocalTest
    ? undefined
    : await context.progress.showWhile('Checking locally', checkLocally(context, flow, change.sample))
  const more = { verdict, sampleAt: storedSample?.at }
  if (verdict && verdict.failures.length > 0) return { ...more, kind: 'not_sent', verdict }
  const untested = verdict && notTestedNote(verdict)
  if (untested) await context.notes.note(untested)
  for (const reference of verdict?.unknownReferences ?? []) await context.notes.warn(reference)
  if (dryRun) {
    await previewRequest(context, automate.update, { ...update.change, id })
    return { kind: 'shown' }
  }
  await finishEarlierUpdates(context, id)
  const readAt = context.pauses()
  const before = await readBeforeWrite('automation', () => readLiveAutomation(context, id), '')
  const rollback = update.rollback !== false
  // Without rollback, the definition is published before its test.
  const isStaged = rollback && (await context.supports('when-tested'))
  const enabled = change.enabled === undefined ? before.automation.status === 'enabled' : change.enabled === true
  // A platform without staging enables a definition that passes its test, unless the request disables it.
  const input: CommandInput = { ...change, flow, id, ...(!isStaged && !enabled && { enabled: false }) }
  const entry = await openOperation(context, 'update', {
    ...toAutomationOperation(before, enabled, rollback),
    sent: packDefinition(flow),
  })
  // Of two updates at the same time, the platform publishes only the first.
  const isGuarded = before.version !== undefined && (await context.supports('version-guard'))
  const options = {
    headers: {
      ...(isStaged && { [publishHeader]: publishWhenTested }),
      ...(isGuarded && { [ifVersionHeader]: before.version as string }),
    },
    history: { previous: before.automation },
  }
  let reply: RecordedReply<unknown>
  try {
    reply = await confirmSideEffects(context, input, async (body) => {
      if (context.pauses() !== readAt) await requireSameVersion(context, before)
      return context.progress.showWhile(progressText, context.call.raw(automate.update, body as never, options))
    })
  } catch (error) {
    if (isRefusedWrite(error)) {
      entry.settle('refused', { message: (error as Error).message })
      throw explainVersionChange(error, id)
    }
    return { ...more, ...(await resolveLostAnswer(context, { entry, before, flow }, error)) }
  }
  if (update.change.sample !== undefined) await saveSample(context, id, update.change.sample)
  const outcome = await resolveAnswer(context, { entry, before, reply, flow, isStaged })
  if (outcome.kind !== 'not_published' && outcome.kind !== 'rolled_back')
    return { ...more, ...outcome, before, historyEntry: reply.historyEntry }
  await discardEntry(context, reply.historyEntry)
  return { ...more, ...outcome }
}

interface UpdateAnswer {
  readonly entry: OpenOperation
  readonly before: LiveAutomation
  readonly reply: RecordedReply<unknown>
  readonly flow: unknown
  readonly isStaged: boolean
}

/** Returns a signal that is never aborted, because a rollback must not be interrupted. */
const uninterruptedSignal = (): AbortSignal => new AbortController().signal

async function resolveAnswer(
  context: Context,
  { entry, before, reply, flow, isStaged }: UpdateAnswer,
): Promise<UpdateOutcome> {
  const built = reply.output as BuildResult
  const { operation } = entry
  const signal = uninterruptedSignal()
  const read = (): Promise<LiveAutomation> =>
    readLiveAutomation(context, operation.id, signal).catch((error: unknown) => {
      entry.settle('unknown')
      throw unfinishedError(
        `The platform reported ${stringifyJson(built.status ?? 'no status')}, but the live version could not be read: ${(error as Error).message}`,
        error,
      )
    })
  if (isStaged && reply.headers[publishedHeader] === 'false') {
    const live = await read()
    if (live.fingerprint !== before.fingerprint || live.automation.status !== before.automation.status)
      return failOnForeignChange(entry, before, live)
    entry.settle('refused', { reconciled: 'The test failed. Nothing was published.' })
    return { kind: 'not_published', built, live }
  }
  if (built.status !== 'test_failed') {
    const live = await read()
    const missing = (await fieldsNotLive(flow, live)) ?? []
    const state =
      (live.automation.status === 'enabled') === operation.enabled ? [] : [`status (${live.automation.status})`]
    entry.settle('done')
    if (missing.length + state.length > 0) return { kind: 'differs', built, live, fields: [...missing, ...state] }
    return { kind: 'live', built, live }
  }
  const live = await read()
  if (!operation.rollback) {
    entry.settle('done', { reconciled: 'The test failed. The definition is live and disabled.' })
    return { kind: 'left', built, live }
  }
  // Someone else published another version since.
  if (live.fingerprint !== before.fingerprint && ((await fieldsNotLive(flow, live)) ?? []).length > 0)
    return failOnForeignChange(entry, before, live)
  try {
    const restored = await context.progress.showWhile(
      'Restoring the previous version',
      rollBack(context, operation, live, signal),
    )
    entry.settle('refused', { reconciled: 'The test failed. The previous version is live again.', rolled_back: true })
    return { kind: 'rolled_back', built, live: restored, wasBound: operation.before.bound }
  } catch (error) {
    entry.settle('unknown', { message: (error as Error).message })
    throw error
  }
}

/** Fails because the live version is neither the new nor the previous one. */
function failOnForeignChange(entry: OpenOperation, before: LiveAutomation, live: LiveAutomation): never {
  entry.settle('refused', { reconciled: 'Someone else changed the automation.' })
  throw unfinishedError(
    `The test of the new definition failed, and "${before.automation.name}" was changed by someone else at the same time. ${describeState(live)}`,
  )
}

/**
 * Determines the outcome from the live version, after the response was lost or was inconclusive. @throws ClientFailure
 * `unknown` while the update may be in progress
 */
async function resolveLostAnswer(
  context: Context,
  { entry, before, flow }: Omit<UpdateAnswer, 'reply' | 'isStaged'>,
  error: unknown,
): Promise<UpdateOutcome> {
  const { name } = entry.operation
  const reason = (error as Error).message
  entry.settle('unknown', { message: reason })
  if (context.system.signal.aborted)
    throw unfinishedError(`The update of "${name}" was interrupted. Its outcome is unknown.`, error)
  const finished = await finishUpdate(context, entry.operation, { at: entry.at, signal: uninterruptedSignal() }).catch(
    (failure: unknown) => {
      throw unfinishedError(
        `The response to the update of "${name}" was lost (${reason}), and the live version could not be read: ${(failure as Error).message}`,
        failure,
      )
    },
  )
  const { verdict, live, isRolledBack } = finished
  const built: BuildResult = { automation_id: entry.operation.id }
  const fields = verdict === 'live' || verdict === 'other' ? ((await fieldsNotLive(flow, live)) ?? []) : []
  if (verdict === 'live' || fields.length > 0) {
    entry.settle('done', {
      reconciled: fields.length > 0 ? 'Another definition is live.' : 'The new definition is live.',
    })
    if (fields.length > 0) return { kind: 'differs', built, live, fields, isAnswerLost: true }
    return { kind: 'live', built, live, isAnswerLost: true }
  }
  if (verdict === 'before' && isRolledBack) {
    entry.settle('refused', { reconciled: 'The previous version is live again.', rolled_back: true })
    return {
      kind: 'rolled_back',
      built: { ...built, status: 'test_failed' },
      live,
      wasBound: entry.operation.before.bound,
    }
  }
  const definition =
    live.fingerprint === before.fingerprint
      ? 'The previous definition is live. The update may still be in progress.'
      : 'Another definition is live; it may be the new one.'
  throw unfinishedError(
    `The response to the update of "${name}" was lost: ${reason} ${definition} ${describeState(live)}`,
    error,
  )
}
