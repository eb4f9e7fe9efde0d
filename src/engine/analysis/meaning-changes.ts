import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { branchFields, childOf, type StepVisit, walkSteps } from '../../contract/automations/walk-steps.ts'
import { getOwn, mayRun, nodeErrorHandling, nodeInput, nodeSettings } from '../definition/node.ts'
import { parsePath } from '../expressions/expression-path.ts'
import { findTokens, splitTokens } from '../expressions/tokens.ts'
import { findSkippedSteps } from './execution-order.ts'
import { lintExpressions } from './lint-expressions.ts'

/**
 * Returns what a definition that was published for the first generation of the engine does differently now, as
 * sentences. `parley doctor` shows them, so that a person publishes the definition again or changes it.
 */
export async function listMeaningChanges(trigger: AutomationNode): Promise<string[]> {
  const skipped = findSkippedSteps(trigger)
  const visits = [...walkSteps(trigger)].filter(({ node }) => !skipped.has(String(node.name)))
  const nodes = new Map(visits.map((it) => [String(it.node.name), it]))
  const found = visits.flatMap(({ node }) => [
    ...branchChanges(node),
    ...retryChanges(node),
    ...expressionChanges(node, nodes),
    ...codeChanges(node),
  ])
  for (const { rule, step, message } of await lintExpressions(trigger, undefined)) {
    // The name of the step that the expression reads, in the words of lint-expressions.ts.
    const root = /: (\S+) (?:is in the loop|runs after)/.exec(message)?.[1]
    const wasVisible = rule === 'inside-loop' || (rule === 'not-yet-run' && isInSameLoop(nodes, step, root))
    if (wasVisible) found.push(`${step}: ${message}`)
  }
  return found
}

const branchChanges = (node: AutomationNode): string[] =>
  branchFields.some((it) => it.startsWith('continueOnFailureBranches') && childOf(node, it) && mayRun(node, it))
    ? [`${node.name}: its steps for success and failure run.`]
    : []

const retryChanges = (node: AutomationNode): string[] =>
  nodeErrorHandling(node).retryOnFailure
    ? [`${node.name}: every failure is tried again, not only those that may pass.`]
    : []

function expressionChanges(node: AutomationNode, nodes: ReadonlyMap<string, StepVisit>): string[] {
  const found: string[] = []
  for (const text of textsIn(nodeInput(node))) {
    const before = [...text.matchAll(/\{\{(.*?)\}\}/g)].map((it) => (it[1] ?? '').trim())
    const now = splitTokens(text).flatMap((it) => ('token' in it ? [it.token] : []))
    const changed = now.find((it, at) => it !== before[at])
    if (changed !== undefined) found.push(`${node.name}: {{${changed}}} is read with the braces inside it.`)
  }
  for (const { token } of findTokens(nodeInput(node))) {
    const path = parsePath(token)
    const source = path?.keys[0] === 'error' ? nodes.get(path.root)?.node : undefined
    if (source && nodeErrorHandling(source).continueOnFailure)
      found.push(`${node.name}: {{${token}}} has the error of ${source.name}.`)
  }
  return found
}

function codeChanges(node: AutomationNode): string[] {
  const code = node.type === 'CODE' ? getOwn(getOwn(nodeSettings(node), 'sourceCode'), 'code') : undefined
  if (typeof code !== 'string') return []
  return [
    ...(/\.toLocale(?:Date|Time)?String\(\s*[^)\s]|\.localeCompare\(|\bIntl\b/.test(code)
      ? [`${node.name}: its code gets the language and time zone that it names.`]
      : []),
    ...(comparesMessages.test(code) ? [`${node.name}: errors have other messages.`] : []),
    ...(leavesPromise(code) ? [`${node.name}: a rejected promise that its code does not handle fails the step.`] : []),
  ]
}

/** Code that reads the message of an error to decide. */
const comparesMessages =
  /cannot (?:read|set) property|\.message\s*(?:={2,3}|!={1,2}|\??\.\s*(?:includes|match|startsWith|endsWith|indexOf|search|to(?:Lower|Upper)Case)\b)|\.(?:test|exec)\([^)\n]*\.message/

/** Returns whether code seems to start work without waiting for it: a promise that is neither awaited nor returned. */
function leavesPromise(code: string): boolean {
  const helpers = [...code.matchAll(/async function (\w+)|\b(?:const|let|var) (\w+) = async\b/g)].map(
    (it) => it[1] ?? it[2],
  )
  const started = ['Promise\\.reject', 'fetch', ...helpers.filter((it) => it !== 'code')].join('|')
  return new RegExp(`(?:^|[;{}])\\s*(?:void\\s+)?(?:${started})\\(`, 'm').test(code)
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) yield* textsIn(child)
}

/** Returns whether two steps are in the same loop: the later one was visible in the next iteration. */
function isInSameLoop(nodes: ReadonlyMap<string, StepVisit>, one: string | null, other: string | undefined): boolean {
  const loopsOf = (name: string | null | undefined): string[] => {
    const inside = nodes.get(String(name))?.inside
    if (!inside) return []
    const outer = String(inside.node.name)
    return [...(inside.field === 'firstLoopAction' ? [outer] : []), ...loopsOf(outer)]
  }
  const loops = loopsOf(one)
  return loopsOf(other).some((it) => loops.includes(it))
}
