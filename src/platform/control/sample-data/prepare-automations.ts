import { replaceNamesWithNumbers } from '../../../contract/references/step-references.ts'
import { compileDefinition } from '../../../engine/definition/compile-definition.ts'
import { readDefinition } from '../../../engine/definition/validate-definition.ts'
import { triggerOf } from '../../../engine/pieces/registry.ts'
import { listRequiredConnections } from '../../services/automations/publishing/parse-definition.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { SampleAccount, SampleEntry } from './check-sample-data.ts'
import type { PreparedAutomation } from './loading.ts'
import { atPlace } from './loading.ts'

/**
 * Checks and compiles the automations of a file, before the transaction that loads them. Returns them by their places.
 * @throws Failure 422 with the place of the first invalid one
 */
export async function prepareAutomations(
  deps: Pick<Deps, 'sandbox'>,
  accounts: readonly SampleAccount[],
): Promise<ReadonlyMap<string, PreparedAutomation>> {
  const prepared = new Map<string, PreparedAutomation>()
  for (const entry of accounts.flatMap((it) => it.lists.automations))
    prepared.set(entry.place, await atPlace(entry.place, () => prepareAutomation(deps, entry)))
  return prepared
}

async function prepareAutomation(deps: Pick<Deps, 'sandbox'>, { item }: SampleEntry): Promise<PreparedAutomation> {
  const { flow, restoreNames } = replaceNamesWithNumbers(item.flow)
  const trigger = await readDefinition(flow, await deps.sandbox())
  const { kind = 'external', binding } = triggerOf(trigger) ?? {}
  const bound = item.bind_webhook === 'conversation_ended' ? item.bind_webhook : undefined
  return {
    definition: restoreNames(trigger),
    program: restoreNames(await compileDefinition(trigger)),
    kind: kind === 'external' ? 'poll' : kind,
    event: binding ?? bound,
    connections: listRequiredConnections(trigger),
  }
}
