import { describe, expect, test } from 'vitest'
import { servedPlatform } from './monitoring/served-platform.ts'

/** Makes every request to list tools take this long. */
const slowTools = (control: Awaited<ReturnType<typeof servedPlatform>>['control'], latency_ms: number) =>
  control('POST', '/control/faults', { endpoint: 'tools.list', latency_ms })

describe('a server that stops', () => {
  test('reports that it drains, accepts requests during the delay, and finishes those in progress', async () => {
    const { call, stop, control } = await servedPlatform({ seed: 1 })
    expect((await call('/readyz')).status).toBe(200)
    await slowTools(control, 1500)
    const slow = call('/api/user/tools')
    await expect.poll(async () => (await call('/metrics')).text()).toContain('parley_http_requests_in_flight 2')
    const stopped = stop({ delayMs: 1500 })
    const ready = await call('/readyz')
    expect([ready.status, await ready.json(), ready.headers.get('connection')]).toEqual([
      503,
      { status: 'draining' },
      'close',
    ])
    expect((await call('/healthz')).status).toBe(200)
    expect((await slow).status).toBe(200)
    await stopped
    await expect(call('/healthz')).rejects.toThrow()
  })

  test('aborts unfinished requests at the limit', async () => {
    const { call, stop, control } = await servedPlatform({ seed: 1 })
    await slowTools(control, 600_000)
    const aborted = call('/api/user/tools').catch((error: Error) => error)
    await expect.poll(async () => (await call('/metrics')).text()).toContain('parley_http_requests_in_flight 2')
    await stop({ limitMs: 500 })
    expect(await aborted).toBeInstanceOf(Error)
  })

  test('stops once when it is stopped twice', async () => {
    const { stop } = await servedPlatform()
    await Promise.all([stop(), stop({ limitMs: 1 })])
  })
})
