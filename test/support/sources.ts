import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export const root = join(import.meta.dirname, '../..')

/** A node of the syntax tree, as far as rules about the code need to know one. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** One file of ours, parsed. */
export interface Source {
  /** From the root, with slashes. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly program: Node
}

export interface Import {
  /** What it names, from the root for our own files: `src/contract/resources/keys.ts`. */
  readonly target: string
  /** `type` leaves nothing in the program; `lazy` is loaded when it is reached. */
  readonly kind: 'type' | 'static' | 'lazy'
}

/** Paths of all files under the folders, from the root, without what tools generate. */
export function filesIn(...folders: readonly string[]): string[] {
  const all = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  return all
    .filter((it) => it.isFile())
    .map((it) =>
      join(it.parentPath, it.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The TypeScript files under these folders. */
export function sourcesIn(...folders: readonly string[]): Source[] {
  return filesIn(...folders)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => toSource(path, read(path)))
}

export function toSource(path: string, text: string): Source {
  return { path, text, lines: text.split('\n').length - 1, program: parseAst(text, { lang: 'ts' }) as unknown as Node }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** Visits every node below, parents first; children of a node are skipped when `visit` returns false. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => boolean | void, parent?: Node): void {
  if (visit(node, parent) === false) return
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, node)
  }
}

/** Whether an identifier stands for a variable here, rather than for the name of a property. */
export function isVariable(node: Node, parent: Node | undefined): boolean {
  if (node.type !== 'Identifier') return false
  if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed === true
  if (parent?.type === 'Property') return parent.value === node
  return !/^(TS|MethodDefinition|PropertyDefinition|Import|Export)/.test(parent?.type ?? '')
}

/** The line a node starts on, for messages. */
export function place(source: Source, node: Node): string {
  return `${source.path}:${source.text.slice(0, node.start).split('\n').length}`
}

export function importsOf(source: Source): Import[] {
  const found: Import[] = []
  const add = (from: unknown, kind: Import['kind']): void => {
    const name = isNode(from) && from.type === 'Literal' ? String(from.value) : undefined
    if (name !== undefined)
      found.push({ target: name.startsWith('.') ? posix.join(posix.dirname(source.path), name) : name, kind })
  }
  walk(source.program, (node) => {
    if (node.type === 'ImportDeclaration') add(node.source, node.importKind === 'type' ? 'type' : 'static')
    else if (node.type.startsWith('Export') && node.source)
      add(node.source, node.exportKind === 'type' ? 'type' : 'static')
    else if (node.type === 'ImportExpression') add(node.source, 'lazy')
    else if (node.type === 'TSImportType') add(node.source ?? node.argument, 'type')
  })
  return found
}
