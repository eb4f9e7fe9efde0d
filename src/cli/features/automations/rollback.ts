import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { ifVersionHeader } from '../../../contract/automations/automation-headers.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { Context } from '../../program/context.ts'
import { describeState, type LiveAutomation, readLiveAutomation } from './live-automation.ts'
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
  const more = { history: { isSkipped: true as const }, ...(signal && { signal }) }
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
