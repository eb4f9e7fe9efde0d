import { afterAll, describe, expect, test } from 'vitest'
import type { CodeRequest } from '../../../src/engine/expressions/sandbox.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'

const sandbox = createSandbox({ threads: 1, waitingThreads: 2 })
afterAll(() => sandbox.close())

const code = (body: string): string => `export const code = async (inputs) => { ${body} }`
const outputOf = async (source: string, inputs: unknown = {}): Promise<unknown> =>
  (await sandbox.run(source, inputs)).output

describe('timers of code', () => {
  test('fire in the order of their time, once or repeatedly', async () => {
    const body = `const seen = []
      setTimeout((a) => seen.push(a), 30, 'late'); setTimeout(() => seen.push('soon'), 1); clearTimeout(setTimeout(() => seen.push('never'), 1))
      await new Promise((done) => { const each = setInterval(() => { seen.push('tick'); if (seen.length > 3) { clearInterval(each); done() } }, 20) })
      return seen.includes('late') && seen.indexOf('soon') < seen.indexOf('late') && !seen.includes('never') && seen.filter((it) => it === 'tick').length > 0`
    expect(await outputOf(code(body))).toBe(true)
  })

  test('that throw make the code fail; a promise that never settles is distinguished from a pending timer', async () => {
    await expect(
      sandbox.run(code('setTimeout(() => { throw new Error("in a timer") }, 1); await new Promise(() => {})'), {}),
    ).rejects.toThrow('in a timer')
    await expect(sandbox.run(code('setTimeout(() => {}, 1); await new Promise(() => {})'), {})).rejects.toMatchObject({
      reason: 'never',
    })
  })

  test('end at the time limit of the code', async () => {
    const running = sandbox.run(
      code('console.log("waits"); await new Promise((done) => setTimeout(done, 600000))'),
      {},
      { timeout: 50 },
    )
    await expect(running).rejects.toMatchObject({ reason: 'time', lines: ['waits'] })
  })

  test('do not delay expressions', async () => {
    const stop = new AbortController()
    const waits = [1, 2, 3].map(() =>
      sandbox
        .run(code('await new Promise((done) => setTimeout(done, 600000))'), {}, { signal: stop.signal })
        .catch(() => 'stopped'),
    )
    expect(await sandbox.evaluate(['a + 1'], { a: 1 })).toEqual([{ value: 2 }])
    stop.abort()
    expect(await Promise.all(waits)).toEqual(['stopped', 'stopped', 'stopped'])
  })
})

describe('fetch', () => {
  const asked: CodeRequest[] = []
  const fetch = async (request: CodeRequest) => {
    asked.push(request)
    if (request.url.endsWith('/refused')) throw new Error('refused.example is a private address.')
    const body = JSON.stringify({ echo: Buffer.from(request.body).toString(), é: '…' })
    return {
      url: request.url,
      status: request.url.endsWith('/none') ? 404 : 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    }
  }
  const run = async (body: string): Promise<unknown> => (await sandbox.run(code(body), {}, { fetch })).output

  test('sends method, headers and body, and reads the response in every form', async () => {
    expect(
      await run(`const answer = await fetch('https://a.test/x', { method: 'post', headers: { 'X-One': 'two' }, body: JSON.stringify({ a: 'é' }) })
        return [answer.ok, answer.status, answer.headers.get('Content-Type'), answer.url, await answer.clone().text(), await answer.json(), answer.bodyUsed]`),
    ).toEqual([
      true,
      200,
      'application/json',
      'https://a.test/x',
      '{"echo":"{\\"a\\":\\"é\\"}","é":"…"}',
      { echo: '{"a":"é"}', é: '…' },
      true,
    ])
    expect(asked.at(-1)).toMatchObject({
      method: 'POST',
      headers: { 'x-one': 'two', 'content-type': 'text/plain;charset=UTF-8' },
    })
  })

  test('can run concurrently, with Request and URL objects', async () => {
    expect(
      await run(`const all = await Promise.all([1, 2, 3].map((n) => fetch(new Request(new URL('/x?n=' + n, 'https://a.test'), { headers: new Headers([['a', 'b']]) }))))
        return Promise.all(all.map(async (it) => [it.url, (await it.arrayBuffer()).byteLength > 0]))`),
    ).toEqual([1, 2, 3].map((n) => [`https://a.test/x?n=${n}`, true]))
  })

  test('distinguishes an error status from a failed request', async () => {
    expect(await run("const it = await fetch('https://a.test/none'); return [it.ok, it.status]")).toEqual([false, 404])
    expect(await run("return fetch('https://a.test/refused').catch((it) => it.name + ' ' + it.message)")).toBe(
      'TypeError fetch failed: refused.example is a private address.',
    )
    expect(await outputOf(code("return fetch('https://a.test/').catch((it) => it.message)"))).toBe(
      'fetch failed: Requests cannot be sent in this sandbox.',
    )
  })

  test('is aborted by an AbortSignal, and counts toward the limit', async () => {
    const hanging = async () => new Promise<never>(() => {})
    const body = "return fetch('https://a.test/', { signal: AbortSignal.timeout(5) }).catch((it) => it.name)"
    expect((await sandbox.run(code(body), {}, { fetch: hanging })).output).toBe('TimeoutError')
    await expect(
      sandbox.run(code("for (let n = 0; n < 200; n++) await fetch('https://a.test/')"), {}, { fetch }),
    ).rejects.toThrow('at most 100 requests')
  })
})

test('the usual globals are there', async () => {
  const body = `const it = { d: new Date(0), m: new Map([[1, { a: 1 }]]) }; it.self = it
    const copy = structuredClone(it)
    return [copy !== it && copy.self === copy && copy.m.get(1).a, copy.d.toISOString(), Buffer.from('é…').toString('base64'), Buffer.from('w6nigKY=', 'base64').toString(),
      Buffer.from('ff00', 'hex')[0], Buffer.concat([Buffer.from('a'), Buffer.from('b')]).toString('hex'), Buffer.isBuffer(Buffer.alloc(2)), global === globalThis, typeof queueMicrotask]`
  expect(await outputOf(code(body))).toEqual([
    1,
    '1970-01-01T00:00:00.000Z',
    'w6nigKY=',
    'é…',
    255,
    '6162',
    true,
    true,
    'function',
  ])
})

describe('a CommonJS module', () => {
  test.each([
    'exports.code = async (inputs) => inputs.x + 1',
    'module.exports = { code: (inputs) => inputs.x + 1 }',
    '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nconst code = async (inputs) => inputs.x + 1;\nexports.code = code;',
    '// no export here\nmodule.exports.code = function (inputs) { return inputs.x + 1 } // end',
  ])('%s', async (source) => {
    expect(await outputOf(source, { x: 1 })).toBe(2)
    expect(await sandbox.check([{ kind: 'module', source }])).toEqual([null])
  })

  test('reports the line of an error, as an ES module does', async () => {
    await expect(sandbox.run('exports.code = async () => {\n  const x = null\n  return x.y\n}', {})).rejects.toThrow(
      '(line 3)',
    )
    await expect(
      sandbox.run('export const code = async () => {\n  const x = null\n  return x.y\n}', {}),
    ).rejects.toThrow('(line 3)')
    expect(await sandbox.check([{ kind: 'module', source: 'exports.code = () => {\n  return )\n}' }])).toEqual([
      expect.stringContaining('(line 2)'),
    ])
  })
})
