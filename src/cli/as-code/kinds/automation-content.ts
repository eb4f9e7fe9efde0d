import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { Automation } from '../../../contract/automations/automation-records.ts'

/** Returns the content of the file of a live automation, without the fields that the platform computes. */
export function automationContent({ name, status, definition, binding }: Automation): Record<string, unknown> {
  const bound = binding && {
    assistant_id: binding.assistant_id,
    ...(binding.type === 'conversation_ended' && { bind_webhook: binding.type }),
  }
  return { name, enabled: status === 'enabled', ...bound, flow: toFlow(definition as AutomationNode) }
}

/** Returns the trigger and the steps of the main chain as a list. The key order is the same for the same definition. */
export function toFlow(trigger: AutomationNode): { trigger: object; steps: object[] } {
  const steps: object[] = []
  for (let node = trigger.nextAction; node; node = node.nextAction)
    steps.push(orderKeys({ ...node, nextAction: undefined }))
  return { trigger: orderKeys({ ...trigger, nextAction: undefined }), steps }
}

const keyOrder = [
  'name',
  'displayName',
  'type',
  'settings',
  'onSuccessAction',
  'onFailureAction',
  'firstLoopAction',
  'nextAction',
]

/** Orders the keys of a node as files have them, with the name first. Removes computed and empty fields. */
function orderKeys(node: object): object {
  const entries = Object.entries(node).filter(
    ([key, value]) => value !== undefined && value !== null && key !== 'valid',
  )
  const order = (key: string): number => (keyOrder.includes(key) ? keyOrder.indexOf(key) : keyOrder.length)
  return Object.fromEntries(
    entries
      .sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1))
      .map(([key, value]) => [
        key,
        /Action$/.test(key) && typeof value === 'object' ? orderKeys(value as object) : value,
      ]),
  )
}
