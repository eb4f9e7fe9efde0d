import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { Automation } from '../../../contract/automations/automation-records.ts'
import { toFlow } from '../../../contract/automations/flow-form.ts'

/** Returns the content of the file of a live automation, without the fields that the platform computes. */
export function automationContent({ name, status, definition, binding }: Automation): Record<string, unknown> {
  const bound = binding && {
    assistant_id: binding.assistant_id,
    ...(binding.type === 'conversation_ended' && { bind_webhook: binding.type }),
  }
  return { name, enabled: status === 'enabled', ...bound, flow: toFlow(definition as AutomationNode) }
}
