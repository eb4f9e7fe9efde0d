import { afterEach, describe, expect, test } from 'vitest'
import { newId } from '../../../../src/platform/services/automations/publishing/automation-ids.ts'
import { insertAccount } from '../../../../src/platform/store/accounts/accounts.ts'
import { insertRun } from '../../../../src/platform/store/automations/runs.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases } from '../../../support/databases.ts'

describe.each(databases)('the id of a run on $name', (database) => {
  let store: Connection
  afterEach(() => store.close())

  test('is never that of another account, also on a platform with a seed and a frozen clock', async () => {
    store = await database.fresh()
    const seeded = { secret: (label: string) => label.replaceAll(' ', '-'), isSeeded: () => true }
    const id = (account: number) => newId(accountQuery(store.read, account), seeded, 'automation_run', '5')
    await store.write('everything', async (query) => {
      const account = { email: '', kind: 'tenant', balance: 0, minute_rate: 0, payment_method: null, created_at: 0 }
      for (const name of ['one', 'two']) await insertAccount(query, { ...account, name, kind: 'tenant' })
    })
    const first = await id(1)
    await store.write({ account: 1 }, (query) =>
      insertRun(query, {
        ...{ id: first, account_id: 1, automation_id: 'a', version_id: 'v', testing: 0, payload: '{}', held: 0 },
        ...{ status: 'RUNNING', claims: 1, mark: 0, stalls: 0, round: 1, active: 0, created_at: 5 },
      }),
    )
    expect(await id(2)).not.toBe(first)
  })
})
