import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { describeUnknownPieces } from '../../../engine/definition/problems.ts'
import { validateDefinition } from '../../../engine/definition/validate-definition.ts'

const codes: ReadonlySet<string> = new Set(['invalid_definition', 'unsupported_trigger'])

/**
 * Adds all problems found in a definition to the platform's refusal of it: unsupported pieces and what to use instead.
 * Any other error is returned unchanged, as is a refusal without detectable problems.
 */
export async function explainRefusedDefinition(error: unknown, flow: unknown): Promise<unknown> {
  if (!(error instanceof ClientFailure) || !codes.has(error.code)) return error
  const examined = await validateDefinition(flow, undefined, { allowUnknownPieces: true })
  const { unknown } = examined
  const problems = [...(examined.ok ? [] : examined.problems), ...unknown]
  if (problems.length === 0) return error
  return new ClientFailure({
    ...error,
    message:
      unknown.length === 0 ? error.message : `The platform refused the definition. ${describeUnknownPieces(unknown)}`,
    details: problems.map(({ step, title, path, message }) => ({
      path: `${step ?? 'definition'}${title === undefined ? '' : ` (${title})`}`,
      message: path === '' || path.endsWith('Name') || path === 'settings' ? message : `${path}: ${message}`,
    })),
    ...(unknown.length > 0 && {
      hint: 'Replace or remove these steps, or set skip: true on them. To test the rest first: parley automate test --file <path> --mock-unknown',
    }),
  })
}
