import { expect, test } from 'vitest'
import { ReceiverLimiter } from '../../../../src/platform/services/deliveries/deliverer.ts'

test('accounts take turns at a receiver that they share, and each keeps the order of its deliveries', () => {
  const limiter = new ReceiverLimiter()
  const url = 'https://crm.example/hook'
  const send = (account_id: number, ids: readonly number[]): number[] =>
    ids.filter((id) => limiter.acquire({ id, account_id, url }))
  const ids = Array.from({ length: 100 }, (_, n) => n)
  const sent = send(1, ids).length
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(90)
  expect(send(2, [1001, 1002])).toEqual([])
  const next = [1, 2, 3, 4].map(() => limiter.release(url)?.id)
  expect(next).toEqual([sent, 1001, sent + 1, 1002])
  expect([...limiter.queued()]).toHaveLength(100 - sent - 2)
  // Another receiver has places of its own.
  expect(limiter.acquire({ id: 2001, account_id: 1, url: `${url}/2` })).toBe(true)
})
