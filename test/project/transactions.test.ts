import { expect, test } from 'vitest'
import { isNode, isVariable, type Node, place, type Source, sourcesIn, toSource, walk } from '../support/sources.ts'

/** The bodies given to `.write(scope, async (query) => ...)`. */
function transactionBodies(source: Source): Node[] {
  const bodies: Node[] = []
  walk(source.program, (node) => {
    const callee = node.callee
    if (
      node.type !== 'CallExpression' ||
      !isNode(callee) ||
      (callee.name ?? (isNode(callee.property) ? callee.property.name : undefined)) !== 'write'
    )
      return
    const [, body] = node.arguments as Node[]
    if (body && /Function/.test(body.type) && body.async === true) bodies.push(body)
  })
  return bodies
}

function mentions(node: Node, names: ReadonlySet<string>): boolean {
  let found = false
  walk(node, (child, parent) => {
    if (isVariable(child, parent) && names.has(String(child.name))) found = true
  })
  return found
}

/**
 * What a body awaits without handing the transaction over. A lexical rule: an awaited expression has to name the body's parameter,
 * or something built from it (`const order = orderBook(query)`).
 */
function foreignAwaits(source: Source): string[] {
  return transactionBodies(source).flatMap((body) => {
    const [parameter] = body.params as Node[]
    const own = new Set(parameter?.type === 'Identifier' ? [String(parameter.name)] : [])
    const found: string[] = []
    walk(body, (node) => {
      if (
        node.type === 'VariableDeclarator' &&
        isNode(node.init) &&
        node.init.type !== 'AwaitExpression' &&
        isNode(node.id) &&
        node.id.type === 'Identifier'
      ) {
        if (mentions(node.init, own)) own.add(String(node.id.name))
      }
      const awaited =
        node.type === 'AwaitExpression'
          ? node.argument
          : node.type === 'ForOfStatement' && node.await === true
            ? node.right
            : undefined
      if (isNode(awaited) && !mentions(awaited, own))
        found.push(`${place(source, node)} ${source.text.slice(awaited.start, awaited.end).split('\n')[0]}`)
    })
    return found
  })
}

const check = (text: string): string[] => foreignAwaits(toSource('example.ts', text))

test('a transaction awaits only the store, so that it never blocks the database for an outside call', () => {
  expect(
    sourcesIn('src').flatMap(foreignAwaits),
    'Awaits inside a transaction that do not use its query. Move them before or after connection.write',
  ).toEqual([])
})

test('the rule finds an outside call inside a transaction, and a write that bypasses it', () => {
  expect(check("connection.write('rows', async (query) => { await insert(query); await payments.charge(1) })")).toEqual(
    ['example.ts:1 payments.charge(1)'],
  )
  expect(
    check(
      "connection.write({ account: 1 }, async (query) => {\n const row = await find(query)\n await connection.read.selectFrom('tool').execute()\n})",
    ),
  ).toHaveLength(1)
  expect(check("connection.write('rows', async (query) => { for await (const it of pages()) use(it) })")).toHaveLength(
    1,
  )
})

test('the rule allows calls on the transaction', () => {
  expect(
    check(
      "connection.write('rows', async (query) => { const book = orders(query); await book.place(); await Promise.all([1].map((it) => add(query, it))) })",
    ),
  ).toEqual([])
})
