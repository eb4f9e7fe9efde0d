import { expect, test } from 'vitest'
import { createReconnect } from '../../../../src/platform/store/postgres/transaction-writer.ts'

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** Work that fails with these errors, one after the other, then succeeds. */
const failing = (errors: readonly Error[]) => {
  const left = [...errors]
  return async (): Promise<string> => {
    const error = left.shift()
    if (error) throw error
    return 'read'
  }
}

test.each([
  ['a deadlock with an upgrade of the schema', failure('40P01', 'deadlock detected')],
  ['a serialization failure', failure('40001', 'could not serialize access')],
  ['a prepared statement of an earlier schema', failure('0A000', 'cached plan must not change result type')],
])('a read is repeated after %s', async (_, error) => {
  expect(await createReconnect(0).run(failing([error, error]))).toBe('read')
})

test('a read that meets another error is not repeated, nor one that fails without end', async () => {
  await expect(createReconnect(0).run(failing([failure('42703', 'column does not exist')]))).rejects.toThrow('column')
  const deadlock = failure('40P01', 'deadlock detected')
  await expect(createReconnect(0).run(failing(Array.from({ length: 500 }, () => deadlock)))).rejects.toThrow('deadlock')
})
