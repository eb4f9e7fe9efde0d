import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { ifVersionHeader } from '../../../contract/automations/automation-headers.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { redactValue } from '../../../contract/values/redact.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { inFlightMs } from '../../program/operations/resolved-outcome.ts'
import { describeState, fieldsNotLive, type LiveAutomation, readLiveAutomation } from './live-automation.ts'
import { type AutomationOperation, unfinishedError } from './operation-journal.ts'

/**
 * Rolls back an update: restores the previous version, enables it if it was enabled, and reads both back. No definition
 * is sent, because its test would run its steps again. `now` is the live version.
 *
 * @throws ClientFailure `unknown` (exit 12) if the final state is not the previous one
 */
export async function rollBack(
  context: Context,
  { id, name, before }: AutomationOperation,
  now: LiveAutomation,
  signal?: AbortSignal,
): Promise<LiveAutomation> {
  const more = { history: { isSkipped: true as const }, isReversal: true as const, ...(signal && { signal }) }
  const failed = (what: string, error: unknown): ClientFailure =>
    unfinishedError(`The test of the new definition of "${name}" failed, and ${what}: ${errorMessage(error)}`, error)
  let live = now
  if (live.fingerprint !== before.content) {
    const headers = live.version !== undefined ? { headers: { [ifVersionHeader]: live.version } } : {}
    await context.call(automate.restore, { id }, { ...more, ...headers }).catch((error: unknown) => {
      throw failed('the previous version could not be restored', error)
    })
    live = await readLiveAutomation(context, id, signal).catch((error: unknown) => {
      throw failed('the live version after the rollback could not be read', error)
    })
    if (live.fingerprint !== before.content)
      throw unfinishedError(
        `The previous version of "${name}" was restored, but another definition is live. ${describeState(live)} Someone else may have published it.`,
      )
  }
  if (before.status === 'enabled' && live.automation.status !== 'enabled') {
    await context.call(automate.update, { id, enabled: true }, more).catch((error: unknown) => {
      throw failed('the previous version is live but could not be enabled again', error)
    })
    live = await readLiveAutomation(context, id, signal).catch((error: unknown) => {
      throw failed('its state after the rollback could not be read', error)
    })
    if (live.automation.status !== 'enabled')
      throw unfinishedError(`The previous version of "${name}" is live, but the platform did not enable it again.`)
    if (live.fingerprint !== before.content)
      throw unfinishedError(
        `The previous version of "${name}" was restored and enabled, but another definition is live. Someone else may have published it.`,
      )
  }
  if (before.bound && before.status === 'enabled' && !live.automation.binding)
    throw unfinishedError(
      `The previous version of "${name}" is live and enabled, but no longer bound to its assistant.`,
    )
  return live
}

const errorMessage = (error: unknown): string => (error as Error).message

/**
 * Returns a sent definition without secrets in the form that the operations journal keeps: JSON, deflated, Base64.
 * `finishUpdate` reads it after a crash, also in entries of earlier versions: the form never changes.
 */
export function packDefinition(flow: unknown): string {
  return deflateRawSync(stringifyJson(redactValue(maskValue(flow)))).toString('base64')
}

/**
 * Returns whether the live definition is not the one that was sent, because someone else published another one. False
 * if this cannot be determined. Secrets are not compared.
 */
