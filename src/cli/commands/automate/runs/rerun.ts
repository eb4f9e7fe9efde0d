import { runVersionHeader, runVersionLatest } from '../../../../contract/automations/automation-headers.ts'
import type { RunSummary } from '../../../../contract/automations/run-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { maskText } from '../../../../contract/values/mask.ts'
import { stateText } from '../../../../contract/values/states.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { command, type Invocation } from '../../../commandline/command.ts'
import { requireCapability } from '../../../connection/require-capability.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { confirmSideEffects } from '../../../consent/confirm-side-effects.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import type { View } from '../../../output/form.ts'
import { givenRun, pickedRun } from './get.ts'

const view: View<RunSummary> = { id: (it) => it.id, columns: [], empty: '' }

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
  examples: ['last --dry-run', 'last --payload order.json --json', '4f9k2m7x8q1w5e3r6t0ya --from step_3 --latest'],
  notes:
    'Starts a new run. Its steps run for real: messages are sent again, after confirmation. With --from, earlier steps are not run, and their recorded outputs are used.\nA payload has the form of "trigger" in "parley automate runs get <run> --full --json", and replaces the recorded one completely. Pass it with --payload, or set the fields of the request, payload and from, with --file, --data, --set or --set-json: --set-json payload.body.n=7. --payload and --from take precedence.\nThe exit code is 20 when the new run fails, and 12 when it is still running.',
  view,
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
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(run, { schema: automate.rerun.output.shape.data, view } as never)
    else {
      await out.done(
        `Started run ${run.id}. Status: ${stateText(run.status)}${run.error === null ? '' : `. ${run.error}`}`,
      )
      await notes.note(`Next: parley automate runs get ${run.id}`)
    }
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
  const { readValue } = await import('../../../flow-files/step-mocks.ts')
  const value = await readValue(system, `@${payload}`, '--payload')
  if (stringifyJson(value)?.includes(maskText))
    throw usageError(
      `${payload} contains "${maskText}" in place of a secret.`,
      'Write the real value, or remove the field.',
    )
  return { value }
}
