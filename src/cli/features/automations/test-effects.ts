import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { isFiredByTest, listExternalActions } from '../../../engine/analysis/external-actions.ts'
import { validateDefinition } from '../../../engine/definition/validate-definition.ts'
import { createTriggerPayload } from '../../../engine/templates/event-samples.ts'
import type { Context } from '../../program/context.ts'

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
