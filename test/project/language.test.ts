import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../src/contract/errors/exit-codes.ts'
import { failures } from '../../src/contract/errors/failures.ts'
import { filesIn, type Node, place, read, type Source, sourcesIn, toSource, walk } from '../support/sources.ts'
import { isRetiredName, retiredWordsIn } from './retired-words.ts'

// Texts, titles of tests and names are plain: the words of retired-words.ts are in none of them.

const fix = 'Retired words. Use the terms of docs/glossary.md; the list is test/project/retired-words.ts'

const sources = sourcesIn('src').filter((it) => !it.path.startsWith('src/generated/'))

/** Texts that the specification fixes word for word. */
const fixed: ReadonlySet<string> = new Set(
  Object.values(failures as Readonly<Record<string, FailureKind>>).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  ),
)

/** Whether the text is a list of words without sentences, such as the words that a search ignores. */
const isWordList = (text: string): boolean => /^[a-z\d\s]+$/i.test(text) && text.split(/\s+/).length > 20

/** Removes code from a document: it quotes names and values. */
const withoutCode = (text: string): string => text.replace(/^( *)```.*?^\1```$/gms, '').replace(/`[^`\n]*`/g, '')

/** Removes the code that a comment quotes. */
const withoutQuotes = (text: string): string => text.replace(/`[^`]*`|"[^"\n]*"|'[^'\n]{1,40}'(?!\w)/g, '')

/** Texts in a source that may reach a user: those with a space between words. */
function textsOf({ program }: Source): { readonly node: Node; readonly text: string }[] {
  const found: { node: Node; text: string }[] = []
  walk(program, (node, parent) => {
    if (node.type === 'ImportDeclaration' || node.type === 'TSImportType' || node.type === 'TSLiteralType') return false
    if (node.type === 'Literal' && typeof node.value === 'string' && parent?.type !== 'ImportExpression')
      found.push({ node, text: node.value })
    if (node.type === 'TemplateElement')
      found.push({ node, text: (node.value as { cooked: string | null }).cooked ?? '' })
    return undefined
  })
  return found.filter(({ text }) => /[a-z] |\s[a-z]/i.test(text) && !fixed.has(text) && !isWordList(text))
}

describe('no text for users has a retired word', () => {
  test('in the sources', () => {
    const found = sources.flatMap((source) =>
      textsOf(source).flatMap(({ node, text }) => retiredWordsIn(text).map((it) => `${place(source, node)}: ${it}`)),
    )
    expect(found, fix).toEqual([])
  })

  test.each([
    'README.md',
    'CONTRIBUTING.md',
    'AGENTS.md',
    'SECURITY.md',
    ...filesIn('docs').filter((it) => it.endsWith('.md')),
  ])('in %s', (path) => {
    expect(retiredWordsIn(withoutCode(read(path))), fix).toEqual([])
  })

  test('in the help pages', () => {
    expect(retiredWordsIn(read('docs/cli-reference.md')), fix).toEqual([])
  })

  test('in the changes that are not released yet', () => {
    const found = filesIn('changes').flatMap((path) =>
      retiredWordsIn(withoutCode(read(path))).map((word) => `${path}: ${word}`),
    )
    expect(found, fix).toEqual([])
  })
})

