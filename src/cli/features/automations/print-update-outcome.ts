import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { Context } from '../../program/context.ts'
import { describeClass } from './commands/runs/run-lines.ts'
import { describeState } from './live-automation.ts'
import { builtView, describeWaitingTest, localTestHint } from './print-built.ts'
import { findLiveVersion, listVersions, noteUndo } from './restore/restore-targets.ts'
import { describeFailure, inputLine, type UpdateOutcome } from './safe-update.ts'

type FinalOutcome = Exclude<UpdateOutcome, { readonly kind: 'shown' }>

/** Values of `outcome` in machine output. Scripts read them: they are added, not renamed. */
const outcomeCodes = {
  live: 'published',
  differs: 'differs',
  not_sent: 'not_sent',
  not_published: 'not_published',
  rolled_back: 'rolled_back',
  left: 'left_disabled',
} as const satisfies Record<FinalOutcome['kind'], string>

/** A failed step: place, cause and input. Scripts read it as JSON in `failed_steps`: fields are added, not renamed. */
interface FailedStep {
  readonly name: string
  readonly classification: string
  readonly error: string
  readonly input: unknown
}

/**
 * Prints the outcome of an update on stdout and failures on stderr. Exit 20 unless the new definition is live as sent.
 */
export async function printUpdateOutcome(context: Context, id: string, outcome: FinalOutcome): Promise<ExitName> {
  const { out, notes } = context
  const failed = await failedSteps(context, id, outcome)
  const { isForPeople } = out
  const print = async (): Promise<void> =>
    out.done(`${describeOutcome(outcome, await liveNumberText(context, id, outcome))} Id: ${id}`)
  await out.result(toOutcomeRecord(id, outcome, failed), print, { view: builtView })
  if (outcome.kind === 'live') {
    if (!isForPeople) return 'done'
    if (describeWaitingTest(outcome.built) !== undefined) await notes.note(localTestHint(id))
    if (outcome.sampleAt) await notes.note(`Tested with the sample of ${outcome.sampleAt}. Use another with --sample.`)
    await notes.note(
      outcome.live.automation.status === 'disabled'
        ? `Enable it: parley automate enable ${id}`
        : `Next: parley automate get ${id}`,
    )
    const { before, live } = outcome
    if (before && (before.version === undefined || before.version !== live.version)) await noteUndo(context, before)
    return 'done'
  }
  if (outcome.kind === 'not_sent') await notes.warn(outcome.verdict.failures.map(describeFailure).join('\n'))
  else if (failed.length > 0) await notes.warn(failed.map(describeFailedStep).join('\n'))
  if (isForPeople) await notes.note(nextHint(id, outcome))
  return 'finding'
}

/**
 * Returns ` (version 3)` for the messages that name the live version; an empty string if the platform does not number
 * versions.
 */
async function liveNumberText(context: Context, id: string, { kind }: FinalOutcome): Promise<string> {
  if (kind === 'not_sent' || kind === 'differs') return ''
  try {
    if (!(await context.supports('versions'))) return ''
    const live = findLiveVersion(await listVersions(context, id))
    return live ? ` (version ${live.number})` : ''
  } catch {
    // The outcome is known, and is reported without the number.
    return ''
  }
}

/** Describes the outcome and the live state in sentences. `version` follows the live version: ` (version 3)`. */
function describeOutcome(outcome: FinalOutcome, version = ''): string {
  if (outcome.kind === 'not_sent')
    return 'Not updated: the local check failed. Nothing was sent, and the live version is unchanged.'
  const state = `${describeState(outcome.live)}`
  switch (outcome.kind) {
    case 'live': {
      const isEnabled = outcome.live.automation.status === 'enabled'
      const waitingTest = describeWaitingTest(outcome.built)
      if (waitingTest !== undefined)
        return `Automation updated${isEnabled ? ' and live' : ''}${version}. ${waitingTest}${isEnabled ? '' : ' It stays disabled.'}`
      const { status, test } = outcome.built
      const isUntested = status === 'active_untested' || test?.run_status === 'not_tested'
      const tested = isUntested ? 'not tested (only its own trigger can start it)' : 'tested'
      return isEnabled
        ? `Automation updated, ${tested}, and live${version}.${outcome.isAnswerLost ? ' The response was lost; the live version was read back.' : ''}`
        : `Automation updated and ${tested}${version}. It stays disabled.`
    }
    case 'differs':
      return `${outcome.isAnswerLost ? 'The response was lost, and' : 'The platform reported the update as done, but'} the live version differs from what was sent: ${outcome.fields.join(', ')}. ${state}`
    case 'not_published':
      return `Not updated: the test failed, and nothing was published. The version that was live is unchanged${version}. ${state}`
    case 'rolled_back': {
      const bindingNote =
        outcome.wasBound && !outcome.live.automation.binding
          ? ' It is no longer bound to its assistant; enabling it binds it again.'
          : ''
      return `Rolled back: the test failed after publishing. The previous version is live again${version}. ${state}${bindingNote}`
    }
    case 'left':
      return `Automation updated, and its test failed. The new definition is live${version}. ${state}`
  }
}

