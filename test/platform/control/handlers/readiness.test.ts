import { expect, test } from 'vitest'
import { probePages } from '../../../../src/platform/control/handlers/pages.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { StoreError, type StoreErrorReason } from '../../../../src/platform/store/database/store-error.ts'
import { sqlite } from '../../../support/databases.ts'

/** Returns the reason that /readyz gives when the database fails with one and a pooler in front of it says something. */
async function reasonOf(reason: StoreErrorReason, isPoolerAlone: boolean | undefined): Promise<string> {
  const connection: Connection = {
    ...(await sqlite.fresh()),
    requireInPlace() {
      throw new StoreError(reason, 'fails')
    },
    isPoolerAlone: async () => isPoolerAlone,
  }
  const state = { startedAt: 0, isDraining: false, url: null }
  const answer = await probePages({ connection }, '1.0.0', undefined, state)['/readyz']?.()
  expect(answer?.status).toBe(503)
  return JSON.parse(String(answer?.body)).reason
}

test('a pooler without a connection to the database means that the database is unreachable, not busy', async () => {
  expect(await reasonOf('busy', true)).toBe('database_unreachable')
  expect(await reasonOf('busy', false)).toBe('database_busy')
  expect(await reasonOf('busy', undefined)).toBe('database_busy')
  expect(await reasonOf('unreachable', undefined)).toBe('database_unreachable')
  expect(await reasonOf('full', true)).toBe('database_full')
})
