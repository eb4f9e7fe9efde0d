import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { getOwn, isSkipped, nodeSettings } from '../definition/node.ts'
import { normalize } from '../definition/normalize.ts'
import { type ValidationResult, validateDefinition } from '../definition/validate-definition.ts'
import type { Sandbox } from '../expressions/sandbox.ts'
import { findSkippedSteps } from './execution-order.ts'
import { lintExpressions } from './lint-expressions.ts'
import { type Finding, lintSkippedStep, lintStep, type StepFinding } from './lint-steps.ts'

/**
 * Returns errors and warnings about a definition, errors first, then in the order of its steps. Needs no platform. The
 * syntax of code and expressions is checked only with a sandbox.
 */
export async function lintDefinition(flow: unknown, sandbox: Sandbox | undefined): Promise<Finding[]> {
  const validated = await validateDefinition(flow, sandbox, { allowUnknownPieces: true })
  const trigger = validated.ok ? validated.definition : normalize(flow).trigger
  const pieces = new Map(
    trigger
      ? [...walkSteps(trigger)].map(({ node }) => [String(node.name), getOwn(nodeSettings(node), 'pieceName')] as const)
      : [],
  )
  const pieceOf = (step: string | null): string | null => {
    const piece = step === null ? undefined : pieces.get(step)
    return typeof piece === 'string' ? piece : null
  }
  return (await collectFindings(validated, trigger, sandbox)).map((it) => ({ ...it, piece: pieceOf(it.step) }))
}

async function collectFindings(
  validated: ValidationResult,
  trigger: AutomationNode | null,
  sandbox: Sandbox | undefined,
): Promise<StepFinding[]> {
  const unknown = validated.unknown.map(
    ({ step, path, message }): StepFinding => ({ level: 'error', rule: 'unknown-piece', step, path, message }),
  )
  const problems = validated.ok
    ? []
    : validated.problems.map(
        ({ step, path, message }): StepFinding => ({ level: 'error', rule: 'invalid', step, path, message }),
      )
  const errors = [...problems, ...unknown]
  const remarks = validated.remarks.map(
    ({ step, path, message }): StepFinding => ({ level: 'warning', rule: 'read-otherwise', step, path, message }),
  )
  // A definition whose branches and loops are nested too deeply cannot be analyzed further. Its problem is recognized by its text
  // (validate-definition.ts).
  if (!trigger || errors.some((it) => it.message.startsWith('Branches and loops'))) return [...errors, ...remarks]
  const skipped = findSkippedSteps(trigger)
  const warnings = [...walkSteps(trigger)]
    .filter(({ node, inside }) => hasValidSettings(node) && !(inside && skipped.has(String(inside.node.name))))
    .flatMap(({ node }) =>
      isSkipped(node) ? lintSkippedStep(node) : skipped.has(String(node.name)) ? [] : lintStep(node, trigger),
    )
  return [...errors, ...remarks, ...warnings, ...(await lintExpressions(trigger, sandbox))]
}

const hasValidSettings = (node: AutomationNode): boolean =>
  node.settings === undefined || node.settings === null || isObject(node.settings)
