import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { JobHints } from '../../../../src/platform/store/postgres/job-hints.ts'
import { controlTime, releaseTime } from '../../../support/fake-timers.ts'

beforeEach(() => controlTime())
afterEach(() => releaseTime())

test('however many jobs a server schedules, it tells the others at most 20 times a second, and of the last one too', async () => {
  const notify = vi.fn(async () => {})
  const hints = new JobHints(
    async () => ({ notify, end: () => {} }),
    () => {},
  )
  await vi.advanceTimersByTimeAsync(1)
  for (let ms = 0; ms < 999; ms++) {
    hints.send()
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(notify.mock.calls.length).toBeLessThanOrEqual(20)
  expect(notify.mock.calls.length).toBeGreaterThan(10)
  await vi.advanceTimersByTimeAsync(200)
  const sent = notify.mock.calls.length
  // The last job was scheduled after the hint before. Nothing is sent after it.
  expect(sent).toBeLessThanOrEqual(21)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(notify).toHaveBeenCalledTimes(sent)
  // After a pause, the hint of the next job is sent at once.
  hints.send()
  expect(notify).toHaveBeenCalledTimes(sent + 1)
  hints.close()
})
