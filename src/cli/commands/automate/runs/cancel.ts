import type { RunSummary } from '../../../../contract/automations/run-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { command } from '../../../commandline/command.ts'
import { requireCapability } from '../../../connection/require-capability.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import type { View } from '../../../output/form.ts'
import { lastRun, pickedRun } from './get.ts'

const view: View<RunSummary> = { id: (it) => it.id, columns: [], empty: '' }

export const cancel = command({
  endpoint: automate.cancelRun,
  argument: { name: 'run', describe: 'Id of the run, or "last"' },
  exits: ['finding', 'unknown'],
  examples: ['last', '4f9k2m7x8q1w5e3r6t0ya --json'],
  notes:
    'No further step starts. A step that is running may have taken effect. The run is read back: the exit code is 20 when it had already ended, and 12 when it is still running. To continue a cancelled run at the step where it stopped: parley automate retry <id> --run <run>.',
  view,
  async run(context, { argument }) {
    await requireCapability(context, automate.cancelRun)
    const given = argument ?? (await pickedRun(context, undefined))
    const run_id = given === 'last' ? await lastRun(context, undefined, true) : given
    if (!(await sendRequest(context, automate.cancelRun, { run_id }))) return
    const { steps: _, ...run } = (await context.call(automate.getRun, { run_id })).data
    const { out, notes } = context
    const status = run.status ?? 'unknown'
    const isCancelled = run.status === 'CANCELLED'
    const isOver =
      isCancelled || run.status === 'SUCCEEDED' || run.status === 'FAILED' || typeof run.end_time === 'string'
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(toSummary(run), { schema: automate.cancelRun.output.shape.data, view } as never)
    else if (isCancelled) await out.line(`Cancelled run ${run_id}.`)
    else if (isOver) await out.line(`Run ${run_id} had already ended: ${status}. Nothing was changed.`)
    else await notes.warn(`Run ${run_id} is still ${status}. See: parley automate runs get ${run_id}`)
    return isCancelled ? 'done' : isOver ? 'finding' : 'unknown'
  },
})

/** Returns the fields of a run in a list. */
const toSummary = ({
  trigger: _,
  response: _answer,
  steps_omitted: _omitted,
  shortened: _cut,
  ...run
}: object & Record<string, unknown>): object => run
