import type { AutomationNode } from '../../contract/automation-node.ts'
import { pathOf } from '../expressions/path.ts'
import { tokensIn } from '../expressions/tokens.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { pathOf as written } from '../steps/read-input.ts'
import type { Remark } from './lint.ts'
import { inputOf } from './node.ts'
import { type Before, runBefore, skippedIn } from './order.ts'
import { walk } from './walk.ts'

interface Token {
  readonly step: string
  readonly path: string
  readonly token: string
}

interface Order {
  readonly before: ReadonlyMap<string, Before>
  /** Steps that never run. */
  readonly skipped: ReadonlySet<string>
}

/** Where in a step the value that is resolved stands. */
const prefixes: Readonly<Record<string, string>> = { BRANCH: 'settings', LOOP_ON_ITEMS: 'settings' }

function placeOf(node: AutomationNode, path: readonly PropertyKey[]): string {
  const at = written(path)
  const prefix = prefixes[String(node.type)] ?? 'settings.input'
  return at.startsWith('[') ? `${prefix}${at}` : `${prefix}.${at}`
}

/** Traps in expressions: steps that are not there or have not run, mistakes of syntax, braces that never close. */
export async function expressionFindings(trigger: AutomationNode, sandbox: Sandbox): Promise<Remark[]> {
  const order: Order = { before: runBefore(trigger), skipped: skippedIn(trigger) }
  const findings: Remark[] = []
  const others: Token[] = []
  for (const { node } of walk(trigger)) {
    const step = String(node.name)
    if (order.skipped.has(step)) continue
    for (const { token, path } of tokensIn(inputOf(node))) {
      const place = { step, path: placeOf(node, path), token }
      const simple = pathOf(token)
      const roots = simple ? [simple.root] : rootsOf(token, order.before)
      if (!simple) others.push(place)
      for (const root of roots) findings.push(...rootFinding(root, place, order))
    }
  }
  const problems = await sandbox.check(others.map(({ token }) => ({ kind: 'expression', source: token })))
  for (const [at, problem] of problems.entries()) {
    const it = others[at] as Token
    if (problem !== null) findings.push(warning('expression-syntax', it, `{{${it.token}}} cannot be read and is always empty: ${problem}.`))
  }
  return findings
}

const warning = (rule: string, { step, path }: Token, message: string): Remark => ({ level: 'warning', rule, step, path, message })

/** Names in an expression that stand for steps, as far as can be seen without running it. */
function rootsOf(token: string, before: ReadonlyMap<string, Before>): string[] {
  const code = token.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
  const names = code.matchAll(/(?<![.\w$])([A-Za-z_$][\w$]*)/g)
  return [...new Set([...names].map(([, name = '']) => name))].filter((it) => before.has(it) || /^step_\d+$/.test(it))
}

function rootFinding(root: string, place: Token, { before, skipped }: Order): Remark[] {
  const { step, token } = place
  const at = before.get(step)
  if (!at || root === 'connections' || at.surely.has(root)) return []
  if (!before.has(root)) return [warning('unknown-step', place, `{{${token}}}: there is no step ${root}, so this is always empty.`)]
  if (root === step) return [warning('own-output', place, `{{${token}}}: a step cannot see what it will give itself.`)]
  if (at.maybe.has(root)) return [warning('maybe-not-run', place, `{{${token}}}: ${root} is in a branch or loop that may not run; then this is empty.`)]
  if (skipped.has(root)) return [warning('skipped-step', place, `{{${token}}}: ${root} is stepped over, so this is always empty.`)]
  return [warning('not-yet-run', place, `{{${token}}}: ${root} has not run by then, so this is always empty.`)]
}
