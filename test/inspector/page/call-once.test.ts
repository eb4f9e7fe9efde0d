import { afterEach, expect, test, vi } from 'vitest'
import { callOnce } from '../../../src/inspector/page/data/call-once.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const change = { method: 'POST' as const, path: '/api/user/phone-numbers/purchase', body: { n: 1 }, account: 1 }

/** Answers requests with these responses in turn; `lost` is a connection that ends. Returns the keys of the requests. */
function respondWith(...responses: readonly (readonly [status: number, body: object] | 'lost')[]): (string | null)[] {
  const keys: (string | null)[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get('Idempotency-Key'))
    const next = responses[keys.length - 1] ?? [200, {}]
    if (next === 'lost') throw new TypeError('Failed to fetch')
    return Response.json(next[1], { status: next[0] })
  })
  return keys
}

async function sendTimes(times: number, request: Parameters<typeof callOnce>[0] = change): Promise<void> {
  for (let n = 0; n < times; n++) await callOnce(request).catch(() => {})
}

test('repeating a change after a lost or unclear response is the same request for the platform', async () => {
  const confirm = { question: 'Buy it?', details: [], expected: 'yes' }
  const keys = respondWith([202, { confirm }], 'lost', [502, {}], [409, { is_open: true, body: {} }], [200, {}])
  await sendTimes(5)
  expect(keys[0]).toMatch(/^inspector-[0-9a-f]{32}$/)
  expect(new Set(keys).size).toBe(1)
})

test('the same change after a definite response is a new one', async () => {
  const keys = respondWith([200, {}], [422, {}], [409, {}], [200, {}])
  await sendTimes(4)
  expect(new Set(keys).size).toBe(4)
})

test('other changes have other keys, and reads have none', async () => {
  const keys = respondWith('lost', 'lost', 'lost', 'lost')
  await sendTimes(1)
  await sendTimes(1, { ...change, account: 2 })
  await sendTimes(1, { ...change, body: { n: 2 } })
  await sendTimes(1, { path: '/api/user/me' })
  expect(new Set(keys.slice(0, 3)).size).toBe(3)
  expect(keys[3]).toBeNull()
})
