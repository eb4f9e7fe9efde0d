import { expect, test } from 'vitest'
import { findRepeated } from '../../../src/client/journal/open-operations.ts'

const at = Date.parse('2026-01-31T09:00:00Z')
const intent = {
  endpoint: 'sms.send',
  input: { from: '+14155550199', to: '+14155550142', body: 'Hello' },
  idempotencyKey: 'k-2',
  profile: 'live',
  baseUrl: 'https://platform.test',
}
const entry = { ...intent, id: 'j-1', idempotencyKey: 'k-1', at: new Date(at).toISOString(), state: 'done' } as const

test.each([
  ['the same SMS', entry, true],
  ['an older one', { ...entry, at: new Date(at - 1).toISOString() }, false],
  ['one whose outcome is open', { ...entry, state: 'unknown' }, false],
  ['one that only repeated a request with its key', { ...entry, detail: { replayed: true } }, false],
  ['one with another text', { ...entry, input: { ...entry.input, body: 'Bye' } }, false],
  ['one to another recipient', { ...entry, input: { ...entry.input, to: '+14155550143' } }, false],
  ['one to another platform', { ...entry, baseUrl: 'https://other.test' }, false],
])('%s counts as a repetition: %s', (_, earlier, isRepeated) => {
  const found = findRepeated({ list: () => [earlier as never] }, intent, at, { sameAccount: () => true })
  expect(found !== undefined).toBe(isRepeated)
})
