import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { acceptedShapes, describeDocument, type FoundFlow, findFlows } from './flow-shapes.ts'

const flowTitle = ({ name }: FoundFlow, at: number): string => name ?? `flow ${at + 1}`

const flowList = (flows: readonly FoundFlow[]): string =>
  flows.map((it, at) => `${at + 1}  ${flowTitle(it, at)}`).join('\n')

/** Returns the flow that `--flow` selects by number or name. @throws ClientFailure `usage` with the list of flows */
function findNamedFlow(flows: readonly FoundFlow[], given: string, where: string): FoundFlow {
  const byNumber = /^\d+$/.test(given) ? flows[Number(given) - 1] : undefined
  if (byNumber) return byNumber
  const same = (fold: (it: string) => string): FoundFlow[] =>
    flows.filter((it, at) => fold(flowTitle(it, at)) === fold(given))
  const found = [same((it) => it), same((it) => it.toLowerCase())].find((it) => it.length > 0) ?? []
  if (found.length === 1) return found[0] as FoundFlow
  const problem =
    found.length > 1 ? `${found.length} flows of ${where} are named "${given}".` : `${where} has no flow "${given}".`
  throw usageError(`${problem} Its flows:\n${flowList(flows)}`, 'Pass the number of one with --flow.')
}

/**
 * Returns the automation in a document. Of several, `given` selects one, otherwise a prompt.
 *
 * @throws ClientFailure `usage` if the document holds no automation, or several without a selection
 */
export async function chooseFlow(
  document: unknown,
  where: string,
  given?: string,
  context?: Context,
): Promise<FoundFlow> {
  const flows = findFlows(document)
  const [only] = flows
  if (!only) throw usageError(`${where} contains no automation. It is ${describeDocument(document)}.`, acceptedShapes)
  if (given !== undefined) return findNamedFlow(flows, given, where)
  if (flows.length === 1) return only
  if (!context?.interactive)
    throw usageError(
      `${where} contains ${flows.length} flows:\n${flowList(flows)}`,
      'Pass --flow <name|number> to choose one.',
    )
  const prompts = await context.prompts()
  const picked = await prompts.select(
    'Which flow?',
    flows.map((it, at) => ({ value: at, name: flowTitle(it, at) })),
    { searchable: true },
  )
  recordFlag(context, '--flow', String(picked + 1))
  return flows[picked] as FoundFlow
}
