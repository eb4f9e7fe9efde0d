import type { Examined } from '../../../automation/definition/examine.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import { usage } from '../../usage.ts'

type Sandbox = Parameters<typeof import('../../../automation/definition/examine.ts')['examine']>[1]

const lines = ({ problems }: Extract<Examined, { ok: false }>): string =>
  problems.map(({ step, path, message }) => [step, path, message].filter(Boolean).join(': ')).join('\n')

/** The tree of a definition in either form; `file` is where it stands. @throws UsageError with all that is wrong with it, a line each */
export async function readFlow(flow: unknown, file?: string, sandbox?: Sandbox): Promise<AutomationNode> {
  const { examine } = await import('../../../automation/definition/examine.ts')
  const examined = await examine(flow, sandbox)
  if (examined.ok) return examined.definition
  throw usage(`${file === undefined ? '' : `${file}: `}${lines(examined)}`, `All that may be wrong with it: parley automate lint --file ${file ?? '<path>'}`)
}
