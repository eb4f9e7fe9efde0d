import fc from 'fast-check'
import { CompiledQuery } from 'kysely'
import { describe, expect, test } from 'vitest'
import { listLeads } from '../../../../src/platform/store/campaigns/leads.ts'
import { phoneBlockQuery } from '../../../../src/platform/store/campaigns/phone-search.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases, sqlite } from '../../../support/databases.ts'

const numbers = [
  ...['+14155550123', '+14155551230', '+442071230456', '+12', '2001', '441234'],
  // The longest ones have more than fifteen digits.
  ...['+4915123456789', '+491512345678901', '+4915123456789012', '+49151234567890123', '+491512345678901234'],
]

/** Adds accounts with a campaign each, and the same numbers as leads. */
async function addLeads(connection: Connection, added: readonly string[] = numbers, accounts = [1, 2]): Promise<void> {
  const common = { created_at: 1, updated_at: 1 }
  await connection.write('everything', async (query) => {
    for (const id of accounts) {
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
      for (const phone_number of added)
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
      numbers.flatMap((number) => {
        const digits = number.replace('+', '')
        return Array.from(digits, (_, n) =>
          [1, 2, 3, 4, 5, 6, 7, 8, 11].map((length) => digits.slice(n, n + length)),
        ).flat()
      }),
    )
    for (const phone of [...parts, '999', '5550123999', '0123+']) {
      const page = await listLeads(accountQuery(connection.read, 2), {
        account: 2,
        filters: {},
        phone,
        offset: 0,
        limit: 50,
      })
      const expected = numbers.filter((it) => it.includes(phone.replace('+', '')))
      expect(page.rows.map((it) => it.phone_number).sort(), phone).toEqual(expected.sort())
      expect(page.total).toBe(expected.length)
      expect(page.rows.every((it) => it.account_id === 2)).toBe(true)
    }
  })

  test('finds parts of any length anywhere in numbers of any length, also within a campaign', async () => {
    const connection = await fresh()
    const drawn = fc.sample(fc.string({ unit: fc.constantFrom('1', '2', '3'), minLength: 5, maxLength: 17 }), {
      numRuns: 300,
      seed: 7,
    })
    const all = [...new Set(drawn)].map((it) => `+${it}`)
    await addLeads(connection, all)
    const parts = [
      ...new Set(
        fc.sample(fc.string({ unit: fc.constantFrom('1', '2', '3'), minLength: 3, maxLength: 9 }), {
          numRuns: 200,
          seed: 8,
        }),
      ),
    ]
    for (const phone of parts)
      for (const campaign_id of [undefined, 1]) {
        const page = await listLeads(accountQuery(connection.read, 1), {
          account: 1,
          filters: { campaign_id },
          phone,
          offset: 0,
          limit: 1000,
        })
        expect(page.rows.map((it) => it.phone_number).sort(), phone).toEqual(
          all.filter((it) => it.includes(phone)).sort(),
        )
      }
    const other = await listLeads(accountQuery(connection.read, 1), {
      account: 1,
      filters: { campaign_id: 2 },
      phone: '1231',
      offset: 0,
      limit: 1,
    })
    expect(other.total).toBe(0)
  })
})

describe('a search for a part of a number on SQLite', () => {
  test.each(['1234', '12345', '123456', '1234567'])('reads only entries of indexes for %s', async (digits) => {
    const { read } = await sqlite.fresh()
    for (const campaign of [undefined, 1]) {
      const { sql, parameters } = phoneBlockQuery({ account: 1, campaign, digits }).compile(read)
      const { rows } = await read.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
      )
      const searches = rows.map((it) => it.detail).filter((it) => /\blead\b/.test(it))
      const blocks = searches.filter((search) =>
        /^SEARCH lead USING COVERING INDEX lead_phone_block_\d+ \(account_id=\? AND <expr>(=\?|>\? AND <expr><\?)\)$/.test(
          search,
        ),
      )
      expect(
        searches.filter((it) => !blocks.includes(it)),
        searches.join('\n'),
      ).toHaveLength(1)
      expect(searches.at(-1)).toMatch(/^SEARCH lead USING (COVERING )?INDEX lead_phone_long \(account_id=\?\)$/)
    }
  })

  test('finds a part that more than ten thousand leads have', async () => {
    const connection = await sqlite.fresh()
    const numbers = Array.from({ length: 10_010 }, (_, n) => `+1415${2_000_000 + n}`)
    await addLeads(connection, numbers, [1])
    const page = await listLeads(accountQuery(connection.read, 1), {
      account: 1,
      filters: {},
      phone: '1415',
      offset: 0,
      limit: 3,
    })
    expect([page.total, page.rows.map((it) => it.phone_number)]).toEqual([10_010, numbers.slice(-3).reverse()])
  })
})
