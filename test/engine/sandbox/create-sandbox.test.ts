import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import { SandboxFailure } from '../../../src/engine/expressions/sandbox.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { hangMs } from '../../support/hang-timeout.ts'

const sandbox = createSandbox()
afterAll(() => sandbox.close())

const code = (body: string): string => `export const code = async (inputs) => { ${body} }`
const outputOf = async (source: string, inputs: unknown = {}): Promise<unknown> =>
  (await sandbox.run(source, inputs, { timeout: hangMs })).output
const failureOf = async (running: Promise<unknown>): Promise<SandboxFailure> => {
  const error = await running.then(
    () => undefined,
    (it: unknown) => it,
  )
  expect(error).toBeInstanceOf(SandboxFailure)
  return error as SandboxFailure
}

/** Returns the id that a new thread gets: threads of a process are numbered. */
async function nextThreadId(): Promise<number> {
  const probe = new Worker('', { eval: true })
  const { threadId } = probe
  await probe.terminate()
  return threadId
}

describe('accounts', () => {
  const endless = 'export const code = () => { for (;;); }'
  const quick = 'export const code = () => 1'

  test('wait neither for endless code of another account nor for its queue', async () => {
    const shared = createSandbox({ threads: 1, spareThreads: 1, timeout: hangMs })
    const stop = new AbortController()
    let ended = 0
    const looping = [...Array(60).keys()].map(() =>
      shared.run(endless, {}, { account: 1, timeout: hangMs, signal: stop.signal }).catch(() => void (ended += 1)),
    )
    for (let n = 0; n < 3; n++) expect((await shared.run(quick, {}, { account: 2 })).output).toBe(1)
    expect(ended).toBe(0)
    stop.abort()
    await Promise.all(looping)
    await shared.close()
  })

  test('use the same spare thread for each step, while all others are busy', async () => {
    const shared = createSandbox({ threads: 1, spareThreads: 2, spareKeepMs: hangMs, timeout: hangMs })
    const stop = new AbortController()
    const looping = shared.run(endless, {}, { account: 1, timeout: hangMs, signal: stop.signal }).catch(() => {})
    await shared.run(quick, {}, { account: 2 })
    // One more may be started in advance.
    const before = await nextThreadId()
    for (let n = 0; n < 5; n++) await shared.run(quick, {}, { account: 2 })
    expect((await nextThreadId()) - before).toBeLessThanOrEqual(2)
    stop.abort()
    await looping
    await shared.close()
  })

  test('continue after a thread was terminated because its code did not stop', async () => {
    const shared = createSandbox({ threads: 1, spareThreads: 0, grace: 0 })
    const late = shared.run(endless, {}, { account: 1, timeout: 50 })
    const next = shared.run(quick, {}, { account: 1 })
    await expect(late).rejects.toMatchObject({ reason: 'time' })
    expect((await next).output).toBe(1)
    await shared.close()
  })
})

