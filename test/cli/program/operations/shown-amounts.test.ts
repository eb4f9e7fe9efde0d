import { expect, test } from 'vitest'
import { toShownEntry } from '../../../../src/cli/program/operations/operation-view.ts'
import type { JournalEntry } from '../../../../src/client/journal/open-operations.ts'

const entry = (endpoint: string, more: Partial<JournalEntry> = {}): JournalEntry =>
  ({ id: '1', at: '2026-08-04T12:00:00.000Z', endpoint, input: {}, state: 'refused', ...more }) as JournalEntry

test.each([
  ['numbers.buy', {}, 0],
  ['numbers.buy', { state: 'done', priceUsd: 1.15 }, 1.15],
  ['numbers.buy', { state: 'done', detail: { costUsd: 2 }, priceUsd: 1.15 }, 2],
  ['numbers.buy', { state: 'unknown' }, null],
  ['automate.update', {}, null],
  ['automate.restore', { state: 'cancelled' }, null],
  ['automate.update', { state: 'done' }, null],
] as [string, Partial<JournalEntry>, number | null][])('the amount of %s %j is %j', (endpoint, more, amount) => {
  expect(toShownEntry(entry(endpoint, more)).amount_usd).toBe(amount)
})
