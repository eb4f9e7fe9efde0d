import type { Endpoint } from '../contract/endpoint.ts'
import { selectIfMissing } from './asking.ts'
import type { Context } from './context.ts'
import { closestMatch } from './output/closest.ts'
import { usageError } from './usage.ts'

/** The endpoint of the contract with this name. Loads the whole contract. @throws ClientFailure `usage` when there is none */
export async function resolveEndpoint(context: Context, given: string | undefined): Promise<Endpoint> {
  const list = 'List them: parley api --list.'
  if (given === undefined && !context.interactive) throw usageError('Which endpoint?', list)
  const { endpoints } = await import('../contract/index.ts')
  const names = endpoints.map((it) => it.name)
  const name = await selectIfMissing(context, given, names, { question: 'Which endpoint?', missingMessage: 'Which endpoint?', hint: list })
  const endpoint = endpoints.find((it) => it.name === name)
  if (endpoint) return endpoint
  const { composedCalls } = await import('../contract/composed.ts')
  const composedEndpoint = composedCalls.find((it) => it.name === name)
  if (composedEndpoint) throw usageError(`"${name}" is no endpoint: it is composed of ${composedEndpoint.of}.`, `Use: ${composedEndpoint.command}.`)
  const guess = closestMatch(name, names)
  throw usageError(`There is no endpoint "${name}".${guess ? ` Did you mean ${guess}?` : ''}`, list)
}
