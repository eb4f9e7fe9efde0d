import type { AutomationNode } from '../../contract/automation-node.ts'
import type { Context } from '../context.ts'

/**
 * Tells, before a definition is sent, which steps its test runs for real and what they reach: a test sends, calls and writes as a run does. Says nothing
 * of a definition that cannot be read, or whose trigger a test does not fire. `sample` is what the test gives the trigger.
 */
export async function tellTestEffects(context: Context, flow: unknown, sample?: unknown): Promise<void> {
  const { examine } = await import('../../automation/definition/examine.ts')
  const examined = await examine(flow)
  if (!examined.ok) return
  const { payloadFor } = await import('../../automation/triggers/samples.ts')
  await tellTouches(context, examined.definition, payloadFor(examined.definition, sample, context.world.now() * 1000))
}

/** The same for a definition that was read already, and what its trigger receives. */
export async function tellTouches({ notes }: Context, trigger: AutomationNode, payload: unknown): Promise<void> {
  const { isFiredByTest, touchesOf } = await import('../../automation/definition/touches.ts')
  const touches = isFiredByTest(trigger) ? touchesOf(trigger, payload) : []
  if (touches.length > 0) await notes.note(`The test runs these steps for real:\n${touches.map(({ text }) => text).join('\n')}`)
}