function nextHint(id: string, { kind }: FinalOutcome): string {
  if (kind === 'not_sent')
    return 'Fix the definition, pass another sample with --sample, or skip this check with --skip-local-test.'
  if (kind === 'left') return `Restore the previous version: parley automate restore ${id}`
  if (kind === 'differs') return `Show the live version: parley automate get ${id}`
  return `Next: parley automate runs list ${id}`
}

/** Returns the outcome for machine output: the response, the live state and the failures. */
function toOutcomeRecord(id: string, outcome: FinalOutcome, failed: readonly FailedStep[]): object {
  const built =
    'built' in outcome
      ? outcome.built
      : {
          status: 'test_failed',
          test: { run_status: 'FAILED', steps: localSteps(outcome) },
          response: null,
          binding: null,
        }
  const live = 'live' in outcome ? outcome.live : undefined
  return {
    automation_id: id,
    ...built,
    outcome: outcomeCodes[outcome.kind],
    ...(live && {
      live: { status: live.automation.status, binding: live.automation.binding, version_id: live.version ?? null },
    }),
    failed_steps: failed,
    not_tested: outcome.verdict?.notTested ?? [],
  }
}

/** Returns the steps that failed locally as the platform reports those of its test, which scripts read. */
const localSteps = ({ verdict }: Extract<FinalOutcome, { kind: 'not_sent' }>): object[] =>
  verdict.failures.map(({ step, path, message }) => ({
    name: step,
    status: 'FAILED',
    classification: 'wiring_error',
    error: path === '' ? message : `${path}: ${message}`,
  }))

/** Returns the steps that failed their test on the platform, with their input if the platform reports it. */
async function failedSteps(context: Context, id: string, outcome: FinalOutcome): Promise<FailedStep[]> {
  if (outcome.kind === 'live' || outcome.kind === 'differs') return []
  if (outcome.kind === 'not_sent')
    return outcome.verdict.failures.map(({ step, message, path, input }) => ({
      name: step ?? '',
      classification: 'wiring_error',
      error: path === '' ? message : `${path}: ${message}`,
      input: input ?? null,
    }))
  const steps = Array.isArray(outcome.built.test?.steps) ? outcome.built.test.steps : []
  const failed = steps.filter((it) => it?.status === 'FAILED')
  if (failed.length === 0) return []
  const inputs = await stepInputs(context, id, outcome)
  return failed.map(({ name, classification, error }) => ({
    name: String(name),
    classification: String(classification),
    error: typeof error === 'string' ? error : 'no reason given',
    input: inputs.get(String(name)) ?? null,
  }))
}

/** Returns the input of steps: from the newest failed test if the platform shows it, otherwise from the local check. */
async function stepInputs(context: Context, id: string, outcome: FinalOutcome): Promise<Map<string, unknown>> {
  const inputs = new Map<string, unknown>(Object.entries(outcome.verdict?.inputs ?? {}))
  if (!(await context.supports('runs'))) return inputs
  try {
    const { data } = await context.call(automate.listRuns, {
      automation_id: id,
      status: 'FAILED',
      test: true,
      limit: 1,
    })
    const [run] = data
    if (!run) return inputs
    const answer = await context.call(automate.getRun, { run_id: run.id })
    for (const { name, input } of answer.data.steps) if (input !== null) inputs.set(name, input)
  } catch {
    // The failure can be reported without the input.
  }
  return inputs
}

function describeFailedStep({ name, classification, error, input }: FailedStep): string {
  return `${name} failed${describeClass(classification, (it) => ` (${it})`)}: ${error}${inputLine(input)}`
}

/** Returns a remark about the update of one of several files; null if it succeeded. */
export const outcomeRemark = (outcome: FinalOutcome): string | null => {
  if (outcome.kind === 'live') return null
  if (outcome.kind !== 'not_sent') return describeOutcome(outcome)
  return `${describeOutcome(outcome)} ${outcome.verdict.failures.map((it) => describeFailure(it).split('\n', 1)[0]).join(' ')}`
}
