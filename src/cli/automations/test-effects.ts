import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { Context } from '../context.ts'

/**
 * Tells, before a definition is sent, which steps its test runs for real and what they reach: a test sends, calls and writes as a run does. Says nothing
 * of a definition that cannot be read, or whose trigger a test does not fire. `sample` is what the test gives the trigger.
 */
export async function noteTestEffects(context: Context, flow: unknown, sample?: unknown): Promise<void> {
  const { validateDefinition } = await import('../../flow/definition/validate-definition.ts')
  const examined = await validateDefinition(flow)
  if (!examined.ok) return
  const { createTriggerPayload } = await import('../../automation/triggers/event-samples.ts')
  await noteEffects(
    context,
    examined.definition,
    createTriggerPayload(examined.definition, sample, context.world.now() * 1000),
  )
}

/** The same for a definition that was read already, and what its trigger receives. */
export async function noteEffects({ notes }: Context, trigger: AutomationNode, payload: unknown): Promise<void> {
  const { isFiredByTest, listExternalActions } = await import('../../flow/analysis/external-actions.ts')
  const touches = isFiredByTest(trigger) ? listExternalActions(trigger, payload) : []
  if (touches.length > 0)
    await notes.note(`The test runs these steps for real:\n${touches.map(({ text }) => text).join('\n')}`)
}
