import { dirname } from 'node:path'
import { type MigrateOptions, migrateData } from '../../../../src/platform/control/transfer/data-transfer.ts'
import { sqlite, type TestDatabase } from '../../../support/databases.ts'
import { isAlive, type Place } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

/** A name with characters that need care. */
export const awkward = 'Zoë "Ω" \\ \' \u0001\t\n\u{1F600} \u2028 null'

/** Returns a data folder with sample data, awkward values and a gap at the end of the ids. */
export async function filled(): Promise<Place & { readonly key: string }> {
  const api = await fresh(sqlite, { seed: 7 })
  await api.control('POST', '/control/clock/freeze', {})
  const tables = await tablesOf(api.place)
  await tables.write('everything', async (query) => {
    await query
      .updateTable('account')
      .set({ name: awkward, balance: -9_007_199_254_740_991 })
      .where('id', '=', 1)
      .execute()
    await query.updateTable('tool').set({ description: '' }).execute()
    const last = await query.selectFrom('tool').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    await query.deleteFrom('assistant_tool').where('tool_id', '=', last.id).execute()
    await query.deleteFrom('tool').where('id', '=', last.id).execute()
  })
  const key = String(api.platform.credentials().key)
  await api.platform.close()
  return { ...api.place, key }
}

const migrating = { pid: process.pid, isAlive }
/** Migrates a folder. */
export const migrate = (dataDir: string, to: string, options: Partial<MigrateOptions> = {}) =>
  migrateData({ dataDir, to, isVerifying: false, onProgress: () => {}, ...options }, migrating)

/** Returns an empty target. */
export async function targetOf(database: TestDatabase): Promise<{ readonly to: string; readonly place: Place }> {
  const target = await database.unmade()
  return 'url' in target
    ? { to: target.url, place: { dataDir: '', database: target.url } }
    : { to: dirname(target.file), place: { dataDir: dirname(target.file) } }
}