async function isForeignDefinition(packed: string | undefined, live: LiveAutomation): Promise<boolean> {
  if (packed === undefined) return false
  let flow: unknown
  try {
    flow = parseJson(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8'))
  } catch {
    return false
  }
  return ((await fieldsNotLive(flow, live)) ?? []).length > 0
}

/** Outcome of an update of a live automation. */
export interface FinishResult {
  /**
   * `live`: the new definition is live. `before`: the previous version is live. `under_way`: the update may still be in
   * progress. `other`: someone else published another definition, or disabled the new one after its test had passed.
   */
  readonly verdict: 'live' | 'before' | 'under_way' | 'other'
  readonly live: LiveAutomation
  /** Whether this call restored the previous version. */
  readonly isRolledBack: boolean
}

/** Says when the outcome of a request that may still be in progress is certain. */
export const certainSentence = `Its outcome is certain ${inFlightMs / 60_000} minutes after it was sent.`

interface FinishOptions {
  /** Time when the update was sent (ISO 8601). */
  readonly at: string
  readonly signal?: AbortSignal | undefined
  /** Called before a change; throws if the change is not allowed. */
  readonly guard?: (() => Promise<void>) | undefined
}

/**
 * Determines the outcome of an update and finishes it. A definition whose test failed is rolled back, and an automation
 * that was enabled is enabled again. Sends no definition and runs no step.
 *
 * @throws ClientFailure if the platform cannot be reached or refuses
 */
export async function finishUpdate(
  context: Context,
  operation: AutomationOperation,
  { at, signal, guard }: FinishOptions,
): Promise<FinishResult> {
  const live = await readLiveAutomation(context, operation.id, signal)
  const { before } = operation
  const isRecent = context.system.now() - Date.parse(at) <= inFlightMs
  const found = (verdict: FinishResult['verdict'], now = live, isRolledBack = false): FinishResult => ({
    verdict,
    live: now,
    isRolledBack,
  })
  const isEnabled = live.automation.status === 'enabled'
  const restorePrevious = async (): Promise<FinishResult> => {
    await guard?.()
    return found('before', await rollBack(context, operation, live, signal), true)
  }
  if (live.fingerprint === before.content) {
    const isUntouched =
      live.automation.status === before.status &&
      live.automation.updated_at === before.updated_at &&
      (live.version ?? null) === before.version
    if (isUntouched) return found(isRecent ? 'under_way' : 'before')
    if (isEnabled || before.status !== 'enabled') return found('before')
    return restorePrevious()
  }
  if (await isForeignDefinition(operation.sent, live)) return found('other')
  if (isEnabled === operation.enabled || !operation.rollback) return found('live')
  if (isEnabled) return found('other')
  const test = await lastRunStatus(context, operation.id, at, signal)
  if (test === 'RUNNING' || (test !== 'FAILED' && isRecent)) return found('under_way')
  // A definition that passed its test is not rolled back. Someone else disabled it since, or published and disabled
  // another one.
  return test === 'SUCCEEDED' || test === 'PAUSED' ? found('other') : restorePrevious()
}

/**
 * Returns the status of the newest run since a time; undefined if there is none. Allows for a platform clock that is 5
 * s behind.
 */
async function lastRunStatus(
  context: Context,
  id: string,
  since: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await context.call(automate.runs, { id, limit: 1 }, signal && { signal })
    const [run] = 'runs' in answer && Array.isArray(answer.runs) ? answer.runs : []
    return run && Date.parse(run.start_time) >= (await context.platformTime(since)) - 5000 ? run.status : undefined
  } catch (error) {
    if (error instanceof ClientFailure && (error.exit === 'not_found' || error.status === 405)) return undefined
    throw error
  }
}

/**
 * Determines the outcome of a restore without changing anything. @throws ClientFailure if the platform cannot be
 * reached
 */
export async function finishRestore(
  context: Context,
  { id, before, target }: AutomationOperation,
  at: string,
  signal?: AbortSignal,
): Promise<FinishResult> {
  const live = await readLiveAutomation(context, id, signal)
  const found = (verdict: FinishResult['verdict']): FinishResult => ({ verdict, live, isRolledBack: false })
  const isSameVersion =
    live.version !== undefined && before.version !== null
      ? live.version === before.version
      : live.automation.updated_at === before.updated_at
  if (live.fingerprint === before.content && isSameVersion)
    return found(context.system.now() - Date.parse(at) <= inFlightMs ? 'under_way' : 'before')
  if (
    target === undefined || target === null
      ? live.fingerprint !== before.content || !isSameVersion
      : live.fingerprint === target
  )
    return found('live')
  return found(live.fingerprint === before.content ? 'before' : 'other')
}
