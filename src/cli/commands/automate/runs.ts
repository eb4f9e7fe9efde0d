import type * as z from 'zod'
import { ClientFailure } from '../../../client/failure.ts'
import { automate } from '../../../contract/automate.ts'
import { Run, type RunBrief, type RunStep } from '../../../contract/automation-records.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { count, printList, send } from '../../requests.ts'
import { usage } from '../../usage.ts'
import { argument, automationId } from './view.ts'

export const runFlag = { flags: '--run <id>', describe: 'Id of the run, or "last"', field: 'run_id' } as const

const view: View<z.output<typeof RunBrief>> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'start_time', title: 'Started', priority: 2, kind: 'time' },
    { key: 'duration_ms', title: 'Duration (ms)', priority: 3, kind: 'number' },
    { key: (it) => (it.testing ? 'yes' : ''), title: 'Test', priority: 4 },
  ],
  empty: 'It has not run yet.',
}

/** From the beginning of the run, and how long it took: what a platform of one's own tells. */
const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`
const timeOf = (it: RunStep, begun: number): string => (it.started_at ? `+${seconds(Math.max(0, Date.parse(it.started_at) - begun))}` : '')
const tookOf = ({ duration_ms: ms, attempts }: RunStep): string =>
  typeof ms !== 'number' ? '' : `${seconds(ms)}${typeof attempts === 'number' && attempts > 1 ? `, ${attempts} attempts` : ''}`

const stepView = (begun: number): View<RunStep> => ({
  id: (it) => it.path ?? it.name,
  columns: [
    { key: (it) => it.path ?? it.name, title: 'Step', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: (it) => timeOf(it, begun), title: 'At', priority: 2 },
    { key: tookOf, title: 'Took', priority: 2 },
    { key: 'classification', title: 'Classification', priority: 3 },
    { key: 'error', title: 'Error', priority: 1, flexible: true },
  ],
  empty: 'No step was begun.',
})

/** The most a platform shows at once. */
const most = 20

export const runs = command({
  endpoint: automate.runs,
  argument,
  fills: ['limit', 'run_id'],
  flags: [runFlag],
  examples: ['Greeting', 'Greeting --limit 20 --json', 'Greeting --run last'],
  notes: `The newest ten, or with --limit at most ${most}. --run shows one: its steps, what became of them and why.`,
  view,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    if (flags.run !== undefined) return printRun(context, id, await runId(context, id, String(flags.run)))
    const limit = count(context.globals.limit, '--limit')
    if (limit !== undefined && limit > most) throw usage(`--limit is at most ${most} here.`)
    await printList(context, automate.runs, { id, ...(limit !== undefined && { limit }) })
  },
})

/** The run a word means: an id, or the last one there was; with `status` the last that ended so. */
export async function runId(context: Context, id: string, given: string, status?: string): Promise<string> {
  if (given !== 'last') return given
  const answer = await context.call(automate.runs, { id, limit: most })
  const found = 'runs' in answer && Array.isArray(answer.runs) ? answer.runs.find((it) => it && (status === undefined || it.status === status)) : undefined
  if (found) return String(found.id)
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: status === undefined ? 'It has not run yet.' : `None of its last ${most} runs ended so: ${status}.`,
    hint: `List them: parley automate runs ${id}.`,
  })
}

async function printRun(context: Context, id: string, run_id: string): Promise<void> {
  const answer = await send(context, automate.runs, { id, run_id })
  if (!answer) return
  const { out } = context
  const run = 'run' in answer ? answer.run : (answer as never)
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(run, { schema: Run, view } as never)
  const { steps, ...about } = run
  await out.record(about)
  await context.world.streams.stdout.write('\n')
  await out.list(
    (Array.isArray(steps) ? steps : []).filter((it) => typeof it === 'object' && it !== null),
    { view: stepView(Date.parse(String(run.start_time))) },
  )
}
