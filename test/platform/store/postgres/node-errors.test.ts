import { expect, test } from 'vitest'
import { isNodeAway, type StoreError } from '../../../../src/platform/store/database/store-error.ts'
import { toStoreError } from '../../../../src/platform/store/postgres/postgres-store-errors.ts'

const converted = (severity: string, code: string, message: string) =>
  toStoreError(Object.assign(new Error(message), { severity, code }), 'db:5432/parley') as StoreError

test.each([
  ['08006', 'connection to the remote node parley@10.0.0.2:5432 failed with the following error: Connection refused'],
  ['57P01', 'terminating connection due to administrator command'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
  ['XX000', 'could not commit transaction for shard 102009 on at least one active node'],
])('a node of Citus is away, not the database, when the coordinator fails a statement: %s %s', (code, message) => {
  const error = converted('ERROR', code, message)
  expect([error.reason, isNodeAway(error)]).toEqual(['node_unreachable', true])
  expect(error.message).toBe(
    `A node of the database db:5432/parley cannot be reached: ${message}. The accounts on other nodes are not affected.`,
  )
})

test('the database itself is away when it ends the connection, and other errors are not converted', () => {
  const ended = converted('FATAL', '57P01', 'terminating connection due to administrator command')
  expect([ended.reason, isNodeAway(ended)]).toEqual(['unreachable', false])
  expect(converted('ERROR', 'XX000', 'cache lookup failed').reason).toBeUndefined()
})
