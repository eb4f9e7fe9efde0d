import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { selectIfMissing } from '../prompts/prompt-if-missing.ts'

/** The endpoint of the contract with this name. Loads the whole contract. @throws ClientFailure `usage` when there is none */
export async function resolveEndpoint(context: Context, given: string | undefined): Promise<Endpoint> {
  const list = 'List them: parley api --list.'
  if (given === undefined && !context.interactive) throw usageError('Which endpoint?', list)
  const { endpoints } = await import('../../contract/resources/index.ts')
  const names = endpoints.map((it) => it.name)
  const name = await selectIfMissing(context, given, names, {
    question: 'Which endpoint?',
    missingMessage: 'Which endpoint?',
    hint: list,
  })
  const endpoint = endpoints.find((it) => it.name === name)
  if (endpoint) return endpoint
  const { composedCalls } = await import('../../contract/mechanics/composed-calls.ts')
  const composedEndpoint = composedCalls.find((it) => it.name === name)
  if (composedEndpoint)
    throw usageError(
      `"${name}" is no endpoint: it is composed of ${composedEndpoint.of}.`,
      `Use: ${composedEndpoint.command}.`,
    )
  const guess = closestMatch(name, names)
  throw usageError(`There is no endpoint "${name}".${guess ? ` Did you mean ${guess}?` : ''}`, list)
}
