import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkCounters } from '../../../../src/platform/store/database/check-integrity.ts'
import { databases } from '../../../support/databases.ts'
import type { Place } from '../../../support/platform/platform-api.ts'
import { tablesOf } from '../../../support/platform/test-platforms.ts'
import { filled, migrate, targetOf } from './migrations.ts'

describe.each(databases)('migrating to $name', (database) => {
  test('continues the numbering after rows that were deleted, and counts new rows', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    await migrate(source.dataDir, to)
    const insert = async (at: Place): Promise<number> => {
      const tables = await tablesOf(at)
      return tables.write('everything', async (query) => {
        const { id: _, ...row } = await query.selectFrom('tool').selectAll().limit(1).executeTakeFirstOrThrow()
        const { id } = await query.insertInto('tool').values(row).returning('id').executeTakeFirstOrThrow()
        const { id: __, ...lead } = await query.selectFrom('lead').selectAll().limit(1).executeTakeFirstOrThrow()
        await query
          .insertInto('lead')
          .values({ ...lead, phone_number: '+14155550999' })
          .execute()
        return Number(id)
      })
    }
    expect(await insert(place)).toBe(await insert(source))
    expect((await checkCounters((await tablesOf(place)).read)).filter((it) => it.wrong !== 0)).toEqual([])
  })

  test('refuses a target with data; compares it with --verify, and names the tables that differ', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    await migrate(source.dataDir, to)
    await expect(migrate(source.dataDir, to)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringContaining('already has data'),
    })
    expect(await migrate(source.dataDir, to, { isVerifying: true })).toMatchObject({ copied: false })
    const tables = await tablesOf(place)
    await tables.write('everything', (query) =>
      query.updateTable('account').set({ balance: 1 }).where('id', '=', 1).execute(),
    )
    const { tables: compared } = await migrate(source.dataDir, to, { isVerifying: true })
    expect(compared.filter((it) => it.status === 'differs').map((it) => it.table)).toEqual(['account'])
  })

  test('an interrupted migration leaves the target empty, and the next one succeeds', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    let seen = 0
    const interrupted = migrate(source.dataDir, to, {
      onProgress: () => {
        if (++seen === 40) throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    if (place.database === undefined)
      expect(readdirSync(to)).toEqual(
        ['credentials.json', 'secret.key'].filter((it) => existsSync(join(source.dataDir, it))),
      )
    expect(await migrate(source.dataDir, to)).toMatchObject({ copied: true })
  })
})
