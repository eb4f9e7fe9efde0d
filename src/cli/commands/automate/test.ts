import type { Rehearsal, RehearsedStep } from '../../../automation/run/rehearsal.ts'
import { automate } from '../../../contract/automate.ts'
import { command, type Invocation, repeated } from '../../command.ts'
import type { Context } from '../../context.ts'
import { numbered } from '../../flow-files/named-ids.ts'
import type { View } from '../../output/form.ts'
import { safeLine } from '../../output/safe-text.ts'
import { usage } from '../../usage.ts'
import { flowFlag, readFlowFile } from './flow-document.ts'
import { readMocks } from './mocks.ts'
import { readFlow } from './read-flow.ts'
import { automationId } from './view.ts'

const view: View<RehearsedStep> = {
  id: (it) => it.path,
  columns: [
    { key: 'path', title: 'Step', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    {
      key: (it) => it.error ?? (it.unresolved.length > 0 ? `nothing found for ${it.unresolved.join(', ')}` : ''),
      title: 'Remark',
      priority: 2,
      flexible: true,
    },
    { key: (it) => JSON.stringify(it.output ?? null), title: 'Gave', priority: 3, flexible: true },
  ],
  empty: 'No step was begun.',
}

export const test = command({
  asks: true,
  exits: ['finding'],
  summary: 'Run a definition here, without a platform and without anything being sent',
  argument: { name: 'id', describe: 'Id or name of the automation to take the definition of', optional: true },
  flags: [
    { flags: '-f, --file <path>', describe: 'JSON or YAML file with the definition; - reads standard input' },
    flowFlag,
    { flags: '--sample <json>', describe: 'What the trigger receives (JSON, YAML or @file)' },
    { flags: '--mock <step=json>', describe: 'What a step gives instead of being run (JSON, YAML or @file); repeatable', repeatable: true },
  ],
  examples: ['--file flow.json --sample \'{"name": "Ada"}\'', 'Greeting --mock step_1=@answer.json', '--file flow.json --mock \'step_1={"status": 200}\''],
  notes: `Decisions, loops, code, stored values and answers are real, and delays pass at once. Steps that would ask a server, send or call are not run:
they give what --mock says, or nothing. Exit 20 when a step fails. "parley automate create" tests for real.`,
  view,
  async run(context, { argument, flags }) {
    const { flow, sample: kept } = await given(context, argument, flags)
    const sample = typeof flags.sample === 'string' ? await sampleIn(context, flags.sample) : kept
    const [{ runnableOf }, { rehearse }, { createSandbox }, { payloadFor }] = await Promise.all([
      import('../../../automation/definition/publish.ts'),
      import('../../../automation/run/rehearsal.ts'),
      import('../../../automation/sandbox/pool.ts'),
      import('../../../automation/triggers/samples.ts'),
    ])
    const sandbox = createSandbox()
    try {
      const definition = await readFlow(numbered(flow).flow, typeof flags.file === 'string' ? flags.file : undefined, sandbox)
      const mocks = await readMocks(context, repeated(flags, 'mock'), definition)
      const now = context.world.now() * 1000
      const trigger = await runnableOf(definition)
      const payload = payloadFor(trigger, sample, now)
      return await print(context, await rehearse({ trigger, payload, mocks, sandbox, now, signal: context.world.signal }))
    } finally {
      await sandbox.close()
    }
  },
})

async function given(context: Context, argument: string | undefined, { file, flow }: Invocation['flags']): Promise<Record<string, unknown>> {
  if (typeof file === 'string' && argument !== undefined) throw usage('Give an automation or --file, not both.')
  if (typeof file === 'string') return readFlowFile(context, file, flow)
  if (argument === undefined && !context.interactive)
    throw usage('Missing: --file, or the automation.', 'Give the file with the definition, or the id or name of an automation.')
  const { data } = await context.call(automate.get, { id: await automationId(context, argument) })
  return { flow: data.definition }
}

async function sampleIn({ world }: Context, text: string): Promise<unknown> {
  const { readValue } = await import('./mocks.ts')
  return readValue(world, text, '--sample')
}

async function print(context: Context, rehearsal: Rehearsal): Promise<'finding' | 'done'> {
  const { out, notes } = context
  const { status, steps, response } = rehearsal
  if (out.settings.form !== 'table') await out.record(rehearsal, { view: { id: () => status, columns: [], empty: '' } })
  else {
    await out.list(steps, { view })
    if (response) await out.line(safeLine(`Answer: ${response.status} ${JSON.stringify(response.body)}`))
    await out.line(`${outcome[status]} Nothing was sent.`)
  }
  const unmocked = steps.filter((it) => it.status === 'NOT_RUN').map((it) => it.name)
  if (unmocked.length > 0)
    await notes.note(`Not run, and gave nothing: ${[...new Set(unmocked)].join(', ')}. Say what they give: --mock ${unmocked[0]}=@answer.json`)
  return status === 'FAILED' ? 'finding' : 'done'
}

const outcome: Readonly<Record<Rehearsal['status'], string>> = {
  SUCCEEDED: 'It would end well.',
  FAILED: 'It would fail.',
  PAUSED: 'It would wait to be called back.',
}
