import { describe, expect, test } from 'vitest'
import { type FailureKind, failures } from '../../src/contract/errors/failures.ts'
import { filesIn, type Node, place, read, type Source, sourcesIn, walk } from '../support/sources.ts'
import { retiredInNames, retiredInText } from './retired-words.ts'

const generated = /^src\/(generated\/|cli\/help-pages\.ts|cli\/completions\.ts|contract\/routes\.ts)/
const sources = sourcesIn('src').filter((it) => !generated.test(it.path))

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const retired = new RegExp(`(?<![\\w-])(?:${retiredInText.map(escaped).join('|')})(?![\\w-])`, 'gi')

/** Texts that the specification fixes word for word. */
const fixed: ReadonlySet<string> = new Set(
  Object.values(failures as Readonly<Record<string, FailureKind>>).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  ),
)

/** Code in a document, which quotes names and values. */
const withoutCode = (text: string): string => text.replace(/^( *)```.*?^\1```$/gms, '').replace(/`[^`\n]*`/g, '')

const hits = (text: string): string[] => [...new Set(text.match(retired)?.map((it) => it.toLowerCase()))]

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
  return found.filter(({ text }) => /[a-z] |\s[a-z]/i.test(text) && !fixed.has(text))
}

describe.runIf(process.env.PARLEY_LANGUAGE)('no text for users has a retired word', () => {
  test('in the sources', () => {
    const found = sources.flatMap((source) =>
      textsOf(source).flatMap(({ node, text }) =>
        hits(text).map((word) => `${place(source, node)}: "${word}" in ${JSON.stringify(text.slice(0, 100))}`),
      ),
    )
    expect(found).toEqual([])
  })

  test.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs').filter((it) => it.endsWith('.md'))])(
    'in %s',
    (path) => {
      const lines = withoutCode(read(path)).split('\n')
      expect(
        lines.flatMap((line, n) => hits(line).map((word) => `${n + 1}: "${word}" in ${line.slice(0, 100)}`)),
      ).toEqual([])
    },
  )

  test('in the changes that are not released yet', () => {
    const [, unreleased = ''] = /## \[Unreleased\]\n(.*?)(?=\n## )/s.exec(read('CHANGELOG.md')) ?? []
    expect(
      withoutCode(unreleased)
        .split('\n')
        .flatMap((line) => hits(line).map((word) => `"${word}" in ${line.slice(0, 100)}`)),
    ).toEqual([])
  })
})

describe.runIf(process.env.PARLEY_LANGUAGE)('no name has a retired word', () => {
  const wordsIn = (name: string): string[] => name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((it) => it.toLowerCase())
  const isRetired = (name: string): boolean => wordsIn(name).some((it) => retiredInNames.has(it))

  test('of a file or folder', () => {
    expect(
      filesIn('src', 'test', 'scripts').filter((it) => !/^test\/(golden|fixtures|wire)\//.test(it) && isRetired(it)),
    ).toEqual([])
  })

  test('that the sources declare', () => {
    const found = sources.flatMap((source) => {
      const own: string[] = []
      const note = (node: unknown): void => {
        const it = node as Node | undefined
        if (it?.type === 'Identifier' && isRetired(String(it.name))) own.push(`${place(source, it)}: ${it.name}`)
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
        if (/Function/.test(node.type)) for (const it of (node.params as Node[] | undefined) ?? []) note(it)
      })
      return own
    })
    expect(found).toEqual([])
  })
})
