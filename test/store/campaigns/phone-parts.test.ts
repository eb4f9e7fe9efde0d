import { describe, expect, test } from 'vitest'
import { listLeads } from '../../../src/store/campaigns/leads.ts'
import type { Connection } from '../../../src/store/database/connection.ts'
import { databases } from '../../support/databases.ts'

const numbers = ['+14155550123', '+14155551230', '+442071230456', '+12', '2001']

/** Two accounts with a campaign each, and the same numbers as leads. */
async function addLeads(connection: Connection): Promise<void> {
  const common = { created_at: 1, updated_at: 1 }
  await connection.write('everything', async (query) => {
    for (const id of [1, 2]) {
      const account = { name: 'One', email: 'a@example.com', kind: 'tenant', payment_method: null } as const
      await query
        .insertInto('account')
        .values({ id, ...account, balance: 0, minute_rate: 0, created_at: 1 })
        .execute()
      const campaign = { name: 'One', channel: 'call', status: 'draft', settings: '{}' } as const
      await query
        .insertInto('campaign')
        .values({ id, account_id: id, ...campaign, ...common })
        .execute()
      for (const phone_number of numbers)
        await query
          .insertInto('lead')
          .values({
            account_id: id,
            campaign_id: id,
            phone_number,
            variables: '{}',
            status: 'created',
            contacts: 0,
            attempts: 0,
            ...common,
          })
          .execute()
    }
  })
}

describe.each(databases)('a search for a part of a number on $name', ({ fresh }) => {
  test('finds the same leads as a comparison with every number, whatever the length of the part', async () => {
    const connection = await fresh()
    await addLeads(connection)
    const parts = new Set(
      numbers.flatMap((it) => {
        const digits = it.replace('+', '')
        return Array.from(digits, (_, n) => [1, 2, 3, 4, 7].map((length) => digits.slice(n, n + length))).flat()
      }),
    )
    for (const phone of [...parts, '999', '5550123999', '0123+']) {
      const page = await listLeads(connection.read, { account: 2, filters: {}, phone, offset: 0, limit: 20 })
      const expected = numbers.filter((it) => it.includes(phone.replace('+', '')))
      expect(page.rows.map((it) => it.phone_number).sort(), phone).toEqual(expected.sort())
      expect(page.total).toBe(expected.length)
      expect(page.rows.every((it) => it.account_id === 2)).toBe(true)
    }
  })
})
