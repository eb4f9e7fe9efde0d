import { ClientFailure } from '../../../../../client/failures/client-failure.ts'
import { RunRecord } from '../../../../../contract/automations/run-records.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { stateText } from '../../../../../contract/values/states.ts'
import { command } from '../../../../program/commandline/command.ts'
import { previewRequest } from '../../../../program/connection/send-request.ts'
import type { Context } from '../../../../program/context.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { wholeId } from '../../../../program/input/shortened-ids.ts'
import { idView, type View } from '../../../../program/output/format.ts'
import { promptChoices } from '../../../../program/prompts/choices.ts'
import { recordArgument } from '../../../../program/prompts/equivalent-command.ts'
import { automationId } from '../view.ts'
import { resolveRunId } from './run-flag.ts'
import { runLines } from './run-lines.ts'
import { findRunByAutomation, listRunsByAutomation, type ShownRun } from './runs-by-automation.ts'
import { runWait } from './wait.ts'

const view: View<ShownRun> = idView((it) => it.id)

/** Number of runs offered in the prompt. */
const pickedFrom = 50

interface Wishes {
  readonly step?: string | undefined
  readonly full: boolean
}

export const get = command({
  endpoint: automate.getRun,
  argument: { name: 'run', describe: 'Id of the run or its beginning, or "last"' },
  filledFields: ['step', 'full'],
  flags: [
    { flags: '--step <name>', describe: 'Only steps with this name or path, such as step_2 or step_5[3]/step_6' },
    { flags: '--full', describe: 'Show long values and long runs in full' },
    {
      flags: '--automation <id>',
      describe: 'Id or name of its automation, which saves requests on platforms that list runs by automation',
    },
  ],
  examples: ['last', 'last --wait=ended', 'last --step step_1 --full', 'last --automation Greeting --json'],
  notes:
    'Shows for each step its status, duration, attempts, input, output and error, the errors of earlier attempts, the branches taken, loop items, and when a waiting step continues. Secrets are hidden. Platforms other than a Parley server report only the status and error of each step.',
  view,
  waits: runWait,
  async run(context, { argument, flags }) {
    const automation =
      flags.automation === undefined ? undefined : await automationId(context, String(flags.automation))
    await print(context, argument ?? (await pickedRun(context, automation)), automation, {
      step: flags.step === undefined ? undefined : String(flags.step),
      full: flags.full === true,
    })
  },
})

/** Prints a run for the older form `automate runs <automation> --run <id>`. */
export async function printOlderForm(context: Context, automation: string | undefined, run: string): Promise<void> {
  const id = automation === undefined ? undefined : await automationId(context, automation)
  await print(context, id === undefined ? run : await resolveRunId(context, id, run), id, { full: false })
}

async function print(context: Context, given: string, automation: string | undefined, wishes: Wishes): Promise<void> {
  const { out, notes } = context
  const isOffered = await context.supports('runs')
  const run_id = await givenRun(context, given, automation, isOffered)
  const input = { run_id, ...(wishes.step !== undefined && { step: wishes.step }), ...(wishes.full && { full: true }) }
  if (isOffered && (await previewRequest(context, automate.getRun, input))) return
  const run = isOffered
    ? (await context.call(automate.getRun, input)).data
    : onlyStep(await findRunByAutomation(context, run_id, automation), wishes.step)
  if (automation !== undefined && run.automation_id !== automation)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: 'Run not found for this automation',
      hint: `List runs: parley automate runs list ${automation}.`,
    })
  if (wishes.step !== undefined && run.steps.length === 0)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `The run has no step "${wishes.step}".`,
      hint: `See its steps: parley automate runs get ${run_id}.`,
    })
  if (!out.isForPeople) return out.record(run, { schema: RunRecord, view })
  for (const line of runLines(run, out.settings.now)) await out.line(line)
  if (!isOffered) await notes.note('This platform reports only the status and error of each step.')
  if (run.shortened) await notes.note('Long values are shortened. Show everything: add --full.')
}

const onlyStep = (run: ShownRun, step: string | undefined): ShownRun =>
  step === undefined ? run : { ...run, steps: run.steps.filter((it) => it.name === step || it.path === step) }

/**
 * Returns the id of a given run: an id, its beginning, or `last`, which is the newest run, or the newest one with a status.
 * @throws ClientFailure `not_found`, and `usage` for an ambiguous beginning
 */
export const givenRun = async (
  context: Context,
  given: string,
  automation: string | undefined,
  isOffered: boolean,
  status?: 'FAILED',
): Promise<string> =>
  given === 'last'
    ? lastRun(context, automation, isOffered, status)
    : isOffered
      ? wholeId(context, given, { singular: 'run', list: automate.listRuns, whole: wholeRunId })
      : given

/** Ids of runs on a Parley server. Other ids are sent unchanged. */
const wholeRunId = /^[\w-]{20,}$/

/** Returns the id of the newest run, or of the newest one with a status. @throws ClientFailure `not_found` */
async function lastRun(
  context: Context,
  automation: string | undefined,
  isOffered: boolean,
  status?: 'FAILED',
): Promise<string> {
  const wanted = { ...(automation !== undefined && { automation_id: automation }), ...(status && { status }), limit: 1 }
  const [last] = isOffered
    ? (await context.call(automate.listRuns, wanted)).data
    : await listRunsByAutomation(context, { automation, ...(status && { status }) })
  if (last) return last.id
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `${automation === undefined ? 'No' : 'The automation has no'} ${status ? 'failed ' : ''}runs.`,
  })
}

/** Prompts for one of the newest runs. @throws ClientFailure `usage` without a terminal */
export async function pickedRun(context: Context, automation: string | undefined): Promise<string> {
  if (!context.interactive)
    throw usageError('Missing run. Pass the id of the run, or "last".', 'List runs: parley automate runs list.')
  const wanted = { ...(automation !== undefined && { automation_id: automation }), limit: pickedFrom }
  const runs = (await context.supports('runs'))
    ? (await context.call(automate.listRuns, wanted)).data
    : await listRunsByAutomation(context, { automation })
  if (runs.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'No runs.' })
  const prompts = await context.prompts()
  const { id } = await prompts.select(
    'Which run?',
    promptChoices(runs, (it) => `${it.start_time}  ${it.automation_name ?? ''}  ${stateText(it.status)}  ${it.id}`),
    { searchable: true },
  )
  recordArgument(context, id)
  return id
}
