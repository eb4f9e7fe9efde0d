import type { ValidationResult, ValidationOptions } from '../../../automation/definition/examine.ts'
import type { Problem, UnknownPiece } from '../../../automation/definition/problem.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import { usageError } from '../../usage.ts'

type Sandbox = Parameters<typeof import('../../../automation/definition/examine.ts')['validateDefinition']>[1]

/** `step_2 (piece-store get): settings.input.key: Is required.` */
export const describeProblem = ({ step, title, path, message }: Problem): string =>
  [step === null ? '' : title === undefined ? step : `${step} (${title})`, path, message].filter((it) => it !== '').join(': ')

const invalidFlowError = ({ problems, unknown }: Extract<ValidationResult, { ok: false }>, file: string | undefined): Error => {
  const lines = [...new Set([...problems, ...unknown])].map(describeProblem)
  return usageError(`${file === undefined ? '' : `${file}: `}${lines.join('\n')}`, `To see all findings: parley automate lint --file ${file ?? '<path>'}`)
}

export interface ForeignFlow {
  readonly definition: AutomationNode
  readonly unknown: readonly UnknownPiece[]
  readonly invalid: readonly Problem[]
}

/**
 * The tree of a definition in either form, which may have steps of pieces that are not available, and those steps; `file` is where it stands.
 * @throws UsageError with everything else that is wrong with it, a line each
 */
export async function readForeignFlow(flow: unknown, file: string | undefined, sandbox?: Sandbox, options: Omit<ValidationOptions, 'allowUnknownPieces'> = {}): Promise<ForeignFlow> {
  const { validateDefinition } = await import('../../../automation/definition/examine.ts')
  const examined = await validateDefinition(flow, sandbox, { ...options, allowUnknownPieces: true })
  if (examined.ok) return examined
  throw invalidFlowError(examined, file)
}
