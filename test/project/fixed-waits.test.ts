import { expect, test } from 'vitest'
import { isNode, type Node, place, type Source, sourcesIn, toSource } from '../support/sources.ts'

/** Files that wait for a fixed time with a reason, and how often. This list may only shrink. */
const exempt: Readonly<Record<string, { readonly times: number; readonly reason: string }>> = {
  'test/engine/sandbox/create-sandbox.test.ts': {
    times: 1,
    reason: 'Interrupts an endless loop, which cannot report that it runs; the result is the same at any time.',
  },
  'test/engine/sandbox/globals.test.ts': { times: 5, reason: 'Tests the timers of code steps.' },
  'test/cli/program/terminal/progress.processes.test.ts': { times: 1, reason: 'Its timers are fake.' },
  'test/client/transport/remote-transport.test.ts': {
    times: 2,
    reason: 'Two packets, and a connection that the HTTP client counts as idle by its own clock.',
  },
  'test/platform/control/handlers/snapshots.databases.test.ts': {
    times: 1,
    reason: 'A job that must not happen.',
  },
  'test/e2e/automations.full.test.ts': { times: 1, reason: 'A timer of a code step.' },
  'test/e2e/automations.test.ts': { times: 2, reason: 'Jobs that must not run.' },
  'test/engine/analysis/lint.test.ts': { times: 1, reason: 'The text of a code step.' },
  'test/platform/jobs/job-loop.databases.test.ts': { times: 1, reason: 'A job that must not run.' },
  'test/support/abortable-sleep.ts': { times: 1, reason: 'The clock of the program under test.' },
}

const loops = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement'])
const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])

const calleeOf = ({ type, callee }: Node): string | undefined =>
  (type === 'CallExpression' || type === 'NewExpression') && isNode(callee) && callee.type === 'Identifier'
    ? String(callee.name)
    : undefined

/** Returns whether a delay is the time after which a test counts as hanging, or the next turn. */
const isHarmless = (delay: Node | undefined): boolean =>
  delay === undefined ||
  (delay.type === 'Literal' && delay.value === 0) ||
  (delay.type === 'Identifier' && delay.name === 'hangMs')

/** Returns the waits of a fixed time: sleeps and timers that no loop repeats until a condition is met. */
function fixedWaits(source: Source): string[] {
  const imported = source.text.matchAll(/setTimeout as (\w+)[^\n]*from 'node:timers\/promises'/g)
  const sleeps = new Set([...imported].map((it) => it[1]))
  const found: string[] = []
  const visit = (node: Node, isRepeated: boolean, parent?: Node): void => {
    const name = calleeOf(node)
    const [first, second] = (node.arguments ?? []) as readonly Node[]
    const isSleep = node.type === 'CallExpression' && name !== undefined && sleeps.has(name)
    const isTimer = node.type === 'CallExpression' && name === 'setTimeout'
    if ((isSleep || isTimer) && !isRepeated && !isHarmless(isTimer ? second : first)) found.push(place(source, node))
    // Programs that a test writes.
    const text =
      node.type === 'Literal' ? node.value : node.type === 'TemplateElement' ? (node.value as { raw: string }).raw : ''
    for (const line of typeof text === 'string' ? text.split('\n') : [])
      if (/\b(setTimeout|sleep)\(.*\b[1-9]\d*\)/.test(line) && !/\b(while|for) \(/.test(line))
        found.push(place(source, node))
    // A function inside a loop is not repeated, except the one of `new Promise`.
    const isOwn = functions.has(node.type) && !(parent && calleeOf(parent) === 'Promise')
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) visit(child, loops.has(node.type) || (isRepeated && !isOwn), node)
  }
  visit(source.program, false)
  return found
}

// Soak tests and benchmarks run for a time, and produce load by it.
const sources = sourcesIn('test').filter(
  ({ path }) => !/^test\/(golden|wire|fixtures|bench|soak)\//.test(path) && path !== 'test/project/fixed-waits.test.ts',
)
const waits = new Map(sources.map((it) => [it.path, fixedWaits(it)] as const))

test('tests wait for conditions, not for a fixed time', () => {
  const more = [...waits].filter(([path, found]) => found.length > (exempt[path]?.times ?? 0))
  expect(more.flatMap(([, found]) => found)).toEqual([])
})

test('a file with fewer waits leaves the list', () => {
  expect(Object.entries(exempt).filter(([path, { times }]) => (waits.get(path)?.length ?? 0) < times)).toEqual([])
})

test.each([
  ['await sleep(20)', 1],
  ['for (; !isDone(); ) await sleep(20)', 0],
  ['while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5))', 0],
  ['for (const it of all) test(it, async () => { await sleep(20) })', 1],
  ['setTimeout(answer, 700)', 1],
  ['setTimeout(fail, hangMs)', 0],
  ['await sleep(0)', 0],
  ['const program = `await new Promise((done) => setTimeout(done, 400))`', 1],
])('%s is found %d times', (text, times) => {
  const source = toSource('test/a.test.ts', `import { setTimeout as sleep } from 'node:timers/promises'\n${text}\n`)
  expect(fixedWaits(source)).toHaveLength(times)
})
