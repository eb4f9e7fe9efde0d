import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { DefinitionDiff } from '../../../flow/analysis/diff.ts'
import { command, type Invocation } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { differenceLines } from '../../flow-files/difference-lines.ts'
import { flowFlag, readFlowFile } from '../../flow-files/flow-document.ts'
import { readForeignFlow } from '../../flow-files/read-flow.ts'
import { resolveFlowNames } from '../../flow-files/resolve-flow-names.ts'
import { parseCount } from '../../input/count-flag.ts'
import { fitText } from '../../terminal/fit-text.ts'
import { argument, automationId } from './view.ts'

export const diff = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Compare automation versions, or the live one with a file',
  argument,
  flags: [
    {
      flags: '--from <n>',
      describe: 'Version to compare from (default: the previous version; with --file, the live version)',
    },
    { flags: '--to <n>', describe: 'Version to compare with (default: the live version)' },
    {
      flags: '-f, --file <path>',
      describe: 'JSON or YAML file to compare with; - for standard input',
    },
    flowFlag,
  ],
  examples: ['Greeting', 'Greeting --from 2', 'Greeting --from 2 --to 4 --json', 'Greeting --file flow.json'],
  notes: `Shows added, removed and moved steps, and each changed field. Secrets are not shown; a masked secret in the file counts as unchanged. On a deployment that does not list versions, numbers are entries of the local history. The exit code is 20 when there are differences.`,
  async run(context, { argument, flags }) {
    if (flags.file !== undefined && flags.to !== undefined)
      throw usageError('--file and --to cannot be combined. Pass one of them.')
    const id = await automationId(context, argument)
    const { from, to } = await sidesOf(context, id, flags)
    const { diff: differenceOf } = await import('../../../flow/analysis/diff.ts')
    const isMasked = from.isMasked || to.isMasked
    const { maskDefinition } = await import('../../../flow/definition/mask.ts')
    const shown = (it: Side): AutomationNode => (isMasked ? maskDefinition(it.definition) : it.definition)
    const difference: DefinitionDiff = differenceOf(shown(from), shown(to))
    await context.notes.note(`Comparing ${from.called} with ${to.called}`)
    const lines = differenceLines(difference)
    if (context.out.settings.form !== 'table')
      await context.out.record(difference, { view: { id: () => id, columns: [], empty: '' } })
    else
      for (const it of lines.length > 0 ? lines : ['No differences.'])
        await context.out.line(await fitText(it, context.out.settings))
    return lines.length > 0 ? 'finding' : 'done'
  },
})

/** A definition to compare. */
interface Side {
  readonly called: string
  readonly definition: AutomationNode
  /** Whether its credentials are masked: then those of the other side are masked too. */
  readonly isMasked: boolean
}

async function sidesOf(
  context: Context,
  id: string,
  flags: Invocation['flags'],
): Promise<{ readonly from: Side; readonly to: Side }> {
  const { data } = await context.call(automate.get, { id, include_secrets: true })
  const live: Side = { called: 'the live version', definition: data.definition as AutomationNode, isMasked: false }
  const [from, to] = [
    parseCount(flags.from as string | undefined, '--from'),
    parseCount(flags.to as string | undefined, '--to'),
  ]
  if (typeof flags.file === 'string') {
    const start = from === undefined ? live : await versionSide(context, id, from)
    return { from: start, to: await fileSide(context, flags, start.definition) }
  }
  const end = to === undefined ? live : await versionSide(context, id, to)
  return {
    from: from === undefined ? await beforeSide(context, id, to) : await versionSide(context, id, from),
    to: end,
  }
}

async function fileSide(
  context: Context,
  { file, flow: chosen }: Invocation['flags'],
  unmaskedFrom: AutomationNode,
): Promise<Side> {
  const path = String(file)
  const { unmaskDefinition } = await import('../../../flow/definition/mask.ts')
  const { flow } = await resolveFlowNames(context, await readFlowFile(context, path, chosen), path)
  const { definition } = await readForeignFlow(flow, path, undefined, { structureOnly: true })
  return { called: path, definition: unmaskDefinition(definition, unmaskedFrom).definition, isMasked: false }
}

async function versionSide(context: Context, id: string, number: number): Promise<Side> {
  const { resolveRestoreTarget } = await import('../../automations/restore/restore-targets.ts')
  const { label, definition, source } = await resolveRestoreTarget(context, id, number)
  return { called: label, definition: definition as AutomationNode, isMasked: source !== 'platform' }
}

/** Returns the version before the live one, or before `to`. */
async function beforeSide(context: Context, id: string, to: number | undefined): Promise<Side> {
  if (await context.supports('versions')) {
    const { previousNumber } = await import('../../automations/restore/restore-targets.ts')
    return versionSide(context, id, to === undefined ? await previousNumber(context, id) : Math.max(1, to - 1))
  }
  const { historyEntriesOf } = await import('../../automations/restore/restore-targets.ts')
  const [newest] = await historyEntriesOf(context, id)
  if (!newest)
    throw usageError(
      'Missing --file.',
      'Pass a file with a definition. This deployment lists no versions, and the local history has none.',
    )
  return versionSide(context, id, newest.entry)
}