test('no text for users names a file of the repository that the package does not have', () => {
  const names = [
    ...filesIn('docs', 'deploy', 'spec', 'scripts', 'test', 'changes', 'man'),
    ...['AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'compose.yaml'],
  ]
  const missingIn = (text: string): readonly string[] =>
    /[/.]/.test(text) ? names.filter((it) => text.includes(it)) : []
  // Pages that are generated are not in the package either, but the skill is.
  const shown = sources.filter((it) => !it.path.startsWith('src/generate/') || it.path === 'src/generate/skill.ts')
  const found = shown.flatMap((source) =>
    textsOf(source).flatMap(({ node, text }) => missingIn(text).map((it) => `${place(source, node)}: ${it}`)),
  )
  expect(found, 'Name a command or "parley help <topic>" instead.').toEqual([])
})

test('no title of a test has a retired word', () => {
  const found = sourcesIn('test').flatMap((source) => {
    const titles: string[] = []
    walk(source.program, (node) => {
      const [title, ...rest] = node.type === 'CallExpression' ? (node.arguments as Node[]) : []
      if (title && rest.length > 0 && isTestCall(node.callee as Node))
        titles.push(
          ...literalTexts(title).flatMap((text) => retiredWordsIn(text).map((it) => `${place(source, title)}: ${it}`)),
        )
      return undefined
    })
    return titles
  })
  expect(found).toEqual([])
})

/** Returns whether a call declares tests: `test`, `test.each(...)`, `describe.skipIf(...)`. */
function isTestCall(node: Node): boolean {
  if (node.type === 'Identifier') return /^(test|it|describe)$/.test(String(node.name))
  const inner = { MemberExpression: node.object, CallExpression: node.callee, TaggedTemplateExpression: node.tag }[
    node.type as string
  ]
  return inner !== undefined && isTestCall(inner as Node)
}

const literalTexts = (node: Node): string[] =>
  node.type === 'Literal'
    ? [String(node.value)]
    : node.type === 'TemplateLiteral'
      ? (node.quasis as { value: { cooked: string } }[]).map((it) => it.value.cooked)
      : []

describe('no comment of the sources, scripts and tests', () => {
  const files = [
    ...[...sources, ...sourcesIn('test')]
      .filter((it) => it.path !== 'test/project/retired-words.ts')
      .map((it) => [it.path, it.text] as const),
    ...filesIn('scripts')
      .filter((it) => it.endsWith('.mjs'))
      .map((path) => [path, read(path)] as const),
  ]
  /** Returns what `find` finds in the comments, with its place. */
  const foundIn = (find: (comment: string) => readonly string[]): readonly string[] =>
    files.flatMap(([path, text]) =>
      [...text.matchAll(/\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].flatMap(({ 0: comment, index }) =>
        find(comment).map((it) => `${path}:${text.slice(0, index).split('\n').length}: ${it}`),
      ),
    )

  test('has a retired word', () => {
    expect(
      foundIn((comment) => retiredWordsIn(withoutQuotes(comment), { isComment: true })),
      fix,
    ).toEqual([])
  })

  test('names a source that does not exist', () => {
    const paths = [...filesIn('src', 'test', 'scripts', 'bin'), '/vitest.config.ts']
    const names = new Set(paths.map((it) => it.slice(it.lastIndexOf('/') + 1)))
    const missing = (comment: string): readonly string[] =>
      (withoutQuotes(comment).match(/(?<![*.\w-])[\w-]+(?:\.[\w-]+)*\.(?:tsx?|mjs)\b/g) ?? []).filter(
        (it) => !names.has(it),
      )
    expect(foundIn(missing)).toEqual([])
  })
})

describe('no name has a retired word', () => {
  test('of a file or folder', () => {
    expect(
      filesIn('src', 'test', 'scripts', 'docs').filter(
        (it) => !/^test\/(golden|fixtures|wire)\//.test(it) && it.split(/[/.]/).some(isRetiredName),
      ),
      fix,
    ).toEqual([])
  })

  test('that the sources and tests declare', () => {
    const found = [...sources, ...sourcesIn('test')].flatMap((source) => {
      const own: string[] = []
      const note = (node: unknown): void => {
        const named = node as Node | undefined
        if (named?.type === 'Identifier' && isRetiredName(String(named.name)))
          own.push(`${place(source, named)}: ${named.name}`)
      }
      walk(source.program, (node) => {
        if (
          /^(VariableDeclarator|FunctionDeclaration|ClassDeclaration|TSInterfaceDeclaration|TSTypeAliasDeclaration)$/.test(
            node.type,
          )
        )
          note(node.id)
        if (/^(TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition)$/.test(node.type))
          note(node.key)
        if (node.type === 'Property' && node.shorthand) note(node.value)
        if (/Function/.test(node.type)) for (const param of (node.params as Node[] | undefined) ?? []) note(param)
      })
      return own
    })
    expect(found, fix).toEqual([])
  })
})

describe('`it` is a name only as the parameter of an arrow function on one line', () => {
  test('in the sources and tests', () => {
    const pages = filesIn('src').filter((path) => path.endsWith('.tsx'))
    const all = [...sources, ...sourcesIn('test'), ...pages.map((path) => toSource(path, read(path)))]
    expect(all.flatMap(valuesCalledIt), 'Say what the value is').toEqual([])
  })

  test.each([
    ['one line', 'list.map((it) => it.id)', []],
    ['a line within others', 'list.map((item) =>\n  item.map((it: Item) => it.id))', []],
    ['an import of vitest', "import { it } from 'vitest'", []],
    ['a property', 'const value = { it: 1 }.it', []],
    ['two lines', 'list.map((it) =>\n  it.id)', ['x.ts:1']],
    ['a variable', 'const it = 1', ['x.ts:1']],
    ['a part of a value', 'const { it } = value\nconst { of: it, ...rest } = value\nconst [one, it] = list', [1, 2, 3]],
    ['the rest of a value', 'const { id, ...it } = value', ['x.ts:1']],
    ['a part of a parameter', 'list.map(([id, it]) => [it, id])', ['x.ts:1']],
    ['a loop', 'for (const it of list) use(it)\nfor (const [it] of list) use(it)', [1, 2]],
    ['a function', 'function it() {}\nfunction two(it = 1) {}\nclass A { m(it) {} }', [1, 2, 3]],
    ['a type', 'type F = (it: X) => Y\ninterface I { m(it: X): Y }', [1, 2]],
    ['a field', 'class A {\n  it = 1\n  constructor(private it: X) {} }', [2, 3]],
    ['what is caught', 'try {} catch (it) {}', ['x.ts:1']],
  ])('%s', (_, text, places) => {
    const expected = places.map((line) => (typeof line === 'number' ? `x.ts:${line}` : line))
    expect(valuesCalledIt(toSource('x.ts', text))).toEqual(expected)
  })
})

/** Returns the places of the values that bear the name `it` against the rule. */
function valuesCalledIt(source: Source): string[] {
  if (!/\bit\b/.test(source.text)) return []
  const found: string[] = []
  const note = (pattern: unknown): void => {
    const node = pattern as Node | null | undefined
    if (node?.type === 'Identifier' && node.name === 'it') found.push(place(source, node))
    const inner = {
      ArrayPattern: node?.elements,
      ObjectPattern: node?.properties,
      AssignmentPattern: node?.left,
      RestElement: node?.argument,
      Property: node?.value,
      TSParameterProperty: node?.parameter,
    }[node?.type as string]
    for (const part of Array.isArray(inner) ? inner : [inner]) if (part) note(part)
  }
  walk(source.program, (node) => {
    const isLambda = node.type === 'ArrowFunctionExpression' && !source.text.slice(node.start, node.end).includes('\n')
    for (const param of Array.isArray(node.params) ? (node.params as Node[]) : [])
      if (!isLambda || param.type !== 'Identifier') note(param)
    if (/^(VariableDeclarator|FunctionDeclaration|FunctionExpression|ClassDeclaration)$/.test(node.type)) note(node.id)
    if (node.type === 'PropertyDefinition' && node.computed !== true) note(node.key)
    if (node.type === 'CatchClause') note(node.param)
  })
  return found
}
