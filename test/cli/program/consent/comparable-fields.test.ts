import { expect, test } from 'vitest'
import { comparableFields } from '../../../../src/cli/program/consent/delete-resource.ts'
import { loadRecorded } from '../../../../src/cli/program/resources/registry.ts'

test.each([
  ['assistants', { name: 'Front desk', status: 'active', created_at: '2026-01-31T09:00:00Z' }, ['name', 'status']],
  ['campaigns', { name: 'Recall', status: 'in-progress', leads_count: 3 }, ['name', 'status']],
  ['numbers', { nickname: 'Desk', ends_at: '2026-02-28T09:00:00Z' }, ['nickname', 'ends_at']],
  ['folders', { name: 'Desk', assistants_count: 2 }, ['name']],
])(
  'a question about one of the %s is repeated if what people decide by has changed',
  async (noun, record, compared) => {
    const fields = comparableFields(await loadRecorded(noun), { id: 1, ...record } as never)
    expect(Object.keys(fields).sort()).toEqual([...compared].sort())
  },
)
