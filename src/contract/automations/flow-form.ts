import type { AutomationNode } from './automation-node.ts'

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
