import type { Difference } from '../../../automation/definition/diff.ts'
import { automate } from '../../../contract/automate.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import { command, type Invocation } from '../../command.ts'
import type { Context } from '../../context.ts'
import { withIds } from '../../flow-files/named-ids.ts'
import { fitted } from '../../output/fitted.ts'
import { count } from '../../requests.ts'
import { usage } from '../../usage.ts'
import { differenceLines } from './difference.ts'
import { flowFlag, readFlowFile } from './flow-document.ts'
import { readForeign } from './read-flow.ts'
import { argument, automationId } from './view.ts'

export const diff = command({
  asks: true,
  exits: ['finding'],
  summary: 'Compare versions of an automation, or what is live with a file',
  argument,
  flags: [
    { flags: '--from <n>', describe: 'Number of the version to compare from (default: the version before the live one; with --file, the live one)' },
    { flags: '--to <n>', describe: 'Number of the version to compare with (default: the live version)' },
    { flags: '-f, --file <path>', describe: 'JSON or YAML file with the definition to compare with; - reads standard input' },
    flowFlag,
  ],
  examples: ['Greeting', 'Greeting --from 2', 'Greeting --from 2 --to 4 --json', 'Greeting --file flow.json'],
  notes: `Step by step: added, removed, moved, and field by field what changed; secrets are not shown, and a hidden one in the file is the one there is. On a deployment that does not list versions, numbers are those of the history of this computer. Exit 20 when anything differs.`,
  async run(context, { argument, flags }) {
    if (flags.file !== undefined && flags.to !== undefined) throw usage('--file and --to both say what to compare with. Give one of them.')
    const id = await automationId(context, argument)
    const { from, to } = await sidesOf(context, id, flags)
    const { diff: differenceOf } = await import('../../../automation/definition/diff.ts')
    const isMasked = from.isMasked || to.isMasked
    const { maskDefinition } = await import('../../../automation/definition/mask.ts')
    const shown = (it: Side): AutomationNode => (isMasked ? maskDefinition(it.definition) : it.definition)
    const difference: Difference = differenceOf(shown(from), shown(to))
    await context.notes.note(`From ${from.called} to ${to.called}`)
    const lines = differenceLines(difference)
    if (context.out.settings.form !== 'table') await context.out.record(difference, { view: { id: () => id, columns: [], empty: '' } })
    else for (const it of lines.length > 0 ? lines : ['Nothing differs.']) await context.out.line(await fitted(it, context.out.settings))
    return lines.length > 0 ? 'finding' : 'done'
  },
})

/** A definition to compare. */
interface Side {
  readonly called: string
  readonly definition: AutomationNode
  /** Its credentials are masked, so that those of the other side have to be. */
  readonly isMasked: boolean
}

async function sidesOf(context: Context, id: string, flags: Invocation['flags']): Promise<{ readonly from: Side; readonly to: Side }> {
  const { data } = await context.call(automate.get, { id, include_secrets: true })
  const live: Side = { called: 'what is live', definition: data.definition as AutomationNode, isMasked: false }
  const [from, to] = [count(flags.from as string | undefined, '--from'), count(flags.to as string | undefined, '--to')]
  if (typeof flags.file === 'string') {
    const start = from === undefined ? live : await versionSide(context, id, from)
    return { from: start, to: await fileSide(context, flags, start.definition) }
  }
  const end = to === undefined ? live : await versionSide(context, id, to)
  return { from: from === undefined ? await beforeSide(context, id, to) : await versionSide(context, id, from), to: end }
}

async function fileSide(context: Context, { file, flow: chosen }: Invocation['flags'], beside: AutomationNode): Promise<Side> {
  const path = String(file)
  const { unmaskDefinition } = await import('../../../automation/definition/mask.ts')
  const { flow } = await withIds(context, await readFlowFile(context, path, chosen), path)
  const { definition } = await readForeign(flow, path, undefined, { tree: true })
  return { called: path, definition: unmaskDefinition(definition, beside).definition, isMasked: false }
}

async function versionSide(context: Context, id: string, number: number): Promise<Side> {
  const { targetAt } = await import('../../automations/targets.ts')
  const { called, definition, source } = await targetAt(context, id, number)
  return { called, definition: definition as AutomationNode, isMasked: source !== 'platform' }
}

/** The version before the live one, or before `to`. */
async function beforeSide(context: Context, id: string, to: number | undefined): Promise<Side> {
  if (await context.has('versions')) {
    const { previousNumber } = await import('../../automations/targets.ts')
    return versionSide(context, id, to === undefined ? await previousNumber(context, id) : Math.max(1, to - 1))
  }
  const { copiesOf } = await import('../../automations/targets.ts')
  const [newest] = await copiesOf(context, id)
  if (!newest) throw usage('Missing --file.', 'Pass a file with a definition: this deployment lists no versions, and the history of this computer has none.')
  return versionSide(context, id, newest.entry)
}
