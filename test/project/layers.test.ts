import { expect, test } from 'vitest'
import { isAllowed, mayImport, partOf } from '../support/rooms.ts'
import { importsOf, isNode, place, sourcesIn, walk } from '../support/sources.ts'

/** Imports between rooms that are against the above and known, with their number, which may only shrink. */
const known: Readonly<Record<string, number>> = {
  'cli/program -> cli/nouns': 24,
  'cli/program -> cli/features': 17,
  'cli/program -> cli/reference': 8,
  'cli/program -> cli/tree.ts': 4,
  'cli/nouns -> cli/features': 30,
}

const sources = sourcesIn('src')
const crossing = sources.flatMap((source) => {
  const part = partOf(source.path)
  const own = importsOf(source).filter((it) => it.target.startsWith('src/') && partOf(it.target) !== part)
  return own
    .filter((it) => !isAllowed(part, it))
    .map((it) => ({
      part,
      pair: `${part} -> ${partOf(it.target)}`,
      text: `${source.path} -> ${it.target} (${it.kind})`,
    }))
})

test.each(Object.keys(mayImport))('%s imports only what it may', (part) => {
  const wrong = crossing.filter((it) => it.part === part)
  const isMore = (pair: string): boolean => wrong.filter((it) => it.pair === pair).length > (known[pair] ?? 0)
  expect(
    wrong.filter((it) => isMore(it.pair)).map((it) => it.text),
    `Imports against the rooms of docs/architecture.md. src/${part} may import: ${mayImport[part]?.join(', ') || 'nothing'}`,
  ).toEqual([])
})

test('numbers of known imports shrink with them', () => {
  const counts = Object.fromEntries(
    Object.keys(known).map((pair) => [pair, crossing.filter((it) => it.pair === pair).length]),
  )
  expect(counts).toEqual(known)
})

test('sources import nothing above src except the manifest', () => {
  const outside = sources.flatMap((source) => importsOf(source).map((it) => ({ from: source.path, ...it })))
  expect(
    outside.filter((it) => /^(\.\.|test|scripts|bin|dist)\b/.test(it.target) && it.target !== 'package.json'),
  ).toEqual([])
})

/** Where a query is built: `query.selectFrom(...)` and the like, or the `sql` of Kysely. */
const queries = sources.flatMap((source) => {
  const found: string[] = []
  if (importsOf(source).some((it) => it.target === 'kysely' && it.kind !== 'type')) found.push(source.path)
  walk(source.program, (node) => {
    if (node.type !== 'MemberExpression' || !isNode(node.property)) return
    const name = String(node.property.name)
    if (/^(selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|executeQuery)$/.test(name))
      found.push(place(source, node))
  })
  return found
})

test('only repositories query the database; local providers query the tables of what they simulate', () => {
  expect(queries.length).toBeGreaterThan(200)
  expect(
    queries.filter((it) => !/^src\/platform\/(store|providers)\//.test(it)),
    'Queries outside a repository. Move them to src/platform/store and call them from the service',
  ).toEqual([])
})
