import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export const root = join(import.meta.dirname, '../..')

/** Node of the syntax tree, with the fields that the rules about the code need. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** Parsed source file of the project. */
export interface Source {
  /** Path from the root, with slashes. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly program: Node
}

export interface Import {
  /** Imported module, from the root for files of the project: `src/contract/resources/keys.ts`. */
  readonly target: string
  /** `type` imports are removed from the program; `lazy` ones are loaded when they are reached. */
  readonly kind: 'type' | 'static' | 'lazy'
}

/** Returns the paths of all files under the folders, from the root, without generated files. */
export function filesIn(...folders: readonly string[]): string[] {
  const all = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  return all
    .filter((it) => it.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

/** Returns the text of a file of the project. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Parsed files, which the rules of one worker share: parsing all sources takes a second and 66 MB. */
const parsed = new Map<string, WeakRef<Source>>()

/** Returns the TypeScript files under these folders. */
export function sourcesIn(...folders: readonly string[]): Source[] {
  return filesIn(...folders)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => {
      const known = parsed.get(path)?.deref()
      if (known) return known
      const source = toSource(path, read(path))
      parsed.set(path, new WeakRef(source))
      return source
    })
}

/** Parses the text of a source file. */
export function toSource(path: string, text: string): Source {
  const lang = path.endsWith('.tsx') ? 'tsx' : 'ts'
  return { path, text, lines: text.split('\n').length - 1, program: parseAst(text, { lang }) as unknown as Node }
}

/** Returns whether a value is a node of the syntax tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** Visits every node below, parents first. Children of a node are skipped if `visit` returns false. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => boolean | void, parent?: Node): void {
  if (visit(node, parent) === false) return
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, node)
  }
}

/** Returns whether an identifier is a variable and not the name of a property. */
export function isVariable(node: Node, parent: Node | undefined): boolean {
  if (node.type !== 'Identifier') return false
  if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed === true
  if (parent?.type === 'Property') return parent.value === node
  return !/^(TS|MethodDefinition|PropertyDefinition|Import|Export)/.test(parent?.type ?? '')
}

/** Returns the path and line of a node, for messages. */
export function place(source: Source, node: Node): string {
  return `${source.path}:${source.text.slice(0, node.start).split('\n').length}`
}

const imports = new WeakMap<Source, readonly Import[]>()

/** Returns all imports of a source file. */
export function importsOf(source: Source): readonly Import[] {
  const known = imports.get(source)
  if (known) return known
  const found: Import[] = []
  imports.set(source, found)
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

/** Returns the circles: sets of files that reach each other by imports of any kind, the largest first. */
export function findCircles(edges: readonly { readonly from: string; readonly to: string }[]): string[][] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  const [index, low, circles] = [new Map<string, number>(), new Map<string, number>(), [] as string[][]]
  const open: string[] = []
  const isOpen = new Set<string>()
  function visit(path: string): void {
    index.set(path, index.size)
    low.set(path, index.get(path) as number)
    open.push(path)
    isOpen.add(path)
    for (const target of targets.get(path) ?? []) {
      if (!index.has(target)) visit(target)
      if (isOpen.has(target)) low.set(path, Math.min(low.get(path) as number, low.get(target) as number))
    }
    if (low.get(path) !== index.get(path)) return
    const circle = open.splice(open.indexOf(path))
    for (const member of circle) isOpen.delete(member)
    if (circle.length > 1) circles.push(circle)
  }
  for (const path of targets.keys()) if (!index.has(path)) visit(path)
  return circles.sort((a, b) => b.length - a.length)
}
