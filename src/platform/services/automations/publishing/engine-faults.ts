import type { FailureName } from '../../../../contract/errors/failures.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import type { Deps } from '../../runtime/deps.ts'
import { faultService } from '../../runtime/fault-service.ts'

/**
 * Operations of the automation engine. A fault rule on `engine.<phase>` makes one fail (see `parley help faults`). Rows
 * of fault rules have them.
 */
export const enginePhases = ['create', 'import', 'publish', 'rollback', 'retry'] as const
/** An operation of the automation engine that a fault rule can make fail. */
type EnginePhase = (typeof enginePhases)[number]

/** Applies a fault rule to an operation of the engine. @throws Failure of the given kind when a fault rule triggers */
export async function applyEngineFault(
  deps: Pick<Deps, 'connection' | 'clock'>,
  phase: EnginePhase,
  kind: FailureName,
  about: { account: number; id: string },
): Promise<void> {
  if (!(await deps.clock.status()).faults) return
  const fault = await faultService(deps).trigger({
    endpoint: `engine.${phase}`,
    account: about.account,
    fields: { id: about.id },
  })
  if (fault) throw new Failure(kind, fault.text === undefined ? {} : { text: fault.text })
}
