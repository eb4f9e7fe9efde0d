import { runVersionHeader, runVersionLatest } from '../../../../../contract/automations/automation-headers.ts'
import type { CancelledRun, RunRecord, RunSummary } from '../../../../../contract/automations/run-records.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { maskText } from '../../../../../contract/values/mask-text.ts'
import { stateText } from '../../../../../contract/values/states.ts'
import { isError } from '../../../../../node/is-error.ts'
import { stringifyJson } from '../../../../../node/json.ts'
import { command, type Invocation } from '../../../../program/commandline/command.ts'
import { requireCapability } from '../../../../program/connection/require-capability.ts'
import { previewRequest, sendRequest } from '../../../../program/connection/send-request.ts'
import { confirmSideEffects } from '../../../../program/consent/confirm-side-effects.ts'
import { requireConfirmation } from '../../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../../program/context.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { readForUndo, Unread } from '../../../../program/history/undo-unavailable.ts'
import { readValue } from '../../../../program/input/read-document.ts'
import { changeSelected, selectionFlag, selectionNote } from '../../../../program/lists/selection.ts'
import { idView, type View } from '../../../../program/output/format.ts'
import { givenRun, pickedRun } from './get.ts'
import { runWait } from './wait.ts'

const view: View<CancelledRun> = idView((it) => it.id)

export const cancel = command({
  endpoint: automate.cancelRun,
  reducesHarm: true,
  argument: { name: 'run', describe: 'Id of the run, or "last"', optional: true },
  flags: [selectionFlag('runs in progress')],
  changesSelected: true,
  exits: ['finding', 'unknown', 'consent', 'partial'],
  examples: ['last', '4f9k2m7x8q1w5e3r6t0ya --json', '--filter automation_name=Reminder --yes'],
  notes: `No further step starts. A step that is running may have taken effect. Runs of other automations that the run waits for are cancelled too, after confirmation. Runs that it started without waiting continue. The runs are read back: the exit code is 20 when the run had already ended, and 12 when one is still running. To continue a cancelled run at the step where it stopped: parley automate retry <id> --run <run>.\n${selectionNote.replace(' One history entry undoes all of it.', ' A cancelled run is not restored by an undo.')}`,
  view,
  async run(context, invocation) {
    const { argument, flags } = invocation
    await requireCapability(context, automate.cancelRun)
    if (flags.filter !== undefined)
      return changeSelected(context, invocation, {
        list: 'automate runs list',
        listFlags: [{ status: 'RUNNING' }, { status: 'PAUSED' }],
        noun: 'runs',
        called: ['run', 'runs'],
        verb: ['Cancel', 'cancelled'],
        isMeant: ({ end_time, testing }) => end_time === null && testing !== true,
        loss: 'A cancelled run cannot be restored; "parley automate retry" continues one where it stopped.',
        endpoint: automate.cancelRun,
        inputOf: ({ id }) => ({ run_id: id }),
        apply: ({ call }, { id }) => call(automate.cancelRun, { run_id: String(id) }),
      })
    const given = argument ?? (await pickedRun(context, undefined))
    const run_id = await givenRun(context, given, undefined, true)
    const { out, notes, globals } = context
    const before = globals.printCurl ? undefined : await readBefore(context, run_id)
    if (before) await confirmAwaited(context, before)
    const answer = await sendRequest(context, automate.cancelRun, { run_id })
    if (!answer) return undefined
    const run = await readRun(context, run_id).catch((error: Error) => error)
    if (isError(run)) {
      if (context.system.signal.aborted) throw run
      await notes.warn(`The platform accepted the cancellation, but run ${run_id} could not be read: ${run.message}`)
      return 'unknown'
    }
    const others = await Promise.all((answer.data?.also_cancelled ?? []).map((id) => readRun(context, id)))
    const isCancelled = run.status === 'CANCELLED' && (before === undefined || before.end_time === null)
    const running = [run, ...others].find((it) => it.end_time === null)
    const print = async (): Promise<void> => {
      if (isCancelled) {
        await out.done(`Cancelled run ${run_id}.`)
        for (const other of others) if (other.status === 'CANCELLED') await out.done(`Cancelled ${describe(other)}.`)
      } else if (!running)
        await out.done(`Run ${run_id} had already ended: ${run.status ?? 'unknown'}. Nothing was changed.`)
    }
    await out.result(toCancelledRun(run, others), print, { schema: automate.cancelRun.output.shape.data, view })
    if (running)
      await notes.warn(
        `Run ${running.id} is still ${stateText(running.status)}. See: parley automate runs get ${running.id}`,
      )
    return running ? 'unknown' : isCancelled ? 'done' : 'finding'
  },
})

const readRun = async (context: Context, run_id: string, full = false): Promise<RunRecord> =>
  (await context.call(automate.getRun, { run_id, ...(full && { full }) })).data

/** Reads the run before it is cancelled. Without an answer, it is cancelled with a warning. */
async function readBefore(context: Context, run_id: string): Promise<RunRecord | undefined> {
  const run = await readForUndo(context, 'run', () => readRun(context, run_id))
  if (!(run instanceof Unread)) return run
  if (run.reason === 'gone') throw run.error
  await context.notes.warn(`Runs that it waits for are not listed, because it could not be read. ${run.error.message}`)
  return undefined
}

