import { Failure } from '../../../contract/errors/failures.ts'
import { nextVersionPosition, updateVersion, type VersionRow } from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomation, updateAutomationRow } from '../../../store/automations/automations.ts'
import type { Query } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'
import { assertConnections } from '../ports/connection-service.ts'
import { activateTrigger, deactivateTrigger } from '../triggers/trigger-activation.ts'
import { assertLiveVersion } from './assert-live-version.ts'
import type { BuildPlan } from './build-plan.ts'
import { assertEventFree, bindEvent, listBindings } from './event-bindings.ts'

interface PublishOptions {
  readonly enabled?: boolean | undefined
  readonly name?: string | undefined
  readonly expected?: string | undefined
}

/**
 * Returns the automation as it is now. It requires that the draft is still the current one and that the live version is
 * the one the caller read.
 * @throws Failure 404 `not_found`, 409 `version_changed`
 */
export async function assertDraftCurrent(
  query: Query,
  { account_id, id }: AutomationRow,
  draft: VersionRow,
  expected: string | undefined,
): Promise<AutomationRow> {
  const row = await findAutomation(query, account_id, id)
  if (!row) throw new Failure('automate.not_found')
  await assertLiveVersion(query, row, expected)
  if (row.draft_version !== draft.id)
    throw new Failure('automate.version_changed', {
      text: 'Another change replaced this definition before it was published. Nothing changed.',
    })
  return row
}

/**
 * Publishes a draft that passed its test, in one transaction. The automation stays enabled or disabled unless `enabled`
 * is given. Returns whether the automation is enabled now.
 * @throws Failure 404, 409 `version_changed`, 422; nothing changed then
 */
export function publishTested(
  { connection, clock }: Deps,
  before: AutomationRow,
  draft: VersionRow,
  plan: BuildPlan,
  options: PublishOptions,
): Promise<boolean> {
  const { account_id: account, id } = before
  return connection.write({ account }, async (query) => {
    const row = await assertDraftCurrent(query, before, draft, options.expected)
    await assertConnections(query, account, plan.connections)
    const now = await clock.now(query)
    const isEnabled = options.enabled ?? row.status === 'enabled'
    // A disabled automation that holds no event does not claim one; it only must be able to.
    if (isEnabled || (await listBindings(query, account, id)).has(id))
      await bindEvent(query, { account, automation: id, now }, plan.binding)
    else await assertEventFree(query, id, plan.binding)
    await updateVersion(query, draft.id, { position: await nextVersionPosition(query, id), published_at: now })
    await updateAutomationRow(query, id, {
      ...(options.name !== undefined && { name: options.name }),
      live_version: draft.id,
      draft_version: null,
      draft_note: null,
      status: isEnabled ? 'enabled' : 'disabled',
      updated_at: now,
    })
    if (isEnabled)
      await activateTrigger(query, { account, automation: id, kind: plan.kind, trigger: plan.trigger, now })
    else await deactivateTrigger(query, id)
    return isEnabled
  })
}
