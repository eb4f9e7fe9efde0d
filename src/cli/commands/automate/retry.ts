import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { stateText } from '../../../contract/values/states.ts'
import { command } from '../../commandline/command.ts'
import { requireCapability } from '../../connection/require-capability.ts'
import { previewRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import type { View } from '../../output/form.ts'
import { toSentence } from '../../output/print-result.ts'
import { confirmRepeatFlag, latestFlag, latestHint, resolveRunId, retryOptions, runFlag } from './runs/run-flag.ts'
import { findRunByAutomation, type ShownRun } from './runs/runs-by-automation.ts'
import { argument, automationId } from './view.ts'

const view: View<{ readonly run_id: string }> = { id: (it) => it.run_id, columns: [], empty: '' }

/** Resolves the automation and its run. Without `--run`, the argument may be the id of a run. */
async function resolveRun(
  context: Context,
  argument: string | undefined,
  run: unknown,
): Promise<{ readonly id: string; readonly run_id: string }> {
  const id = await automationId(context, argument)
  try {
    return { id, run_id: await resolveRunId(context, id, String(run ?? 'last'), 'FAILED') }
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.status !== 404 || id !== argument) throw error
    const found = await findRun(context, id)
    if (found?.automation_id) return { id: found.automation_id, run_id: id }
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `No automation or run with the id "${id}".`,
      hint: 'Pass the automation, and the run with --run: parley automate retry <automation> --run <run>. List failed runs: parley automate runs list --status FAILED.',
    })
  }
}

/** Returns a run by its id, on any platform; undefined if there is none. */
async function findRun(context: Context, run_id: string): Promise<Pick<ShownRun, 'automation_id'> | undefined> {
  try {
    return (await context.supports('runs'))
      ? (await context.call(automate.getRun, { run_id })).data
      : await findRunByAutomation(context, run_id, undefined)
  } catch (error) {
    if ((error as ClientFailure).exit === 'not_found') return undefined
    throw error
  }
}

/** Asks before the failed step of a run has its effects again. An unknown run is left to the platform to refuse. */
async function confirmRepeat(
  context: Context,
  { id, run_id }: { readonly id: string; readonly run_id: string },
  { isConfirmed, onLatest }: { readonly isConfirmed: boolean; readonly onLatest: boolean },
): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (isConfirmed || dryRun || printCurl) return
  try {
    const run = (await context.supports('runs'))
      ? (await context.call(automate.getRun, { run_id })).data
      : await findRunByAutomation(context, run_id, id)
    const { confirmRepeatedSteps } = await import('../../consent/confirm-repeated-steps.ts')
    await confirmRepeatedSteps(context, [run], { isConfirmed, onLatest })
  } catch (error) {
    if ((error as ClientFailure).exit !== 'not_found') throw error
  }
}

export const retry = command({
  endpoint: automate.retry,
  argument,
  flags: [{ ...runFlag, describe: 'Id of the run (default: the last failed run)' }, latestFlag, confirmRepeatFlag],
  exits: ['finding'],
  examples: ['Greeting', 'Greeting --run last', 'Greeting --latest'],
  notes:
    'The argument may also be the id of the run. Steps that ran before the failed step are not run again. The failed step runs again. If its request got no response, it may already have taken effect, and is sent a second time; a step that may have effects outside is named and requires confirmation. To see its error and its input: parley automate runs get <run>. With --latest, the run is rejected when the live version lacks a step that already ran. The exit code is 20 when the run fails again.',
  view,
  async run(context, { argument, flags }) {
    const onLatest = flags.latest === true
    if (onLatest) await requireCapability(context, automate.getRun)
    if (context.globals.printCurl && onLatest)
      throw usageError('--print-curl cannot show --latest, which is a header.', 'Remove one of them.')
    const { id, run_id } = await resolveRun(context, argument, flags.run)
    await confirmRepeat(
      context,
      { id, run_id },
      {
        isConfirmed: flags.confirmSideEffects === true,
        onLatest,
      },
    )
    if (await previewRequest(context, automate.retry, { id, run_id })) return
    const answer = await context.call(automate.retry, { id, run_id }, retryOptions(onLatest))
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(answer, { schema: automate.retry.output, view } as never)
    else {
      await out.done(`${toSentence(answer.note)} Status: ${stateText(String(answer.status ?? 'unknown'))}`)
      await notes.note(`Next: parley automate runs get ${run_id}`)
    }
    if (answer.status === 'FAILED' && !onLatest && (await context.supports('runs')))
      await notes.note(latestHint(run_id))
    return answer.status === 'FAILED' ? 'finding' : undefined
  },
})
