import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { replaceNamesWithNumbers } from '../../../contract/references/step-references.ts'
import { isFiredByTest, listExternalActions, listSideEffects } from '../../../engine/analysis/external-actions.ts'
import { validateDefinition } from '../../../engine/definition/validate-definition.ts'
import { createTriggerPayload } from '../../../engine/templates/event-samples.ts'
import { askConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { consentError } from '../../program/errors/usage-error.ts'
import type { WriteOptions } from '../../program/resources/resource-files.ts'
import type { SyncEntry } from '../as-code/compare.ts'

/**
 * Prints which steps a test runs for real and what they affect, before a definition is sent. Prints nothing if the
 * definition cannot be read or the test does not fire its trigger. `sample` is the trigger input of the test.
 */
export async function noteTestEffects(context: Context, flow: unknown, sample?: unknown): Promise<void> {
  const examined = await validateDefinition(flow)
  if (!examined.ok) return
  await noteEffects(
    context,
    examined.definition,
    createTriggerPayload(examined.definition, sample, context.system.now() * 1000),
  )
}

/** Prints the same for a parsed definition and the payload of its trigger. */
export async function noteEffects({ notes }: Context, trigger: AutomationNode, payload: unknown): Promise<void> {
  const touches = isFiredByTest(trigger) ? listExternalActions(trigger, payload) : []
  if (touches.length > 0)
    await notes.note(`The test runs these steps for real:\n${touches.map(({ text }) => text).join('\n')}`)
}

/**
 * Confirms tests of automations that really send or call, before anything is sent. Otherwise the platform refuses the
 * first of them after other resources were written. Returns the options of the writes. @throws ClientFailure exit 10
 * without confirmation
 */
export async function confirmTestEffects(
  context: Context,
  written: readonly SyncEntry[],
  options: WriteOptions,
): Promise<WriteOptions> {
  if (options.confirmed) return options
  const effects: string[] = []
  for (const { file, local, remote, fields } of written) {
    const flow = local?.content.flow
    if (flow === undefined || (remote && !fields.includes('flow'))) continue
    const steps = await stepsWithEffects(flow)
    if (steps.length > 0) effects.push(`  ${file}: ${steps.join(', ')}`)
  }
  if (effects.length === 0) return options
  const message = ['The tests of these automations run steps that really send or call:', ...effects].join('\n')
  if (await context.approvals.replacesConfirmation(message)) return { ...options, confirmed: true }
  if (!context.interactive)
    throw consentError(`${message}\nNothing was changed.`, 'Review the steps, then pass --confirm-side-effects.')
  await context.notes.warn(message)
  if (!(await askConfirmation(context, 'Run these steps with real effects in the tests?', { reachesOutside: true })))
    throw consentError('Cancelled.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm-side-effects' })
  return { ...options, confirmed: true }
}

/** Returns the names of steps with effects. A definition that cannot be read has none: the platform refuses it. */
async function stepsWithEffects(flow: unknown): Promise<string[]> {
  const examined = await validateDefinition(replaceNamesWithNumbers(flow).flow, undefined, { allowUnknownPieces: true })
  return examined.ok ? listSideEffects(examined.definition).map((it) => it.displayName) : []
}
