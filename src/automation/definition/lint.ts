import type { AutomationNode } from '../../contract/automation-node.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { examine } from './examine.ts'
import { expressionFindings } from './lint-expressions.ts'
import { stepFindings } from './lint-steps.ts'
import { isObject } from './node.ts'
import { normalize } from './normalize.ts'
import { walk } from './walk.ts'

export interface Finding {
  /** An error is refused by the platform; a warning may be what is wanted. */
  readonly level: 'error' | 'warning'
  /** Name of the rule, such as `unknown-step`. */
  readonly rule: string
  /** Name of the step, null for the definition as a whole. */
  readonly step: string | null
  readonly path: string
  readonly message: string
}

/** What is wrong with a definition and what may not do what was meant, in the order of its steps, errors first. Needs no platform. */
export async function lint(flow: unknown, sandbox: Sandbox): Promise<Finding[]> {
  const examined = await examine(flow, sandbox)
  const errors = examined.ok ? [] : examined.problems.map((it): Finding => ({ level: 'error', rule: 'invalid', ...it }))
  const remarks = examined.remarks.map((it): Finding => ({ level: 'warning', rule: 'read-otherwise', ...it }))
  const trigger = examined.ok ? examined.definition : normalize(flow).trigger
  // Of what is nested too deeply, or has too many steps, nothing more can be said.
  if (!trigger || errors.some((it) => /nested|at most/i.test(it.message))) return [...errors, ...remarks]
  const warnings = [...walk(trigger)].filter(({ node }) => isSound(node)).flatMap(({ node }) => stepFindings(node, trigger))
  return [...errors, ...remarks, ...warnings, ...(await expressionFindings(trigger, sandbox))]
}

const isSound = (node: AutomationNode): boolean => node.settings === undefined || node.settings === null || isObject(node.settings)
