import type { Endpoint } from '../contract/endpoint.ts'
import { givenOrPicked } from './asking.ts'
import type { Context } from './context.ts'
import { closest } from './output/closest.ts'
import { usage } from './usage.ts'

/** The endpoint of the contract with this name. Loads the whole contract. @throws ClientFailure `usage` when there is none */
export async function namedEndpoint(context: Context, given: string | undefined): Promise<Endpoint> {
  const list = 'List them: parley api --list.'
  if (given === undefined && !context.interactive) throw usage('Which endpoint?', list)
  const { endpoints } = await import('../contract/index.ts')
  const names = endpoints.map((it) => it.name)
  const name = await givenOrPicked(context, given, names, { question: 'Which endpoint?', missing: 'Which endpoint?', hint: list })
  const endpoint = endpoints.find((it) => it.name === name)
  if (endpoint) return endpoint
  const { composed } = await import('../contract/composed.ts')
  const made = composed.find((it) => it.name === name)
  if (made) throw usage(`"${name}" is no endpoint: it is composed of ${made.of}.`, `Use: ${made.command}.`)
  const guess = closest(name, names)
  throw usage(`There is no endpoint "${name}".${guess ? ` Did you mean ${guess}?` : ''}`, list)
}
