import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { ChildField } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'

/** Part of a definition whose fields are not known: settings, input, sample data. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns an own property of an object; inherited properties are ignored. */
export const getOwn = (object: unknown, field: string): unknown =>
  isObject(object) && Object.hasOwn(object, field) ? object[field] : undefined

/** Returns the settings of a node, or an empty object. */
export const nodeSettings = (node: AutomationNode): JsonObject => (isObject(node.settings) ? node.settings : {})

/**
 * Returns the part of a node that is resolved before it runs: the input of a piece or code, the conditions of a branch,
 * the list of a loop.
 */
export function nodeInput(node: AutomationNode): JsonObject {
  const settings = nodeSettings(node)
  if (node.type === 'BRANCH') return { conditions: getOwn(settings, 'conditions') ?? [] }
  if (node.type === 'LOOP_ON_ITEMS') return { items: getOwn(settings, 'items') }
  const input = getOwn(settings, 'input')
  return isObject(input) ? input : {}
}

/** Returns the error handling of a step (CODE and PIECE only). */
export function nodeErrorHandling(node: AutomationNode): {
  readonly continueOnFailure: boolean
  readonly retryOnFailure: boolean
} {
  const options =
    node.type === 'CODE' || node.type === 'PIECE' ? getOwn(nodeSettings(node), 'errorHandlingOptions') : undefined
  const isOn = (name: string): boolean => getOwn(getOwn(options, name), 'value') === true
  return { continueOnFailure: isOn('continueOnFailure'), retryOnFailure: isOn('retryOnFailure') }
}

/** Returns whether a run skips the step. */
export const isSkipped = (node: AutomationNode): boolean => node.skip === true

/** Returns whether the steps in a field can run. Those for success and failure run only if the step may fail. */
export const mayRun = (node: AutomationNode, field: ChildField): boolean =>
  !field.startsWith('continueOnFailureBranches.') || nodeErrorHandling(node).continueOnFailure
