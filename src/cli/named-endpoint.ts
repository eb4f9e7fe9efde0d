import type { Endpoint } from '../contract/endpoint.ts'
import { closest } from './output/closest.ts'
import { usage } from './usage.ts'

/** The endpoint of the contract with this name. Loads the whole contract. @throws ClientFailure `usage` when there is none */
export async function namedEndpoint(name: string | undefined): Promise<Endpoint> {
  const list = 'List them: parley api --list.'
  if (name === undefined) throw usage('Which endpoint?', list)
  const { endpoints } = await import('../contract/index.ts')
  const endpoint = endpoints.find((it) => it.name === name)
  if (endpoint) return endpoint
  const guess = closest(
    name,
    endpoints.map((it) => it.name),
  )
  throw usage(`There is no endpoint "${name}".${guess ? ` Did you mean ${guess}?` : ''}`, list)
}
