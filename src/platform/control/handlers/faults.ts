import { type Fault, type FaultRule, faults } from '../../../contract/control/faults.ts'
import type { FailureKind } from '../../../contract/errors/exit-codes.ts'
import { type Failure, failures, invalidField } from '../../../contract/errors/failures.ts'
import { routes } from '../../../generated/routes.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { enginePhases } from '../../services/automations/publishing/engine-faults.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type FaultRecord, faultService } from '../../services/runtime/fault-service.ts'

/** Returns the endpoints of the resource with their handlers. */
export const faultResource = (deps: Deps): LoadedResource => loadedResource(faults, faultHandlers(deps))

/** Creates the handlers of the control API for fault rules. */
function faultHandlers(deps: Deps): HandlersOf<typeof faults> {
  const service = faultService(deps)
  return {
    list: async () => ({ data: (await service.list()).map(toWire) }),
    async add(rule) {
      validateRule(rule)
      return { message: 'Fault rule created successfully.', data: toWire(await service.add(rule)) }
    },
    async remove({ id }) {
      await service.remove(id)
      return { message: 'Fault rule deleted successfully.' }
    },
    clear: async () => ({ message: `Fault rules deleted: ${await service.clear()}.` }),
  }
}

const nullFields = {
  account: null,
  error: null,
  text: null,
  code: null,
  status: null,
  socket: null,
  times: null,
} as const

const toWire = (fault: FaultRecord): Fault => ({
  ...nullFields,
  ...(fault as Omit<Fault, 'created_at'>),
  created_at: toIsoMicros(fault.created_at),
})

const unknownName = (field: 'endpoint' | 'error', name: string, near: readonly string[], more = ''): Failure => {
  const possible = near.length > 0 ? ` Possible values: ${near.join(', ')}.` : ''
  return invalidField(field, `Unknown ${field} "${name}".${possible}${more}`)
}

/**
 * Validates a fault rule. @throws Failure 422 for an unknown endpoint, and for a rule without an effect or with
 * conflicting ones
 */
function validateRule({ endpoint, error, text, code, status, socket, drift, latency_ms }: FaultRule): void {
  const isEngine = enginePhases.some((it) => endpoint === `engine.${it}`)
  const names = routes
    .filter(([, path]) => !path.startsWith('/control'))
    .map(([, , resource, verb]) => [resource, verb])
  const [resource = ''] = endpoint.split('.')
  if (!isEngine && !names.some(([noun, verb]) => ['*', `${noun}.*`, `${noun}.${verb}`].includes(endpoint))) {
    const near = names.filter(([noun]) => noun === resource).map((it) => it.join('.'))
    const groups = ['*', ...new Set(names.map(([noun]) => `${noun}.*`))]
    throw unknownName('endpoint', endpoint, near.length > 0 ? near : groups)
  }
  if (error !== undefined && !Object.hasOwn(failures, error)) {
    const nouns = [error.split('.')[0], resource]
    const near = Object.keys(failures).filter((it) => nouns.includes(it.split('.')[0] as string))
    throw unknownName('error', error, near, ' For all errors, see parley help errors.')
  }
  const done = [error !== undefined, status !== undefined || socket !== undefined, drift.length > 0].filter(
    Boolean,
  ).length
  if (done === 0 && latency_ms === 0)
    throw invalidField('error', 'One of error, status, socket, drift and latency ms is required.')
  if (done > 1) throw invalidField('error', 'Only one of error, status, socket and drift is allowed.')
  if (status !== undefined && socket !== undefined && socket !== 'html' && socket !== 'garbage')
    throw invalidField('status', 'The status field can be combined only with socket html or garbage.')
  if (text !== undefined && error === undefined) throw invalidField('text', 'The text field requires the error field.')
  const takesCode =
    error !== undefined && (failures as Readonly<Record<string, FailureKind>>)[error]?.code?.includes('{code}')
  if (code !== undefined && !takesCode)
    throw invalidField('code', 'The code field requires an error whose code includes a provider code.')
}
