import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../../src/client/create-client.ts'
import { inProcessTransport } from '../../../src/client/transport/in-process-transport.ts'
import { keys } from '../../../src/contract/resources/keys.ts'
import { realTime } from '../../../src/node/real-time.ts'
import { controlTime, releaseTime } from '../../support/fake-timers.ts'
import { answer } from '../../support/scripted-client.ts'

const request = { method: 'GET', url: '/x', headers: {} }
const options = { timeoutMs: 1000 }

test('a platform in the same process responds like one behind a socket', async () => {
  const call = createClient({
    transport: inProcessTransport(async (it) => answer(200, { api_keys: [], seen: `${it.method} ${it.url}` })),
    key: '1|k',
    sleep: async () => {},
    random: Math.random,
    now: Date.now,
  })
  expect(await call(keys.list, {})).toEqual({ api_keys: [], seen: 'GET /api/user/api-keys' })
})

test('a late response is a timeout, and an interruption ends the wait', async () => {
  let onRequest = (): void => {}
  const transport = inProcessTransport(() => {
    onRequest()
    return new Promise(() => {})
  })
  await expect(transport.send(request, { timeoutMs: 30 })).rejects.toMatchObject({ reason: 'timeout', sent: true })
  const stop = new AbortController()
  onRequest = () => stop.abort()
  await expect(transport.send(request, { ...options, signal: stop.signal })).rejects.toMatchObject({
    reason: 'aborted',
    sent: true,
  })
  await expect(transport.send(request, { ...options, signal: stop.signal })).rejects.toMatchObject({
    reason: 'aborted',
    sent: false,
  })
})

test('a response leaves no timer that keeps the process alive', async () => {
  controlTime()
  onTestFinished(releaseTime)
  // A request lets the event loop turn after 50 ms, which controlled timers would not do.
  const clock = vi.spyOn(realTime, 'monotonicMs').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  await inProcessTransport(async () => answer(200, {})).send(request, options)
  expect(vi.getTimerCount()).toBe(0)
})

test('an exception of the platform is reported as a missing response, and closing closes the platform', async () => {
  let closed = false
  const transport = inProcessTransport(
    async () => {
      throw new Error('the disk is gone')
    },
    async () => {
      closed = true
    },
  )
  await expect(transport.send(request, options)).rejects.toMatchObject({
    name: 'TransportError',
    reason: 'other',
    sent: true,
    message: 'the disk is gone',
  })
  await transport.close()
  expect([closed, transport.base]).toEqual([true, 'embedded:'])
})
