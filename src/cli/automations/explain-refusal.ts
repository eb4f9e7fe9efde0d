import { ClientFailure } from '../../client/failures/client-failure.ts'

const codes: ReadonlySet<string> = new Set(['invalid_definition', 'unsupported_trigger'])

/**
 * A platform's refusal of a definition, with everything that can be seen to be wrong with it: steps of pieces that Parley does not have, and what to use
 * instead. Any other error is returned as it is, and so is a refusal for reasons that are not seen here.
 */
export async function explainRefusedDefinition(error: unknown, flow: unknown): Promise<unknown> {
  if (!(error instanceof ClientFailure) || !codes.has(error.code)) return error
  const { validateDefinition } = await import('../../flow/definition/validate-definition.ts')
  const examined = await validateDefinition(flow, undefined, { allowUnknownPieces: true })
  const { unknown } = examined
  const problems = [...(examined.ok ? [] : examined.problems), ...unknown]
  if (problems.length === 0) return error
  const pieces = [...new Set(unknown.map((it) => it.piece))].join(', ')
  return new ClientFailure({
    ...error,
    message:
      pieces === ''
        ? error.message
        : `The platform refused the definition. It uses pieces that Parley does not have: ${pieces}.`,
    details: problems.map(({ step, title, path, message }) => ({
      path: `${step ?? 'definition'}${title === undefined ? '' : ` (${title})`}`,
      message: path === '' || path.endsWith('Name') || path === 'settings' ? message : `${path}: ${message}`,
    })),
    ...(pieces !== '' && {
      hint: 'Replace or remove these steps, or set skip: true on them. To test the rest first: parley automate test --file <path> --mock-unknown',
    }),
  })
}
