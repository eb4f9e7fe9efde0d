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
  const { composed } = await import('../contract/composed.ts')
  const made = composed.find((it) => it.name === name)
  if (made) throw usage(`"${name}" is no endpoint: it is composed of ${made.of}.`, `Use: ${made.command}.`)
  const guess = closest(
    name,
    endpoints.map((it) => it.name),
  )
  throw usage(`There is no endpoint "${name}".${guess ? ` Did you mean ${guess}?` : ''}`, list)
}
