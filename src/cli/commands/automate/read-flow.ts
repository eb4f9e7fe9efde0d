import type { Examined, ExamineOptions } from '../../../automation/definition/examine.ts'
import type { Problem, UnknownPiece } from '../../../automation/definition/problem.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import { usage } from '../../usage.ts'

type Sandbox = Parameters<typeof import('../../../automation/definition/examine.ts')['examine']>[1]

/** `step_2 (piece-store get): settings.input.key: Is required.` */
export const problemLine = ({ step, title, path, message }: Problem): string =>
  [step === null ? '' : title === undefined ? step : `${step} (${title})`, path, message].filter((it) => it !== '').join(': ')

const refused = ({ problems, unknown }: Extract<Examined, { ok: false }>, file: string | undefined): Error => {
  const lines = [...new Set([...problems, ...unknown])].map(problemLine)
  return usage(`${file === undefined ? '' : `${file}: `}${lines.join('\n')}`, `To see all findings: parley automate lint --file ${file ?? '<path>'}`)
}

export interface Foreign {
  readonly definition: AutomationNode
  readonly unknown: readonly UnknownPiece[]
  readonly invalid: readonly Problem[]
}

/**
 * The tree of a definition in either form, which may have steps of pieces that are not available, and those steps; `file` is where it stands.
 * @throws UsageError with everything else that is wrong with it, a line each
 */
export async function readForeign(flow: unknown, file: string | undefined, sandbox?: Sandbox, options: Omit<ExamineOptions, 'foreign'> = {}): Promise<Foreign> {
  const { examine } = await import('../../../automation/definition/examine.ts')
  const examined = await examine(flow, sandbox, { ...options, foreign: true })
  if (examined.ok) return examined
  throw refused(examined, file)
}
