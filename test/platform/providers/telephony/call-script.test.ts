import { expect, test } from 'vitest'
import { scriptedProgress } from '../../../../src/platform/providers/telephony/call-script.ts'

const call = { opening: 'Hello.', maxDurationSeconds: 600, ringTimeoutSeconds: 30 } as Parameters<
  typeof scriptedProgress
>[1]
const second = 1_000_000

test.each([
  ['no-answer', 30],
  ['busy', 5],
  ['ended_by_customer', 5],
] as const)('a call with the end %s rings for %i seconds', (status, seconds) => {
  const at = (now: number) => scriptedProgress({ status, turns: [] }, call, 0, now * second).status
  expect(at(seconds - 1)).toBe('ringing')
  expect(at(seconds)).not.toBe('ringing')
})
