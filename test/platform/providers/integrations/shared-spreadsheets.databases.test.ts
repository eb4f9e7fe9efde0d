import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importSheets } from '../../../../src/platform/providers/integrations/import-sheets.ts'
import { localProviders } from '../../../../src/platform/providers/local/local-providers.ts'
import { eraseAccount } from '../../../../src/platform/store/database/erase-data.ts'
import { openStore } from '../../../../src/platform/store/database/open-store.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'

const owner = { account: 3, secret: {}, now: 1_000_000 }
const at = { spreadsheet: 'a' }

function write(folder: string, name: string, text: string): void {
  const file = join(folder, 'spreadsheets', '3', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

describe.each(databases)('spreadsheets of several servers on $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('are files: a SQLite file has one server')

  /** Two servers of one database, each with its data folder. */
  async function twoServers() {
    const place = await target()
    return Promise.all(
      ['first', 'second'].map(async () => {
        const connection = await openStore(place)
        afterFile(() => connection.close())
        const folder = temporaryFolder()
        return { connection, folder, ...localProviders({ connection, seed: 'one', folder }) }
      }),
    ) as Promise<[Server, Server]>
  }
  type Server = ReturnType<typeof localProviders> & {
    readonly folder: string
    readonly connection: Awaited<ReturnType<typeof openStore>>
  }

  it('are in the database, so that a row of one server is seen by the other', async () => {
    const [first, second] = await twoServers()
    write(first.folder, 'a.csv', 'N\n')
    write(first.folder, 'book/Second sheet.csv', 'A\n1\n')
    expect(await importSheets(first.connection, first.folder, () => {})).toEqual([
      'spreadsheets/3/a.csv',
      'spreadsheets/3/book/Second sheet.csv',
    ])
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? first : second).sheets.append(`k${n}`, owner, at, { N: String(n) }),
      ),
    )
    expect(new Set(rows.map((it) => it.ok && it.value.number)).size).toBe(20)
    // A repeated key on the other server.
    expect(await second.sheets.append('k1', owner, at, { N: '1' })).toEqual(rows[1])
    expect(await first.sheets.append('k0', owner, at, { N: '0' })).toEqual(rows[0])
    expect(await first.sheets.update('u', owner, at, 2, { N: 'x' })).toMatchObject({ ok: true })
    expect(await second.sheets.remove('r', owner, at, 3)).toMatchObject({ ok: true })
    for (const { sheets } of [first, second]) {
      const read = await sheets.rows(owner, at, 1, 100)
      expect(read.ok && read.value.length).toBe(19)
      expect(read).toMatchObject({ value: expect.arrayContaining([{ number: 2, values: { N: 'x' } }]) })
    }
    expect(await second.sheets.rows(owner, { spreadsheet: 'book', sheet: 'Second sheet' }, 1, 5)).toMatchObject({
      value: [{ number: 2, values: { A: '1' } }],
    })
    expect(readFileSync(join(first.folder, 'spreadsheets', '3', 'a.csv'), 'utf8')).toBe('N\n')
  })

  it('are copied to the database once, and are deleted with their account', async () => {
    const [first, second] = await twoServers()
    write(first.folder, 'a.csv', 'N\n1\n')
    write(first.folder, 'bad.csv', 'N\n"open\n')
    const logged: string[] = []
    expect(await importSheets(first.connection, first.folder, (it) => logged.push(it))).toEqual([
      'spreadsheets/3/a.csv',
    ])
    expect(logged).toEqual(['The spreadsheet spreadsheets/3/bad.csv is not valid CSV: a quote is never closed.'])
    write(second.folder, 'a.csv', 'N\nother\n')
    expect(await importSheets(second.connection, second.folder, () => {})).toEqual([])
    expect(await second.sheets.rows(owner, at, 1, 5)).toMatchObject({ value: [{ values: { N: '1' } }] })
    await first.connection.write('everything', (query) => eraseAccount(query, first.connection.dialect, 3))
    const left = await first.connection.read.selectFrom('local_sheet').selectAll().execute()
    expect(left).toEqual([])
  })

  it('in a folder that a connection names are used only if all servers see the same folder', async () => {
    const [first, second] = await twoServers()
    const shared = temporaryFolder()
    writeFileSync(join(shared, 'a.csv'), 'N\n')
    const over = { ...owner, secret: { folder: shared } }
    expect(await first.sheets.append('1', over, at, { N: '1' })).toMatchObject({ ok: true })
    expect(await second.sheets.append('2', over, at, { N: '2' })).toMatchObject({ ok: true })
    expect(readFileSync(join(shared, 'a.csv'), 'utf8')).toBe('N\n1\n2\n')
    // Another folder under the same path, as on a machine without the mount.
    writeFileSync(join(shared, '.parley-shared'), 'another')
    expect(await second.sheets.append('3', over, at, { N: '3' })).toEqual({
      ok: false,
      because: 'missing',
      reason: expect.stringContaining(
        'is not the one that another server has used. Mount the same folder on all servers',
      ),
    })
    expect(readFileSync(join(shared, 'a.csv'), 'utf8')).toBe('N\n1\n2\n')
  })
})
