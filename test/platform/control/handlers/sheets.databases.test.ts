import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const sheets = '/control/accounts/1/sheets'

describe.each(databases)('spreadsheets of the control API on $name', (database) => {
  it('are created, listed, and edited row by row', async () => {
    const { control, place } = await fresh(database)
    expect((await control('GET', sheets)).body).toEqual({ data: [] })
    const made = await control('POST', `${sheets}/contacts`, { columns: ['Name', 'Phone'] })
    const file = database.name === 'sqlite' ? join(place.dataDir, 'spreadsheets', '1', 'contacts.csv') : null
    expect(made).toMatchObject({ status: 201, body: { data: { name: 'contacts', sheet: null, rows: 0, file } } })
    expect((await control('POST', `${sheets}/contacts`, { columns: ['Other'] })).status).toBe(409)
    for (const Name of ['Ada', 'Grace', 'Joan'])
      expect((await control('POST', `${sheets}/contacts/rows`, { values: { Name } })).status).toBe(201)
    expect(
      (await control('PUT', `${sheets}/contacts/rows/3`, { values: { Phone: '7', City: 'Bern' } })).body.data,
    ).toEqual({ number: 3, values: { Name: 'Grace', Phone: '7', City: 'Bern' } })
    expect((await control('DELETE', `${sheets}/contacts/rows/2`)).status).toBe(200)
    expect((await control('GET', `${sheets}/contacts/rows`)).body.data).toEqual([
      { number: 2, values: { Name: 'Grace', Phone: '7', City: 'Bern' } },
      { number: 3, values: { Name: 'Joan', Phone: '', City: '' } },
    ])
    await control('POST', `${sheets}/contacts`, { columns: ['A'], sheet: 'Archive 1' })
    expect((await control('GET', sheets)).body.data).toMatchObject([
      { name: 'contacts', sheet: null, rows: 2 },
      { name: 'contacts', sheet: 'Archive 1', rows: 0 },
    ])
    expect((await control('GET', `${sheets}/contacts/rows?sheet=Archive%201`)).body.data).toEqual([])
    if (file !== null) expect(readFileSync(file, 'utf8')).toBe('Name,Phone,City\nGrace,7,Bern\nJoan\n')
    else expect(existsSync(join(place.dataDir, 'spreadsheets'))).toBe(false)
  })

  it('that do not exist, and rows that do not exist, are not found; names outside the folder are refused', async () => {
    const { control } = await fresh(database)
    expect(await control('GET', `${sheets}/none/rows`)).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('parley server sheets create') },
    })
    await control('POST', `${sheets}/contacts`, { columns: ['Name'] })
    for (const row of [2, 9]) expect((await control('DELETE', `${sheets}/contacts/rows/${row}`)).status).toBe(404)
    expect((await control('DELETE', `${sheets}/contacts/rows/1`)).status).toBe(404)
    for (const name of ['..', '.hidden', '%2Fetc%2Fpasswd', 'a%2Fb'])
      expect((await control('POST', `${sheets}/${name}`, { columns: ['Name'] })).status).toBe(404)
    expect((await control('GET', '/control/accounts/99/sheets')).status).toBe(404)
    expect((await control('POST', `${sheets}/contacts/rows`, { values: {} })).status).toBe(422)
  })

  it('are in the folder of a connection', async () => {
    const { control } = await fresh(database)
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'book'))
    writeFileSync(join(folder, 'damaged.csv'), 'Name\n"open\n')
    writeFileSync(join(folder, 'book', 'Second.csv'), 'Name\nAda\n')
    await control('POST', '/control/accounts/1/connections', {
      kind: 'spreadsheet',
      name: 'shared',
      secret: { folder },
    })
    const used = '?connection=shared'
    expect((await control('GET', `${sheets}${used}`)).body.data).toEqual([
      { name: 'book', sheet: 'Second', rows: 1, file: join(folder, 'book', 'Second.csv') },
      { name: 'damaged', sheet: null, rows: null, file: join(folder, 'damaged.csv') },
    ])
    await control('POST', `${sheets}/book/rows`, { values: { Name: 'Joan' }, sheet: 'Second', connection: 'shared' })
    expect(readFileSync(join(folder, 'book', 'Second.csv'), 'utf8')).toBe('Name\nAda\nJoan\n')
    expect((await control('GET', `${sheets}/damaged/rows${used}`)).status).toBe(422)
    expect((await control('GET', `${sheets}?connection=none`)).status).toBe(404)
    // It is the only spreadsheet connection, so automations use it as well.
    expect((await control('GET', sheets)).body.data).toHaveLength(2)
  })
})
