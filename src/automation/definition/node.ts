import type { AutomationNode } from '../../contract/automation-node.ts'

/** Fields that hold the first step of a chain inside a step. */
export const branchFields = ['onSuccessAction', 'onFailureAction', 'firstLoopAction'] as const
/** Fields that hold another step, in the order they are read. */
export const childFields = [...branchFields, 'nextAction'] as const
export type ChildField = (typeof childFields)[number]

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field of an object by its own name: nothing is inherited. */
export const own = (object: unknown, field: string): unknown => (isObject(object) && Object.hasOwn(object, field) ? object[field] : undefined)

export const settingsOf = (node: AutomationNode): Json => (isObject(node.settings) ? node.settings : {})

/** What of a node is resolved before it runs: the input of a piece or code, the conditions of a branch, the list of a loop. */
export function inputOf(node: AutomationNode): Json {
  const settings = settingsOf(node)
  if (node.type === 'BRANCH') return { conditions: own(settings, 'conditions') ?? [] }
  if (node.type === 'LOOP_ON_ITEMS') return { items: own(settings, 'items') }
  const input = own(settings, 'input')
  return isObject(input) ? input : {}
}

/** What happens when the step fails (CODE and PIECE only). */
export function errorHandlingOf(node: AutomationNode): { readonly continueOnFailure: boolean; readonly retryOnFailure: boolean } {
  const options = node.type === 'CODE' || node.type === 'PIECE' ? own(settingsOf(node), 'errorHandlingOptions') : undefined
  const isOn = (name: string): boolean => own(own(options, name), 'value') === true
  return { continueOnFailure: isOn('continueOnFailure'), retryOnFailure: isOn('retryOnFailure') }
}

/** Whether a run steps over it. */
export const isSkipped = (node: AutomationNode): boolean => node.skip === true
