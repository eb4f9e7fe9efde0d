import type { FailureName } from '../../../contract/errors/failures.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import type { Deps } from '../../runtime/deps.ts'
import { faultService } from '../../runtime/fault-service.ts'

/** What the engine behind automations is asked to do; a fault on `engine.<phase>` makes it refuse (see `parley help faults`). */
export const enginePhases = ['create', 'import', 'publish', 'rollback', 'retry'] as const
export type EnginePhase = (typeof enginePhases)[number]

/** @throws Failure of the given kind where a fault wants it so */
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
