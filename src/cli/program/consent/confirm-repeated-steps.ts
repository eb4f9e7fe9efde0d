import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { walkSteps } from '../../../contract/automations/walk-steps.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { listSideEffects } from '../../../engine/analysis/external-actions.ts'
import { getOwn } from '../../../engine/definition/node.ts'
import { actionOf } from '../../../engine/pieces/registry.ts'
import type { Context } from '../context.ts'
import { consentError } from '../errors/usage-error.ts'
import { askConfirmation } from './require-confirmation.ts'

interface Options {
  /** Whether `--confirm-side-effects` was passed. */
  readonly isConfirmed: boolean
  /** Whether the runs continue on the live version. */
  readonly onLatest?: boolean
}

/** A run with its steps, as the platform shows it. */
interface FailedRun {
  readonly id: string
  readonly status: string
  readonly automation_id: string | null
  readonly version: number | null
  readonly steps: readonly { readonly name: string; readonly status: string }[]
}

/**
 * Asks before failed steps run again that may already have had effects outside. Steps that are known to have none need
 * no confirmation. @throws ClientFailure `consent` (exit 10) without confirmation; nothing was changed then
 */
export async function confirmRepeatedSteps(
  context: Context,
  runs: readonly FailedRun[],
  { isConfirmed, onLatest = false }: Options,
): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (isConfirmed || dryRun || printCurl) return
  const definitions = new Map<string, AutomationNode | undefined>()
  const found: string[] = []
  for (const run of runs) {
    const step = run.status === 'FAILED' ? run.steps.findLast((it) => it.status === 'FAILED') : undefined
    if (!step || run.automation_id === null) continue
    // The step that runs again is that of the version which continues.
    const version = onLatest ? null : run.version
    const key = `${run.automation_id} ${version}`
    if (!definitions.has(key)) definitions.set(key, await readDefinition(context, run.automation_id, version))
    const repeated = await describeRepeated(definitions.get(key), step.name)
    if (repeated !== undefined) found.push(runs.length > 1 ? `${repeated} (run ${run.id})` : repeated)
  }
  if (found.length === 0) return
  const steps = found.length > 10 ? [...found.slice(0, 10), `${found.length - 10} more`] : found
  const message = `Running a failed step again can repeat what it already did outside: ${steps.join(', ')}.`
  if (await context.approvals.replacesConfirmation(message)) return
  if (!context.interactive)
    throw consentError(
      message,
      'To see the error and the input: parley automate runs get <run>. Then pass --confirm-side-effects.',
    )
  await context.notes.warn(message)
  const question = found.length > 1 ? 'Run these steps again?' : 'Run this step again?'
  if (!(await askConfirmation(context, question, { reachesOutside: true })))
    throw consentError('Cancelled.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm-side-effects' })
}

async function readDefinition(
  context: Context,
  id: string,
  number: number | null,
): Promise<AutomationNode | undefined> {
  const { definition } =
    number !== null && (await context.supports('versions'))
      ? (await context.call(automate.version, { id, number })).data
      : (await context.call(automate.get, { id })).data
  return isObject(definition) ? (definition as AutomationNode) : undefined
}

/** Returns the step with its piece, or undefined if it is known to have no effect outside. */
async function describeRepeated(trigger: AutomationNode | undefined, name: string): Promise<string | undefined> {
  const node = trigger && [...walkSteps(trigger)].find((it) => it.node.name === name)?.node
  // A step that cannot be read may have had any effect.
  if (!trigger || !node) return `step ${name}`
  const isKnown = node.type !== 'PIECE' || actionOf(node) !== undefined
  if (isKnown && !listSideEffects(trigger).some((it) => it.step === name)) return undefined
  const settings = isObject(node.settings) ? node.settings : {}
  const piece = node.type === 'PIECE' ? [getOwn(settings, 'pieceName'), getOwn(settings, 'actionName')] : ['code']
  const shown = node.displayName && node.displayName !== name ? `${name} "${node.displayName}"` : name
  return `step ${shown} (${piece
    .filter((it) => it !== undefined)
    .map((it) => String(it).replace(/^@[^/]+\//, ''))
    .join(' ')})`
}
