import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { nodeInput } from '../definition/node.ts'
import { parsePath } from '../expressions/expression-path.ts'
import { replaceQuoted } from '../expressions/quoted-text.ts'
import type { Sandbox } from '../expressions/sandbox.ts'
import { findTokens } from '../expressions/tokens.ts'
import { formatPath as written } from '../pieces/parse-input.ts'
import { findPrecedingSteps, findSkippedSteps, type PrecedingSteps } from './execution-order.ts'
import type { StepFinding } from './lint-steps.ts'

interface TokenSite {
  readonly step: string
  readonly path: string
  readonly token: string
}

interface RunOrder {
  readonly before: ReadonlyMap<string, PrecedingSteps>
  /** Steps that never run. */
  readonly skipped: ReadonlySet<string>
}

/** Path prefix of the resolved value within a step, by step type (default: `settings.input`). */
const inputPrefixes: Readonly<Record<string, string>> = { BRANCH: 'settings', LOOP_ON_ITEMS: 'settings' }

function inputPath(node: AutomationNode, path: readonly PropertyKey[]): string {
  const at = written(path)
  const prefix = inputPrefixes[String(node.type)] ?? 'settings.input'
  return at.startsWith('[') ? `${prefix}${at}` : `${prefix}.${at}`
}

/**
 * Returns problems in expressions: unknown steps, steps that have not run yet, and syntax errors. meaning-changes.ts reads the name
 * of the step from the messages of `inside-loop` and `not-yet-run`, and local-check.ts selects `unknown-step`.
 */
export async function lintExpressions(trigger: AutomationNode, sandbox: Sandbox | undefined): Promise<StepFinding[]> {
  const order: RunOrder = { before: findPrecedingSteps(trigger), skipped: findSkippedSteps(trigger) }
  const findings: StepFinding[] = []
  const complexTokens: TokenSite[] = []
  for (const { node } of walkSteps(trigger)) {
    const step = String(node.name)
    if (order.skipped.has(step)) continue
    for (const { token, path } of findTokens(nodeInput(node))) {
      const site = { step, path: inputPath(node, path), token }
      const simple = parsePath(token)
      const roots = simple ? [simple.root] : referencedSteps(token, order.before)
      if (!simple) complexTokens.push(site)
      for (const root of roots) findings.push(...lintReference(root, site, order))
    }
  }
  if (!sandbox) return findings
  const problems = await sandbox.check(complexTokens.map(({ token }) => ({ kind: 'expression', source: token })))
  for (const [at, problem] of problems.entries()) {
    const site = complexTokens[at] as TokenSite
    if (problem !== null)
      findings.push(
        warning('expression-syntax', site, `{{${site.token}}} cannot be read and is always empty: ${problem}.`),
      )
  }
  return findings
}

const warning = (rule: string, { step, path }: TokenSite, message: string): StepFinding => ({
  level: 'warning',
  rule,
  step,
  path,
  message,
})

/** Returns the names in an expression that refer to steps, as far as can be determined without running it. */
function referencedSteps(token: string, before: ReadonlyMap<string, PrecedingSteps>): string[] {
  const code = replaceQuoted(token, 'expression', () => "''")
  const names = code.matchAll(/(?<![.\w$])([A-Za-z_$][\w$]*)/g)
  return [...new Set([...names].map(([, name = '']) => name))].filter((it) => before.has(it) || /^step_\d+$/.test(it))
}

function lintReference(root: string, site: TokenSite, { before, skipped }: RunOrder): StepFinding[] {
  const { step, token } = site
  const at = before.get(step)
  if (!at || root === 'connections' || at.always.has(root)) return []
  if (!before.has(root))
    return [warning('unknown-step', site, `{{${token}}} is always empty: there is no step named ${root}.`)]
  if (root === step)
    return [warning('own-output', site, `{{${token}}} is always empty: a step cannot use its own output.`)]
  const loop = at.ended.get(root)
  if (loop !== undefined)
    return [
      warning(
        'inside-loop',
        site,
        `{{${token}}} is always empty: ${root} is in the loop ${loop}, and its output is visible only there. Use ${loop}.iterations.`,
      ),
    ]
  if (at.sometimes.has(root))
    return [warning('maybe-not-run', site, `{{${token}}} may be empty: ${root} is in a branch that may not run.`)]
  if (skipped.has(root)) return [warning('skipped-step', site, `{{${token}}} is always empty: ${root} is skipped.`)]
  return [warning('not-yet-run', site, `{{${token}}} is always empty: ${root} runs after this step.`)]
}
