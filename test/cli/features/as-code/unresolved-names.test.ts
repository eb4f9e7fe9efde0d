import { expect, test } from 'vitest'
import { assistants } from '../../../../src/cli/nouns/assistants/files.ts'
import { findUnresolvedNames } from '../../../../src/cli/program/documents/name-references.ts'
import { usageError } from '../../../../src/cli/program/errors/usage-error.ts'
import { ClientFailure } from '../../../../src/client/failures/client-failure.ts'

const content = { name: 'Desk', tool_ids: ['known', 'unknown', 'twice'] }
const find = (idOf: (name: unknown) => Promise<unknown>) =>
  findUnresolvedNames({ idOf, all: async () => ['known'] } as never, assistants, content, 'desk.yaml')

test('names in a file that nothing has, and names that several have, are both listed', async () => {
  const found = await find(async (name) => {
    if (name === 'twice') throw usageError('Several tools are named "twice": 1, 2.')
    return name === 'known' ? 7 : undefined
  })
  expect(found).toEqual({
    unresolved: [{ to: 'tools', name: 'unknown', path: 'tool_ids.1', known: ['known'] }],
    ambiguous: ['Several tools are named "twice": 1, 2'],
  })
})

test.each([
  new ClientFailure({ exit: 'connection', code: 'unreachable', message: 'The platform is unreachable.' }),
  new ClientFailure({ exit: 'auth', code: 'unauthenticated', message: 'The key is invalid.' }),
  new Error('A defect.'),
])('a list that cannot be read is not an ambiguous name: %s', async (error) => {
  await expect(find(async () => Promise.reject(error))).rejects.toBe(error)
})
