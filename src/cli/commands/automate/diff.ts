import type { Difference } from '../../../automation/definition/diff.ts'
import { automate } from '../../../contract/automate.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import { command } from '../../command.ts'
import { withIds } from '../../flow-files/named-ids.ts'
import { fitted } from '../../output/fitted.ts'
import { usage } from '../../usage.ts'
import { differenceLines } from './difference.ts'
import { flowFlag, readFlowFile } from './flow-document.ts'
import { readForeign } from './read-flow.ts'
import { argument, automationId } from './view.ts'

export const diff = command({
  asks: true,
  exits: ['finding'],
  summary: 'Compare what is live of an automation with a file, or with the copy that was kept before it was last changed from here',
  argument,
  flags: [{ flags: '-f, --file <path>', describe: 'JSON or YAML file with a definition; - reads standard input' }, flowFlag],
  examples: ['Greeting --file flow.json', 'Greeting --file automation.yaml --json'],
  notes: `Step by step: added, removed, moved, and field by field what changed; secrets are not shown, and a hidden one in the file is the one there is.
Exit 20 when anything differs.`,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    const { data: live } = await context.call(automate.get, { id, include_secrets: true })
    const now = live.definition as AutomationNode
    const [{ diff: differenceOf }, { unmaskDefinition }] = await Promise.all([
      import('../../../automation/definition/diff.ts'),
      import('../../../automation/definition/mask.ts'),
    ])
    const read = async (flow: unknown, file?: string): Promise<AutomationNode> =>
      unmaskDefinition((await readForeign(flow, file, undefined, { tree: true })).definition, now).definition
    let difference: Difference
    if (typeof flags.file === 'string') {
      const { flow } = await withIds(context, await readFlowFile(context, flags.file, flags.flow), flags.file)
      difference = differenceOf(now, await read(flow, flags.file))
    } else {
      const { lastCopy } = await import('../../history/last.ts')
      const kept = await lastCopy(context, 'automate', id)
      if (!kept) throw usage('Missing: --file.', 'Give a file with a definition; no copy of it is kept here.')
      difference = differenceOf(await read({ trigger: kept.before?.definition }), now)
      await context.notes.note(`From entry ${kept.entry} of the history to what is live`)
    }
    const lines = differenceLines(difference)
    if (context.out.settings.form !== 'table') await context.out.record(difference, { view: { id: () => id, columns: [], empty: '' } })
    else for (const it of lines.length > 0 ? lines : ['Nothing differs.']) await context.out.line(await fitted(it, context.out.settings))
    return lines.length > 0 ? 'finding' : 'done'
  },
})
