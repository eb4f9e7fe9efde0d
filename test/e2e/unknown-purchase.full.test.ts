import { beforeAll, describe, expect, test } from 'vitest'
import { json, startHost } from '../support/servers/http-hosts.ts'
import { newPlace, type Place, parley, start } from './support/built-program.ts'
import { listedNumbers } from './support/holdings.ts'
import { type Mishap, mishapBefore, numbersForSale, type Served, serve } from './support/server-process.ts'

// A purchase whose answer does not come: the money may be gone. It is never sent again, never forgotten, and can be found out about.

let server: Served
let forSale: string[]
beforeAll(async () => {
  server = await serve(newPlace())
  forSale = await numbersForSale(server.at)
})

/** Somebody elsewhere, with a data folder and a journal of their own. */
const elsewhere = (): { readonly at: Place; readonly env: Record<string, string> } => ({
  at: newPlace(),
  env: { PARLEY_API_KEY: server.key },
})
const owned = async (number: string): Promise<number> =>
  (await listedNumbers(server.at)).filter((it) => it === number).length
const opsOf = async (at: Place, flags = '') =>
  JSON.parse((await parley(`ops list --json ${flags}`.trim(), { at })).stdout) as {
    input: { phone_number: string }
    state: string
  }[]

describe.each<Mishap>(['answer lost', 'answer torn'])('the %s after the platform has sold the number', (mishap) => {
  test('exits with 12: one purchase, open until it is reconciled', async () => {
    const me = elsewhere()
    const number = forSale.shift() as string
    const { url, purchases } = await mishapBefore(server, mishap)
    const { exitCode, stdout, stderr } = await parley(
      `numbers buy ${number} --yes --json --retries 5 --base-url ${url}`,
      me,
    )
    expect([exitCode, stdout]).toEqual([12, ''])
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('unknown'),
      next: [`parley ops list --base-url ${url}`, `parley ops reconcile --base-url ${url}`],
    })
    expect([purchases(), await owned(number)]).toEqual([1, 1])

    expect(await opsOf(me.at, '--open')).toEqual([
      expect.objectContaining({
        endpoint: 'numbers.buy',
        state: 'unknown',
        input: { phone_number: number },
        profile: url,
      }),
    ])
    expect(await parley(`ops reconcile --json --base-url ${url}`, me)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"state": "done"'),
    })
    expect(await opsOf(me.at, '--open')).toEqual([])
    expect([purchases(), await owned(number)]).toEqual([1, 1])
    // A second purchase without a check is refused because the number is owned.
    expect((await parley(`numbers buy ${number} --yes --base-url ${server.url}`, me)).exitCode).toBe(5)
  })
})

test('a request that never arrived stays unknown while it may still be in transit', async () => {
  const me = elsewhere()
  const number = forSale.shift() as string
  const { url, purchases } = await mishapBefore(server, 'request lost')
  expect((await parley(`numbers buy ${number} --yes --base-url ${url}`, me)).exitCode).toBe(12)
  expect(await parley(`ops reconcile --base-url ${url}`, me)).toMatchObject({
    exitCode: 12,
    stdout: expect.stringContaining('unknown'),
    stderr: expect.stringContaining('two minutes'),
  })
  expect([purchases(), await owned(number)]).toEqual([1, 0])
})

test('a response that comes too late exits with 12 as well', async () => {
  const me = elsewhere()
  const number = forSale.shift() as string
  const { url, purchases } = await mishapBefore(server, 'answer late')
  expect(await parley(`numbers buy ${number} --yes --timeout 0.7 --base-url ${url}`, me)).toMatchObject({
    exitCode: 12,
    stdout: '',
    stderr: expect.stringMatching(/did not respond within 0\.7 s.*unknown/),
  })
  expect([purchases(), await owned(number)]).toEqual([1, 1])
})

