import { isNode, type Node, toSource } from '../support/sources.ts'

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
/** What a case of a table puts into a title: `%s`, `$name`, `$a.b`. */
const slot = /%[sdifjoO#%]|\$\w+(?:\.\w+)*/g

/** A title as a pattern: what is filled in later may be anything. */
function patternOf(node: Node): string {
  const pattern = (text: string): string => text.split(slot).map(escaped).join('.+?')
  if (node.type === 'Literal') return pattern(String(node.value))
  if (node.type !== 'TemplateLiteral') return '.+?'
  return (node.quasis as { value: { cooked: string } }[]).map((it) => pattern(it.value.cooked)).join('.+?')
}

/** `test`, `test.each(...)`, `describe.skipIf(...)`: the word it begins with. */
function headOf(node: unknown): unknown {
  if (!isNode(node)) return undefined
  if (node.type === 'Identifier') return node.name
  return headOf(
    node.type === 'MemberExpression' ? node.object : node.type === 'CallExpression' ? node.callee : undefined,
  )
}

const isFunction = (node: unknown): node is Node => isNode(node) && /^(Arrow)?Function/.test(node.type)

/** The whole name of every test of a file, as patterns, a segment each for its describes and itself. */
export function titlesIn(text: string): readonly (readonly string[])[] {
  const found: string[][] = []
  const visit = (node: Node, above: readonly string[]): void => {
    let path = above
    if (node.type === 'CallExpression') {
      const [title, ...rest] = node.arguments as Node[]
      const head = headOf(node.callee)
      if (title && rest.some(isFunction) && (head === 'test' || head === 'describe')) {
        path = [...above, patternOf(title)]
        if (head === 'test') found.push([...path])
      }
    }
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, path)
  }
  visit(toSource('titles.ts', text).program, [])
  return found
}

/** Whether one of the tests may have a name that ends with this. */
export const mayEndWith = (titles: readonly (readonly string[])[], name: string): boolean =>
  titles.some((segments) => segments.some((_, at) => new RegExp(`^${segments.slice(at).join(' > ')}$`, 's').test(name)))
