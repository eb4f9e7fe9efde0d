import { isNode, type Node, type Source } from '../support/sources.ts'

/** A small change of the sources that some test should notice. */
export interface Mutant {
  readonly path: string
  readonly line: number
  /** The text that is replaced, and what replaces it. */
  readonly start: number
  readonly end: number
  readonly from: string
  readonly to: string
  /** The text is a statement, not an expression. */
  readonly isStatement: boolean
  /** It is evaluated when the module is loaded, which only the first test file of a worker does. */
  readonly isStatic: boolean
}

const opposites: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '&&': '||',
  '||': '&&',
}

/** Returns every mutant of a source: another operator, condition, boolean or number, and a call that is not made. */
export function mutantsOf({ path, text, program }: Source): Mutant[] {
  const found: Mutant[] = []
  const visit = (node: Node, parent: Node | undefined, isStatic: boolean): void => {
    if (
      /^(TS|Import|ExportAll)/.test(node.type) &&
      !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(node.type)
    )
      return
    const add = (to: string, isStatement = false): void => {
      const line = text.slice(0, node.start).split('\n').length
      found.push({
        path,
        line,
        start: node.start,
        end: node.end,
        from: text.slice(node.start, node.end),
        to,
        isStatement,
        isStatic,
      })
    }
    const operator = opposites[String(node.operator)]
    if ((node.type === 'BinaryExpression' || node.type === 'LogicalExpression') && operator !== undefined) {
      const [left, right] = [node.left as Node, node.right as Node]
      // Texts are joined, not added.
      const isText = ['+', '-'].includes(operator) && /['"`]/.test(text.slice(node.start, node.end))
      if (!isText) add(`(${text.slice(left.start, left.end)}) ${operator} (${text.slice(right.start, right.end)})`)
    }
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      const condition = node.test as Node
      const { start, end } = condition
      found.push({
        path,
        line: text.slice(0, start).split('\n').length,
        start,
        end,
        from: text.slice(start, end),
        to: `!(${text.slice(start, end)})`,
        isStatement: false,
        isStatic,
      })
    }
    const isKey = parent?.type === 'Property' && parent.key === node && parent.computed !== true
    if (node.type === 'Literal' && !isKey && parent?.type !== 'ExpressionStatement') {
      if (typeof node.value === 'boolean') add(String(!node.value))
      if (typeof node.value === 'number' && /^[\d_.]+$/.test(text.slice(node.start, node.end)))
        add(String(node.value + 1))
    }
    if (node.type === 'ExpressionStatement') {
      const inner = node.expression as Node
      const call = inner.type === 'AwaitExpression' ? (inner.argument as Node) : inner
      if (call.type === 'CallExpression' && (call.callee as Node).type !== 'Super') add('', true)
    }
    const isInside = isStatic && !/Function/.test(node.type)
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node, isInside)
  }
  visit(program, undefined, true)
  return found
}

/** Returns the text of a source in which each mutant is a switch: `globalThis.mutant(<number>)` turns it on. */
export function withSwitches(text: string, mutants: readonly (Mutant & { readonly number: number })[]): string {
  return [...mutants]
    .sort((a, b) => b.start - a.start)
    .reduce((changed, { start, end, from, to, isStatement, number }) => {
      const isOn = `globalThis.mutant?.(${number})`
      // In braces, so that an `else` after it still belongs to the `if` before it.
      const replaced = isStatement ? `{ if (!${isOn}) ${from} }` : `(${isOn} ? ${to} : ${from})`
      return changed.slice(0, start) + replaced + changed.slice(end)
    }, text)
}

/** Chooses `count` of the mutants, the same for the same seed, and none within another. */
export function choose(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  let state = seed >>> 0
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const chosen: Mutant[] = []
  for (let tries = 0; chosen.length < count && tries < count * 20; tries++) {
    const one = mutants[Math.floor(random() * mutants.length)] as Mutant
    if (!chosen.some((it) => it.path === one.path && it.start < one.end && one.start < it.end)) chosen.push(one)
  }
  return chosen
}