const describe = ({ id, automation_name }: RunRecord): string => `run ${id} of "${automation_name}"`

/** Names the runs that would be cancelled too, and asks for confirmation if there are any. */
async function confirmAwaited(context: Context, run: RunRecord): Promise<void> {
  const awaited = await listAwaited(context, run)
  if (awaited.length === 0) return
  const names = awaited.map(describe).join(', ')
  if (context.globals.dryRun) {
    await context.notes.note(`Also cancels, because the run waits for it: ${names}.`)
    return
  }
  await requireConfirmation(context, {
    question: `Cancel run ${run.id}, and what it waits for: ${names}?`,
    refusalMessage: `Cancelling run ${run.id} also cancels what it waits for: ${names}.`,
  })
}

/** Returns the runs that a run waits for, and those that they wait for. */
async function listAwaited(context: Context, run: RunRecord): Promise<RunRecord[]> {
  if (run.end_time !== null) return []
  // A long run omits its last steps, and one of them may wait.
  const { steps } = run.steps_omitted > 0 ? await readRun(context, run.id, true) : run
  const found: RunRecord[] = []
  for (const { called_run } of steps)
    if (called_run !== null) {
      const called = await readRun(context, called_run)
      found.push(called, ...(await listAwaited(context, called)))
    }
  return found
}

/** Returns the fields of a run in a list, with the other runs that were cancelled. */
const toCancelledRun = (
  { trigger: _, response: _answer, steps: _steps, steps_omitted: _omitted, shortened: _cut, ...run }: RunRecord,
  others: readonly RunRecord[],
): CancelledRun => ({
  ...run,
  also_cancelled: others.filter((it) => it.status === 'CANCELLED').map((it) => it.id),
})

const rerunView: View<RunSummary> = idView((it) => it.id)

export const rerun = command({
  endpoint: automate.rerun,
  argument: { name: 'run', describe: 'Id of the run, or "last"' },
  filledFields: ['payload', 'from'],
  allowedFields: ['payload', 'from', 'confirm_side_effects'],
  flags: [
    {
      flags: '--payload <file>',
      describe: 'JSON or YAML file with the output of the trigger (default: the recorded one)',
    },
    { flags: '--from <step>', describe: 'First step to run; steps before it keep their recorded outputs' },
    { flags: '--latest', describe: 'Run the live version (default: the version of the run)' },
  ],
  exits: ['finding', 'unknown'],
  examples: [
    'last --dry-run',
    'last --payload order.json --json --wait',
    '4f9k2m7x8q1w5e3r6t0ya --from step_3 --latest',
  ],
  notes:
    'Starts a new run. Its steps run for real: messages are sent again, after confirmation. With --from, earlier steps are not run, and their recorded outputs are used.\nA payload has the form of "trigger" in "parley automate runs get <run> --full --json", and replaces the recorded one completely. Pass it with --payload, or set the fields of the request, payload and from, with --file, --data, --set or --set-json: --set-json payload.body.n=7. --payload and --from take precedence.\nThe exit code is 20 when the new run fails, and 12 when it is still running; with --wait it is awaited.',
  view: rerunView,
  waits: runWait,
  async run(context, { argument, flags, input: document }) {
    await requireCapability(context, automate.rerun)
    const { from, latest } = flags
    const { globals, out, notes, progress } = context
    const payload = await readPayload(context, flags)
    if (latest && globals.printCurl)
      throw usageError('--print-curl cannot show --latest, which is a header.', 'Remove one of them.')
    const given = argument ?? (await pickedRun(context, undefined))
    const run_id = await givenRun(context, given, undefined, true)
    const input = {
      ...document,
      run_id,
      ...(payload && { payload: payload.value }),
      ...(from !== undefined && { from: String(from) }),
    }
    if (await previewRequest(context, automate.rerun, input)) return
    const options = latest ? { headers: { [runVersionHeader]: runVersionLatest } } : undefined
    const started = await confirmSideEffects(
      context,
      input,
      (it) => progress.showWhile('Running', context.call(automate.rerun, it as typeof input, options)),
      'Run these steps again with real effects?',
    )
    const {
      steps: _,
      trigger: _payload,
      response: _response,
      steps_omitted: _omitted,
      shortened: _cut,
      ...run
    } = (await context.call(automate.getRun, { run_id: started.data.id })).data
    const sentence = `Started run ${run.id}. Status: ${stateText(run.status)}${run.error === null ? '' : `. ${run.error}`}`
    await out.result(run, sentence, { schema: automate.rerun.output.shape.data, view: rerunView })
    if (out.isForPeople) await notes.note(`Next: parley automate runs get ${run.id}`)
    return run.status === 'FAILED' || run.status === 'CANCELLED'
      ? 'finding'
      : run.status === 'RUNNING'
        ? 'unknown'
        : 'done'
  },
})

/** Reads the file of --payload. @throws ClientFailure `usage` for a payload with hidden secrets */
async function readPayload(
  { system }: Context,
  { payload }: Invocation['flags'],
): Promise<{ readonly value: unknown } | undefined> {
  if (payload === undefined) return undefined
  const value = await readValue(system, `@${payload}`, '--payload')
  if (stringifyJson(value)?.includes(maskText))
    throw usageError(
      `${payload} contains "${maskText}" in place of a secret.`,
      'Write the real value, or remove the field.',
    )
  return { value }
}