test('two concurrent purchases in one folder are two entries; of two for the same number the second is stopped before it is sent', async () => {
  const me = elsewhere()
  const [one, other, wanted] = forSale.splice(0, 3) as [string, string, string]
  const { url, purchases } = await mishapBefore(server, 'answer lost')
  const codes = await Promise.all(
    [one, other, wanted, wanted].map(
      async (it) => (await parley(`numbers buy ${it} --yes --base-url ${url}`, me)).exitCode,
    ),
  )
  // The second one finds the first in flight (5), or ended without a known outcome (12).
  expect([codes.slice(0, 2), purchases()]).toEqual([[12, 12], 3])
  expect([
    [12, 12],
    [5, 12],
  ]).toContainEqual(codes.slice(2).sort((a, b) => a - b))
  expect(await Promise.all([one, other, wanted].map(owned))).toEqual([1, 1, 1])
  const reconciled = await Promise.all([1, 2].map(() => parley(`ops reconcile --json --base-url ${url}`, me)))
  expect(reconciled.map((it) => it.exitCode)).toEqual([0, 0])
  expect((await opsOf(me.at)).map((it) => it.state).filter((it) => it !== 'cancelled')).toEqual([
    'done',
    'done',
    'done',
  ])
})

test('entries of another platform are left for a run with that platform', async () => {
  const me = elsewhere()
  const { url } = await mishapBefore(server, 'request lost')
  await parley(`numbers buy +15005550006 --yes --base-url ${url}`, me)
  expect(await parley('ops reconcile', me)).toMatchObject({ exitCode: 12, stderr: expect.stringContaining(url) })
})

describe('interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'by %s during a request for a list: exits with %i immediately, nothing on stdout',
    async (signal, exitCode) => {
      const host = await startHost(() => {})
      const run = start(`keys list --json --base-url ${host.url}`, elsewhere())
      await expect.poll(() => host.seen).toHaveLength(1)
      run.kill(signal)
      expect(await run.ended).toMatchObject({ exitCode, stdout: '' })
    },
  )

  test('during a purchase: exit 12, because the money may be spent, and the entry stays open', async () => {
    const me = elsewhere()
    const number = forSale.shift() as string
    const { url, received } = await mishapBefore(server, 'answer late')
    const run = start(`numbers buy ${number} --yes --base-url ${url}`, me)
    await received
    run.kill('SIGINT')
    expect(await run.ended).toMatchObject({
      exitCode: 12,
      stdout: '',
      stderr: expect.stringMatching(/Interrupted.*outcome[^.]*unknown[\s\S]*parley ops reconcile/),
    })
    expect(await owned(number)).toBe(1)
    expect(await opsOf(me.at, '--open')).toMatchObject([{ state: 'unknown', input: { phone_number: number } }])
    expect((await parley(`ops reconcile --base-url ${url}`, me)).exitCode).toBe(0)
  })

  test('by kill -9 during a purchase: the entry exists', async () => {
    const me = elsewhere()
    const number = forSale.shift() as string
    const { url, received } = await mishapBefore(server, 'answer late')
    const run = start(`numbers buy ${number} --yes --base-url ${url}`, me)
    await received
    run.kill('SIGKILL')
    expect(await run.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await opsOf(me.at, '--open')).toMatchObject([{ state: 'open', input: { phone_number: number } }])
    expect((await parley(`ops reconcile --base-url ${url}`, me)).exitCode).toBe(0)
    expect(await opsOf(me.at)).toMatchObject([{ state: 'done' }])
  })

  test('during the wait before a retry: exits with 130 immediately', async () => {
    const host = await startHost(json({ message: 'Too Many Attempts.' }, 429, { 'retry-after': '20' }))
    const run = start(`keys list --base-url ${host.url}`, elsewhere())
    await run.until('Retrying in')
    run.kill('SIGINT')
    expect((await run.ended).exitCode).toBe(130)
  })

  test('before a purchase is sent: exits with 130, and there is nothing to reconcile', async () => {
    const me = elsewhere()
    const host = await startHost(
      json({ message: 'Too Many Attempts.' }, 429, { 'retry-after': '20', 'parley-capabilities': 'idempotency' }),
    )
    const run = start(`numbers buy +15005550006 --yes --base-url ${host.url}`, me)
    await run.until('Retrying in')
    run.kill('SIGINT')
    expect((await run.ended).exitCode).toBe(130)
    expect(await opsOf(me.at, '--open')).toEqual([])
    expect(await opsOf(me.at)).toMatchObject([{ state: 'cancelled' }])
  })
})
