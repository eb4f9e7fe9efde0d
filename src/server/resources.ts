import type { Definition, Endpoint } from '../contract/endpoint.ts'
import type { Deps } from '../services/deps.ts'
import type { Handler } from './handler.ts'

/** Every endpoint of a resource beside its handler. Loaded when the first request for the resource arrives. */
export interface Served {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  readonly handlers: Readonly<Record<string, Handler<Definition>>>
}

type Loader = (deps: Deps) => Promise<Served>

const served = (endpoints: object, handlers: object): Served => ({ endpoints, handlers }) as Served

/** The resources that are built. What the contract declares beyond them stands in the list of planned endpoints. */
export const resources: Readonly<Record<string, Loader>> = {
  keys: async (deps) => served((await import('../contract/keys.ts')).keys, (await import('./handlers/keys.ts')).keyHandlers(deps)),
  tools: async (deps) => served((await import('../contract/tools.ts')).tools, (await import('./handlers/tools.ts')).toolHandlers(deps)),
  numbers: async (deps) => served((await import('../contract/numbers.ts')).numbers, (await import('./handlers/numbers.ts')).numberHandlers(deps)),
  user: async () => served((await import('../contract/user.ts')).user, (await import('./handlers/user.ts')).userHandlers()),
}
