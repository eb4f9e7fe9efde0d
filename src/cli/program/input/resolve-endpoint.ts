import { composedCalls } from '../../../contract/endpoint/composed-calls.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { selectIfMissing } from '../prompts/prompt-if-missing.ts'

/** Returns the endpoint with this name. Loads the whole contract. @throws ClientFailure `usage` for an unknown name */
export async function resolveEndpoint(context: Context, given: string | undefined): Promise<Endpoint> {
  const list = 'List endpoints: parley api --list.'
  if (given === undefined && !context.interactive) throw usageError('Missing endpoint.', list)
  const { endpoints } = await import('../../../contract/resources/index.ts')
  const names = endpoints.map((it) => it.name)
  const name = await selectIfMissing(context, given, names, {
    question: 'Which endpoint?',
    missingMessage: 'Missing endpoint.',
    hint: list,
  })
  const endpoint = endpoints.find((it) => it.name === name)
  if (endpoint) return endpoint
  const composedEndpoint = composedCalls.find((it) => it.name === name)
  if (composedEndpoint)
    throw usageError(
      `"${name}" is not an endpoint. It combines ${composedEndpoint.of}.`,
      `Run: ${composedEndpoint.command}.`,
    )
  const guess = closestMatch(name, names)
  throw usageError(`Unknown endpoint "${name}".${guess ? ` Did you mean ${guess}?` : ''}`, list)
}
