import { Failure } from '../../../../contract/errors/failures.ts'
import { toIsoMillis } from '../../../../contract/values/micros.ts'
import { findVersion } from '../../../store/automations/automation-versions.ts'
import type { AutomationRow } from '../../../store/automations/automations.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'

/**
 * Refuses a change when another version is live than the one the caller read. Must run in the transaction that makes
 * the change.
 * @throws Failure 409 `version_changed`, which names the live version and since when it is live
 */
export async function requireLiveVersion(
  query: AccountQuery,
  row: Pick<AutomationRow, 'live_version'>,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined || row.live_version === expected) return
  const live = row.live_version === null ? undefined : await findVersion(query, row.live_version)
  const what = live
    ? `version ${live.position} (${live.id}), since ${toIsoMillis(live.published_at ?? live.created_at)}`
    : 'none'
  throw new Failure('automate.version_changed', { text: `Another version is live now: ${what}. Nothing changed.` })
}
