import { describe, expect, test } from 'vitest'
import { isAllowed, mayImport, partOf } from '../support/rooms.ts'
import { seams } from '../support/seams.ts'
import { findCircles, importsOf, isNode, place, sourcesIn, walk } from '../support/sources.ts'

const sources = sourcesIn('src')
const crossing = sources.flatMap((source) => {
  const part = partOf(source.path)
  const own = importsOf(source).filter((it) => it.target.startsWith('src/') && partOf(it.target) !== part)
  return own
    .filter((it) => !isAllowed(part, it))
    .map((it) => ({ part, text: `${source.path} -> ${it.target} (${it.kind})` }))
})

test.each(Object.keys(mayImport))('%s imports only what it may', (part) => {
  const wrong = crossing.filter((it) => it.part === part)
  expect(
    wrong.map((it) => it.text),
    `Imports against the rooms of docs/architecture.md. src/${part} may import: ${mayImport[part]?.join(', ') || 'nothing'}`,
  ).toEqual([])
})

test('no circle of imports has more than three files', () => {
  const edges = sources.flatMap((source) => importsOf(source).map((it) => ({ from: source.path, to: it.target })))
  expect(findCircles(edges).filter((it) => it.length > 3)).toEqual([])
})

describe('import()', () => {
  const lazy = sources
    .filter((it) => !it.path.startsWith('src/generated/') && importsOf(it).some(({ kind }) => kind === 'lazy'))
    .map((it) => it.path)
  const allowed = Object.values(seams).flat()

  test('is only where a part is loaded that most commands do without', () => {
    expect(
      lazy.filter((it) => !allowed.includes(it)),
      'Import it at the top of the file, or add the file with its reason to test/support/seams.ts',
    ).toEqual([])
  })

  test('a file without one leaves the list', () => {
    expect(allowed.filter((it) => !lazy.includes(it))).toEqual([])
  })
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
