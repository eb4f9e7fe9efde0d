import { afterAll, describe, expect, test } from 'vitest'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const inputs = { n: 5, s: 's', list: [{ id: 1 }] }
const run = (body: string) => sandbox.run(`export const code = async (inputs) => {\n${body}\n}`, inputs)

describe('errors of code have the messages of V8', () => {
  const bodies = [
    'inputs.a.b',
    'const x = undefined; x.foo',
    'null.foo()',
    'inputs.a["b c"]',
    'inputs.list.find((it) => it.id === 9).name',
    'inputs.list[3].x',
    'inputs.a.b = 1',
    'let z; z()',
    'inputs.foo()',
    'new inputs.n()',
    'inputs.list.map(undefined)',
    'for (const it of inputs.n) {}',
    'for (const it of inputs.none) {}',
    'const c = 1; c = 2',
    'Object.freeze({ a: 1 }).a = 2',
    'late; let late = 1',
    'missing',
    'JSON.parse("")',
    'JSON.parse(undefined)',
    'new Array(-1)',
    '1n + 1',
    'Symbol() + ""',
    '[].reduce((a, b) => a)',
    'new Date(NaN).toISOString()',
    'decodeURIComponent("%")',
    'Object.keys(undefined)',
    'await Promise.any([])',
    // Destructuring and iteration
    'const { a } = undefined',
    'const { a } = null',
    'const { a } = inputs.none',
    'const { a: { b } } = inputs',
    'const { ...rest } = inputs.none',
    '(({ a }) => a)()',
    'function f({ a }) { return a } f()',
    'const [a] = inputs.none',
    'const [a] = {}',
    '[...5]',
    'new Map(5)',
    'new Map([1])',
    'Array.from(null)',
    'Object.fromEntries(5)',
    'await Promise.all()',
    // Calls
    'inputs.list[0]()',
    'inputs["foo"]()',
    'inputs.list[0].id.trim()',
    'inputs?.s.foo()',
    'inputs.s.split("").foo()',
    'inputs.n.toFixed(2).foo()',
    'new Date().format("x")',
    '[1].map(5)',
    '[1].map("x")',
    '[1].find({})',
    '[1].sort(5)',
    'new Promise(5)',
    'new inputs.list()',
    'class A {}; A()',
    'class D extends Object { constructor() {} }; new D()',
    'class C extends undefined {}',
    'Map()',
    // JSON
    'JSON.parse("{bad")',
    'JSON.parse("x")',
    'JSON.parse("<html>")',
    'JSON.parse("Internal Server Error")',
    'JSON.parse("[1 2]")',
    'JSON.parse("{\'a\':1}")',
    'JSON.parse("1 2")',
    'JSON.parse("nul")',
    'JSON.parse({})',
    'JSON.parse(inputs.s)',
    // Numbers, texts and dates
    '(1).toFixed(101)',
    '(1).toPrecision(0)',
    '(1).toExponential(-1)',
    '(1).toString(1)',
    '"x".repeat(-1)',
    '"x".repeat(2 ** 30)',
    '"x".normalize("foo")',
    '"x".startsWith(/x/)',
    '"x".replaceAll(/x/, "y")',
    'String.fromCodePoint(-1)',
    'encodeURIComponent("\\ud800")',
    'decodeURIComponent("%ff")',
    'new RegExp("(")',
    'new RegExp("[")',
    'new RegExp("a", "z")',
    '"x".match("+")',
    'BigInt(1.5)',
    'BigInt("x")',
    '+1n',
    '1n / 0n',
    '1n >>> 0n',
    // Objects
    'Object.create(5)',
    'Object.freeze({ a: 1 }).b = 2',
    'delete Object.freeze({ a: 1 }).a',
    'const o = { get a() { return 1 } }; o.a = 2',
    '"a" in "b"',
    'String(Object.create(null))',
    'class P { #x; static get(o) { return o.#x } }; P.get({})',
    'const f = () => f(); f()',
    'throw "a text"',
    'throw null',
    'await (async () => { throw 5 })()',
  ]

  test.each(bodies)('%s', async (body) => {
    const expected = await (
      new Function('inputs', `"use strict"; return (async () => { ${body} })()`) as (given: unknown) => Promise<unknown>
    )(inputs).catch((error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)))
    const failure = await run(body).then(String, (error: Error) => error.message.replace(/ \(line \d+\)$/, ''))
    expect(failure).toBe(expected)
  })

  test('also where the code catches them', async () => {
    const { output } = await run(
      'const seen = []; for (const act of [() => inputs.a.b, () => inputs.foo()]) try { act() } catch (error) { seen.push(error.message, error.name, error.stack.includes("code:")) } return seen',
    )
    expect(output).toEqual([
      "Cannot read properties of undefined (reading 'b')",
      'TypeError',
      true,
      'inputs.foo is not a function',
      'TypeError',
      true,
    ])
  })

  test('except those that the code creates itself', async () => {
    await expect(run('throw new Error("cannot do it")')).rejects.toThrow('Error: cannot do it (line 2)')
    await expect(run('throw null')).rejects.toThrow('null')
  })
})

describe('a promise that is rejected and not handled fails the step', () => {
  test.each([
    ['Promise.reject(new Error("lost")); return 1', 'Error: lost (line 2)'],
    ['const later = async () => { await null; throw new Error("lost") }; later(); return 1', 'Error: lost'],
    ['inputs.list.forEach(async (it) => { it.none.x }); return 1', "Cannot read properties of undefined (reading 'x')"],
    ['Promise.reject("a text"); return 1', 'a text'],
    ['setImmediate(async () => { throw new Error("in a timer") }); await new Promise(() => {})', 'Error: in a timer'],
    ['new Promise((_, no) => no(new Error("lost"))).finally(() => {}); return 1', 'Error: lost'],
  ])('%s', async (body, message) => {
    const failure = await run(body).then(
      () => undefined,
      (error) => error,
    )
    expect(failure?.message).toContain(message)
    expect(failure).toMatchObject({
      reason: 'code',
      lines: ['A promise was rejected, and no code handles the error: await it, or add catch().'],
    })
  })

  test('also in code that is not asynchronous', async () => {
    await expect(
      sandbox.run('export const code = () => { Promise.reject(new Error("lost")); return 1 }', {}),
    ).rejects.toThrow('Error: lost')
  })

  test.each([
    ['const it = Promise.reject(new Error("x")); return it.catch(() => 1)', 1],
    ['const it = Promise.reject(new Error("x")); await null; try { await it } catch { return 2 }', 2],
    ['return Promise.allSettled([Promise.reject(1)]).then((all) => all[0].status)', 'rejected'],
    ['return Promise.race([1, Promise.reject(2)])', 1],
  ])('%s does not', async (body, expected) => {
    expect((await run(body)).output).toBe(expected)
  })

  test('and does not affect the next run of other code', async () => {
    await expect(run('Promise.reject(new Error("lost")); return 1')).rejects.toThrow('lost')
    expect((await run('return 7')).output).toBe(7)
  })
})

test('an object that code throws is shown as JSON', async () => {
  await expect(run('throw { code: 5, reason: "none" }')).rejects.toThrow('{"code":5,"reason":"none"}')
})