describe('code in a step', () => {
  test('receives its inputs, and its return value is the output', async () => {
    expect(
      await outputOf(code('return { first: inputs.full.split(" ")[0], n: inputs.n + 1 }'), {
        full: 'Ada Lovelace',
        n: 1,
      }),
    ).toEqual({ first: 'Ada', n: 2 })
    expect(await outputOf('export const code = (inputs) => inputs.list.length', { list: [1, 2, 3] })).toBe(3)
    expect(await outputOf('export async function code() { await null; return [1, null, "é…😀"] }')).toEqual([
      1,
      null,
      'é…😀',
    ])
    expect(await outputOf(code(''))).toBeNull()
  })

  test('keeps keys of inputs that look like prototypes as plain data', async () => {
    const inputs = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as object
    expect(JSON.stringify(await outputOf(code('return inputs'), inputs))).toBe('{"__proto__":{"x":1},"constructor":2}')
  })

  test('has text encoding, URLs, random numbers and base64, and no access to the process', async () => {
    const names =
      'URL URLSearchParams TextEncoder TextDecoder atob btoa require process XMLHttpRequest WebAssembly'.split(' ')
    const source = `export const code = () => ({ ${names.map((it) => `${it}: typeof ${it}`)}, crypto: typeof crypto.getRandomValues })`
    const found = (await outputOf(source)) as Record<string, string>
    expect(Object.keys(found).filter((it) => found[it] !== 'undefined')).toEqual([
      'URL',
      'URLSearchParams',
      'TextEncoder',
      'TextDecoder',
      'atob',
      'btoa',
      'crypto',
    ])
    expect(
      await outputOf(code('return [new URL(inputs.u).hostname, btoa("hi"), [...new TextEncoder().encode("é")]]'), {
        u: 'https://a.test/x',
      }),
    ).toEqual(['a.test', 'aGk=', [195, 169]])
  })

  test('writes at most a hundred log lines', async () => {
    const { lines } = await sandbox.run(
      code('console.log("a", { b: 1 }); console.error(2); for (let i = 0; i < 1000; i++) console.log(i)'),
      {},
    )
    expect(lines.slice(0, 3)).toEqual(['a {"b":1}', '2', '0'])
    expect(lines).toHaveLength(100)
  })

  test('keeps the log lines written before it failed or timed out', async () => {
    expect(
      (await failureOf(sandbox.run(code('console.log("before", inputs.x); inputs.none.at'), { x: 1 }))).lines,
    ).toEqual(['before 1'])
    const late = sandbox.run(code('console.log("loops"); for (;;) {}'), {}, { timeout: 100 })
    expect((await failureOf(late)).lines).toEqual(['loops'])
  })

  test('sees the time of the platform, in UTC', async () => {
    const now = Date.UTC(2031, 0, 2, 3, 4, 5)
    const { output } = await sandbox.run(
      code('return [new Date().toISOString().slice(0, 19), new Date().getTimezoneOffset()]'),
      {},
      { now },
    )
    expect(output).toEqual(['2031-01-02T03:04:05', 0])
  })

  test('runs in a new virtual machine each time', async () => {
    await outputOf(
      code('globalThis.kept = 1; Object.prototype.polluted = 1; Array.prototype.map = null; JSON.parse = () => 666'),
    )
    expect(
      await outputOf(code('return [typeof kept, ({}).polluted ?? null, JSON.parse("[1]").map((x) => x)]')),
    ).toEqual(['undefined', null, [1]])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test.each([
    [
      'a module',
      'let calls = 0\nexport const code = (it) => {\n  if (it.fail) throw new Error("No.")\n  return ++calls\n}',
    ],
    ['CommonJS', 'let calls = 0\nexports.code = (it) => {\n  if (it.fail) throw new Error("No.")\n  return ++calls\n}'],
  ])('that is %s and runs often starts anew each time, and fails with the same message', async (_, source) => {
    const one = createSandbox({ threads: 1 })
    for (let n = 0; n < 4; n++) {
      expect((await one.run(source, {}, { timeout: hangMs })).output).toBe(1)
      expect((await failureOf(one.run(source, { fail: true }, { timeout: hangMs }))).message).toBe(
        'Error: No. (line 3)',
      )
    }
    await one.close()
  })

  test('that cannot be compiled or imports a package fails with the same message each time', async () => {
    const one = createSandbox({ threads: 1 })
    const messages = async (source: string) => {
      const found = new Set<string>()
      for (let n = 0; n < 4; n++) found.add((await failureOf(one.run(source, {}, { timeout: hangMs }))).message)
      return [...found]
    }
    expect(await messages('export const code = () => {')).toHaveLength(1)
    expect(await messages('export const other = 1')).toEqual(['The code does not export a function named code.'])
    expect(await messages("import x from 'x'\nexport const code = () => x")).toEqual([
      expect.stringContaining('x cannot be imported'),
    ])
    await one.close()
  })

  test.each([
    ['inputs.day.trim()', 'inputs.day.trim is not a function (line 1)'],
    ['[1].map((it) => it.trim())', 'it.trim is not a function (line 1)'],
    ['\n  inputs.day\n    .trim()', 'trim is not a function (line 3)'],
    ['inputs.list[0].trim()', 'inputs.list[0].trim is not a function (line 1)'],
    ['inputs?.day.trim()', 'inputs?.day.trim is not a function (line 1)'],
    ['(() => { const { day } = inputs; day() })()', 'day is not a function (line 1)'],
    ['inputs["day"](2)', 'inputs.day is not a function (line 1)'],
    ['new inputs.day()', 'inputs.day is not a constructor (line 1)'],
  ])('that calls %s names what is not a function', async (called, message) => {
    for (const source of [`export const code = (inputs) => (${called})`, `exports.code = (inputs) => (${called})`])
      for (let n = 0; n < 3; n++)
        expect((await failureOf(sandbox.run(source, { day: 7, list: [1] }))).message).toBe(`TypeError: ${message}`)
  })

  test('gets different random numbers each time', async () => {
    const thrown = await Promise.all(
      Array.from({ length: 8 }, () => outputOf('export const code = () => Math.random()')),
    )
    expect(new Set(thrown).size).toBe(8)
  })

  test('finds no data of earlier code', async () => {
    const fill = code(
      'const s = "secret-" + "token"; globalThis.a = Array.from({ length: 1e5 }, () => s + Math.random()); console.log(s); return a.length',
    )
    for (let n = 0; n < 4; n++) expect(await outputOf(fill)).toBe(100_000)
    const look = code(
      'return [Object.keys(globalThis).filter((it) => it !== "console"), Reflect.ownKeys(Object.prototype).length, typeof a]',
    )
    const [keys, , kind] = (await outputOf(look)) as [string[], number, string]
    expect([keys, kind]).toEqual([['performance'], 'undefined'])
  })

  test('reports what it threw, which global is missing and what it cannot import', async () => {
    expect(await failureOf(sandbox.run(code('throw new TypeError("no such customer")'), {}))).toMatchObject({
      reason: 'code',
      message: 'TypeError: no such customer (line 1)',
    })
    expect((await failureOf(sandbox.run(code('return inputs.a.b'), {}))).message).toMatch(/^TypeError: /)
    expect((await failureOf(sandbox.run('export const other = 1', {}))).message).toBe(
      'The code does not export a function named code.',
    )
    expect((await failureOf(sandbox.run('import x from "lodash"; export const code = () => 1', {}))).message).toContain(
      'lodash cannot be imported',
    )
    expect((await failureOf(sandbox.run('export const code = (', {}))).message).toMatch(/^SyntaxError: /)
    expect((await failureOf(sandbox.run(code('throw "just a text"'), {}))).message).toContain('just a text')
    expect((await failureOf(sandbox.run(code('const a = {}; a.a = a; return a'), {}))).message).toMatch(/circular/i)
  })
})

describe('hostile code', () => {
  const hostile: readonly [string, string, SandboxFailure['reason'] | RegExp][] = [
    ['an endless loop', 'for (;;) {}', 'time'],
    [
      'endless microtasks',
      'const again = () => Promise.resolve().then(again); await again(); for (;;) await null',
      'time',
    ],
    ['a regular expression that backtracks for ever', 'return /^(a+)+$/.test("a".repeat(40) + "b")', 'time'],
    ['a getter that never ends', 'return { get x() { for (;;) {} } }', 'time'],
    ['a list without end', 'const a = []; for (;;) a.push(new Array(1000).fill(0))', /memory|time/],
    ['typed arrays without end', 'const a = []; for (;;) a.push(new Uint8Array(1 << 20))', 'memory'],
    ['a text without end', 'let s = "x"; for (;;) s += s', /memory|code/],
    ['objects without end', 'let o = {}; for (;;) o = { o, p: [{}] }', /memory|time/],
    ['a promise that never settles', 'await new Promise(() => {})', 'never'],
    ['calls without end', 'const f = () => f() + 1; return f()', 'code'],
    ['an enormous result', 'return "x".repeat(8 * 1024 * 1024)', 'size'],
    [
      'a native call that hears nobody',
      'const a = new Uint32Array(8e6).map(() => Math.random() * 1e9); for (let i = 0; i < 40; i++) a.slice().sort((x, y) => y - x)',
      /time|memory/,
    ],
  ]

  test.each(hostile)('%s is stopped', async (_, body, reason) => {
    // What ends for another reason has time to, however busy the machine is.
    const options = String(reason).includes('time') ? { timeout: 300 } : { timeout: 30_000 }
    const failure = await failureOf(sandbox.run(code(body), {}, options))
    if (typeof reason === 'string') expect(failure.reason).toBe(reason)
    else expect(failure.reason).toMatch(reason)
    expect(await outputOf(code('return 1'))).toBe(1)
  })

  test('an escape through constructors stays in the same virtual machine', async () => {
    const body =
      'const F = inputs.constructor.constructor; return [typeof F("return typeof process")(), F("return typeof process")(), F("return typeof require")()]'
    expect(await outputOf(code(body))).toEqual(['string', 'undefined', 'undefined'])
  })

  test('many endless loops wait in the queue, and each terminated thread is replaced', async () => {
    const jobs = Array.from({ length: 12 }, (_, n) =>
      n % 3 === 0 ? sandbox.run(code('for (;;) {}'), {}, { timeout: 50 }) : sandbox.run(code('return inputs.n'), { n }),
    )
    const settled = await Promise.allSettled(jobs)
    expect(settled.map((it) => (it.status === 'fulfilled' ? it.value.output : 'stopped'))).toEqual([
      'stopped',
      1,
      2,
      'stopped',
      4,
      5,
      'stopped',
      7,
      8,
      'stopped',
      10,
      11,
    ])
  })

  test('is terminated when its caller aborts', async () => {
    const abort = new AbortController()
    const running = sandbox.run(code('for (;;) {}'), {}, { signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 50)
    await expect(running).rejects.toThrow('enough')
  })

  test('does not make the memory of the process grow', async () => {
    const before = process.memoryUsage().rss
    for (let n = 0; n < 6; n++)
      await failureOf(sandbox.run(code('const a = []; for (;;) a.push(new Uint8Array(1 << 20))'), {}))
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024)
  })
})

describe('expressions', () => {
  test('are evaluated together; one that fails has no value', async () => {
    const variables = { step_1: { body: { tags: ['a', 'b'], n: 2 } }, trigger: { x: null } }
    const asked = [
      'step_1.body.tags.map((t) => t.toUpperCase())',
      'step_1.body.n > 1 ? "many" : "one"',
      'trigger.x',
      'trigger.y.z',
      'nobody',
      'a b',
      '() => 1',
      '1; 2;',
    ]
    const found = await sandbox.evaluate(asked, variables)
    expect(found.map((it) => it?.value)).toEqual([
      ['A', 'B'],
      'many',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('flatten nested keys as editors write it', async () => {
    const variables = { step_1: [{ a: { b: 1 } }, { a: { b: 2 } }, { c: 3 }] }
    expect(await sandbox.evaluate(["flattenNestedKeys(step_1, ['a', 'b']);"], variables)).toEqual([{ value: [1, 2] }])
  })

  test('are terminated after their time limit', async () => {
    expect((await failureOf(sandbox.evaluate(['(() => { for (;;) {} })()'], {}, { timeout: 100 }))).reason).toBe('time')
  })
})

test('syntax is checked without running anything', async () => {
  const found = await sandbox.check([
    { kind: 'module', source: 'export const code = () => { for (;;) {} }; for (;;) {}' },
    { kind: 'module', source: 'export const code =\n  (=> 1' },
    { kind: 'expression', source: "step_1['a']" },
    { kind: 'expression', source: "step_1['a'" },
  ])
  expect(found[0]).toBeNull()
  expect(found[1]).toMatch(/line 2/)
  expect(found[2]).toBeNull()
  expect(found[3]).toEqual(expect.any(String))
})

describe('large integers', () => {
  const inputs = { a: 9007199254740993n, mark: 'digits', list: [[-12345678901234567890n]] }

  test('are bigints in code, pass through it, and are written by JSON.stringify', async () => {
    expect(await outputOf(code('return inputs'), inputs)).toEqual(inputs)
    expect(
      await outputOf(code('return [typeof inputs.a, String(inputs.a), JSON.stringify(inputs.list)]'), inputs),
    ).toEqual(['bigint', '9007199254740993', '[[-12345678901234567890]]'])
    expect(await outputOf(code('return JSON.stringify({ a: 1n, b: 2, c: [3n] }, ["a", "c"], 1)'))).toBe(
      '{\n "a": 1,\n "c": [\n  3\n ]\n}',
    )
    expect(await outputOf(code('return { made: BigInt("123456789012345678901") }'))).toEqual({
      made: 123456789012345678901n,
    })
    expect(await outputOf(code('return structuredClone(inputs)'), inputs)).toEqual(inputs)
  })

  test('do not change the errors of JSON.stringify', async () => {
    expect(
      await outputOf(
        code('const a = { n: 1n }; a.a = a; try { JSON.stringify(a) } catch (error) { return error.name }'),
      ),
    ).toBe('TypeError')
    expect(
      await outputOf(
        code('try { JSON.stringify({ get a() { throw new Error("mine") } }) } catch (it) { return it.message }'),
      ),
    ).toBe('mine')
  })

  test('are exact in expressions', async () => {
    const given = { step: { id: 9007199254740993n } }
    expect(await sandbox.evaluate(['step.id + 2n', 'String(step.id)', '[step.id]', 'step.id + 1'], given)).toEqual([
      { value: 9007199254740995n },
      { value: '9007199254740993' },
      { value: [9007199254740993n] },
      undefined,
    ])
  })
})
