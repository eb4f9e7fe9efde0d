import type { Deps } from './deps.ts'
import { faultService } from './fault-service.ts'

/** Fails a step of a provider when a fault rule triggers, as if the provider were unreachable. @throws Error */
export async function throwProviderFault(deps: Pick<Deps, 'connection' | 'clock'>, step: string): Promise<void> {
  const service = faultService(deps)
  if (!(await service.list()).some((it) => it.endpoint === step)) return
  const fault = await service.trigger({ endpoint: step, account: 0, fields: {} })
  if (fault) throw new Error(fault.text ?? `The provider did not answer (${step}).`)
}
