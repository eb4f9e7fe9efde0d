import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { Problem, UnknownPiece } from '../../../../engine/definition/problems.ts'
import {
  type ValidationOptions,
  type ValidationResult,
  validateDefinition,
} from '../../../../engine/definition/validate-definition.ts'
import { usageError } from '../../../program/errors/usage-error.ts'

type Sandbox = Parameters<
  typeof import('../../../../engine/definition/validate-definition.ts')['validateDefinition']
>[1]

/** Describes a problem: `step_2 (piece-store get): settings.input.key: Is required.` */
export const describeProblem = ({ step, title, path, message }: Problem): string =>
  [step === null ? '' : title === undefined ? step : `${step} (${title})`, path, message]
    .filter((it) => it !== '')
    .join(': ')

const invalidFlowError = (
  { problems, unknown }: Extract<ValidationResult, { ok: false }>,
  file: string | undefined,
): Error => {
  const lines = [...new Set([...problems, ...unknown])].map(describeProblem)
  return usageError(
    `${file === undefined ? '' : `${file}: `}${lines.join('\n')}`,
    `To see all findings: parley automate lint --file ${file ?? '<path>'}`,
  )
}

/** The definition of a file, with the parts that this version does not know. */
export interface ForeignFlow {
  readonly definition: AutomationNode
  readonly unknown: readonly UnknownPiece[]
  readonly invalid: readonly Problem[]
}

/**
 * Reads a definition that may use unavailable pieces, and returns these as well. `file` is its file, for messages.
 *
 * @throws ClientFailure `usage` with all other problems, one per line
 */
export async function readForeignFlow(
  flow: unknown,
  file: string | undefined,
  sandbox?: Sandbox,
  options: Omit<ValidationOptions, 'allowUnknownPieces'> = {},
): Promise<ForeignFlow> {
  const examined = await validateDefinition(flow, sandbox, { ...options, allowUnknownPieces: true })
  if (examined.ok) return examined
  throw invalidFlowError(examined, file)
}
