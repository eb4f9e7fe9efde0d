import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { pathName } from '../../../runs/run-keys.ts'
import { findVersion } from '../../../store/automations/automation-versions.ts'
import type { AutomationRow } from '../../../store/automations/automations.ts'
import type { StepRow } from '../../../store/automations/run-steps.ts'
import type { RunRow } from '../../../store/automations/runs.ts'
import type { Query } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'

/**
 * Returns the id of the live version, on which a run continues after its completed steps. A completed step that the
 * version does not have in the same place could run again under another name, so the version is refused.
 * @throws Failure 422 `automate.version_incompatible`
 */
export async function latestVersionFor(
  query: Query,
  { vault }: Pick<Deps, 'vault'>,
  { live_version: live }: AutomationRow,
  run: RunRow,
  completed: readonly StepRow[],
): Promise<string> {
  if (live === null || live === run.version_id) return run.version_id
  const [before, latest] = await Promise.all([run.version_id, live].map((id) => findVersion(query, id)))
  if (!latest) return run.version_id
  const types = before && stepTypes(readDefinition(vault, before))
  const known = stepTypes(readDefinition(vault, latest))
  for (const { path, name } of completed) {
    const place = path.replaceAll(/\[\d+\]/g, '')
    const isSame = known.has(place) && (!types || types.get(place) === known.get(place))
    if (!isSame)
      throw new Failure('automate.version_incompatible', {
        text: `The latest version cannot continue this run: it has no step "${name}", which already ran.`,
      })
  }
  return live
}

/** Returns the type of each step by its name after those of the loops around it: `step_5/step_6`. */
function stepTypes(trigger: AutomationNode): ReadonlyMap<string, unknown> {
  const types = new Map<string, unknown>()
  /** Names of the loops around each step. */
  const prefixes = new Map<AutomationNode, string>()
  for (const { node, inside } of walkSteps(trigger)) {
    const outer = (inside && prefixes.get(inside.node)) ?? ''
    const prefix = inside?.field === 'firstLoopAction' ? `${outer}${pathName(inside.node.name)}/` : outer
    prefixes.set(node, prefix)
    if (node !== trigger) types.set(`${prefix}${pathName(node.name)}`, node.type)
  }
  return types
}
