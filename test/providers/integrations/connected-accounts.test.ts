import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import type { Mail } from '../../../src/flow/pieces/ports.ts'
import { localProviders } from '../../../src/providers/local/local-providers.ts'
import { afterwards, databases, temporaryFolder } from '../../support/databases.ts'
import { mailSink } from '../../support/platform/template-platform.ts'

const ownerOf = { account: 3, secret: {} }
const mail: Mail = { to: ['a@x.example'], cc: [], bcc: ['b@x.example'], subject: 'Hello', text: 'How are you?' }

describe.each(databases)('what accounts connect, on $name', (database) => {
  const dying = (step: string) => async (at: string) => (at === step ? Promise.reject(new Error('killed')) : undefined)
  async function opened() {
    const [connection, folder] = [await database.fresh(), temporaryFolder()]
    const place = { connection, seed: 'one', folder }
    const file = (name: string): string => join(folder, 'spreadsheets', '3', name)
    mkdirSync(join(folder, 'spreadsheets', '3', 'other'), { recursive: true })
    return {
      connection,
      file,
      local: localProviders(place),
      killedAt: (step: string) => localProviders({ ...place, gate: dying(step) }),
    }
  }

  test('mail stays in the outbox without a server, and says so; a key sends once', async () => {
    const { connection, local } = await opened()
    expect(await local.mail.describe?.()).toContain('is not sent')
    const first = await local.mail.send('k', ownerOf, mail, 1_000_000)
    expect(first).toEqual({ ok: true, id: expect.stringMatching(/^<[0-9a-f]{32}@parley\.invalid>$/) })
    expect(await local.mail.send('k', ownerOf, mail, 2_000_000)).toEqual(first)
    await expect(local.mail.send('k', ownerOf, { ...mail, subject: 'Other' }, 1)).rejects.toThrow(
      'was used with another request',
    )
    const saved = await connection.read.selectFrom('local_mail').selectAll().execute()
    expect(saved).toMatchObject([
      { owner: 3, server: null, subject: 'Hello', body: 'How are you?', recipients: '["a@x.example","b@x.example"]' },
    ])
  })

  test('mail goes to the server a connection names, once, and under the same Message-ID where nobody knows whether it went', async () => {
    const { port, got } = await mailSink()
    const { connection, local, killedAt } = await opened()
    const over = { account: 3, secret: { host: '127.0.0.1', port, from: 'Desk <desk@x.example>' } }
    await expect(killedAt('mail.send:after').mail.send('k', over, mail, 1_000_000)).rejects.toThrow('killed')
    expect(await local.mail.send('k', over, mail, 1_000_000)).toMatchObject({ ok: true })
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({ from: 'desk@x.example', to: ['a@x.example', 'b@x.example'] })
    expect(got[0]?.raw).toMatch(/^Message-ID: <[0-9a-f]{32}@x\.example>\r$/m)
    expect(got[0]?.raw).not.toContain('b@x.example')
    // As when the process dies between the server and the books.
    await connection.write((query) => query.deleteFrom('local_mail').execute())
    await local.mail.send('k', over, mail, 1_000_000)
    expect(got[1]?.raw).toBe(got[0]?.raw)
  })

  test('a mail server that refuses is told of: for good, for now, for its certificate, for the access', async () => {
    const { local } = await opened()
    let code = 554
    const { port } = await mailSink(() => Object.assign(new Error('No.'), { responseCode: code }))
    const over = (access: object) => ({
      account: 3,
      secret: { host: '127.0.0.1', port, from: 'desk@x.example', ...access },
    })
    expect(await local.mail.send('1', over({}), mail, 1)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('No.'),
    })
    code = 451
    expect(await local.mail.send('2', over({}), mail, 1)).toMatchObject({ ok: false, because: 'busy' })
    expect(await local.mail.send('3', over({ port: 1 }), mail, 1)).toMatchObject({ ok: false, because: 'busy' })
    expect(await local.mail.send('4', over({ from: 'nobody' }), mail, 1)).toMatchObject({
      ok: false,
      because: 'access',
    })
    const encrypted = new SMTPServer({ authOptional: true })
    await new Promise<void>((resolve) => encrypted.listen(0, '127.0.0.1', resolve))
    afterwards(() => new Promise<void>((resolve) => encrypted.close(() => resolve())))
    const answer = await local.mail.send('5', over({ port: (encrypted.server.address() as AddressInfo).port }), mail, 1)
    expect(answer).toMatchObject({ ok: false, reason: expect.stringMatching(/certificate/i) })
  })

  test('a row is added once for its key, wherever the process died', async () => {
    const { file, local, killedAt } = await opened()
    writeFileSync(file('a.csv'), '\ufeffName,Town\r\nAda,"Oak, land"\r\n')
    const at = { spreadsheet: 'a' }
    for (const step of ['sheets.change:after', 'sheets.apply:before', 'sheets.apply:after'])
      await expect(killedAt(step).sheets.append(step, ownerOf, at, { Name: step })).rejects.toThrow('killed')
    for (const step of ['sheets.apply:after', 'sheets.change:after', 'sheets.apply:before'])
      expect(await local.sheets.append(step, ownerOf, at, { Name: step })).toMatchObject({
        ok: true,
        row: { values: { Name: step, Town: '' } },
      })
    expect(readFileSync(file('a.csv'), 'utf8')).toBe(
      'Name,Town\nAda,"Oak, land"\nsheets.change:after\nsheets.apply:before\nsheets.apply:after\n',
    )
  })

  test('a row that was written before the process died is not written again, by it or by another', async () => {
    const { file, local, killedAt } = await opened()
    writeFileSync(file('a.csv'), 'N\n')
    const at = { spreadsheet: 'a' }
    for (const [n, key] of ['one', 'two'].entries()) {
      await expect(killedAt('sheets.change:after').sheets.append(key, ownerOf, at, { N: key })).rejects.toThrow(
        'killed',
      )
      writeFileSync(file('a.csv'), `${readFileSync(file('a.csv'), 'utf8')}${key}\n`)
      if (n === 0)
        expect(await local.sheets.append(key, ownerOf, at, { N: key })).toEqual({
          ok: true,
          row: { number: 2, values: { N: 'one' } },
        })
    }
    await local.sheets.append('three', ownerOf, at, { N: 'three' })
    expect(await local.sheets.append('two', ownerOf, at, { N: 'two' })).toEqual({
      ok: true,
      row: { number: 3, values: { N: 'two' } },
    })
    expect(readFileSync(file('a.csv'), 'utf8')).toBe('N\none\ntwo\nthree\n')
  })

  test('two that add at once both add', async () => {
    const { file, local } = await opened()
    writeFileSync(file('a.csv'), 'N\n')
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        local.sheets.append(`k${n}`, ownerOf, { spreadsheet: 'a' }, { N: String(n) }),
      ),
    )
    expect(new Set(rows.map((it) => it.ok && it.row.number)).size).toBe(20)
    expect(
      readFileSync(file('a.csv'), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  test('rows are changed, removed and read by header or letter, in any sheet', async () => {
    const { file, local } = await opened()
    writeFileSync(file('a.csv'), 'Name,\nAda,1\nBob,2\nCy,3\n')
    const at = { spreadsheet: 'a' }
    expect(await local.sheets.update('u', ownerOf, at, 3, { B: '9', Note: 'new' })).toEqual({
      ok: true,
      row: { number: 3, values: { Name: 'Bob', B: '9', Note: 'new' } },
    })
    expect(await local.sheets.remove('r', ownerOf, at, 2)).toMatchObject({ ok: true })
    expect(await local.sheets.remove('r', ownerOf, at, 2)).toMatchObject({ ok: true })
    expect(await local.sheets.rows(ownerOf, at, 1, 10)).toMatchObject({
      rows: [
        { number: 2, values: { Name: 'Bob' } },
        { number: 3, values: { Name: 'Cy' } },
      ],
    })
    writeFileSync(file('other/Second sheet.csv'), '')
    expect(
      await local.sheets.append('s', ownerOf, { spreadsheet: 'other', sheet: 'Second sheet' }, { A: 'x', B: 'y' }),
    ).toMatchObject({ row: { number: 2 } })
    expect(readFileSync(file('other/Second sheet.csv'), 'utf8')).toBe('A,B\nx,y\n')
  })

  test.each(['none', '../3/a', '.hidden', 'a/b', 'a\0', ''])('the spreadsheet %j is not there', async (spreadsheet) => {
    const { file, local } = await opened()
    writeFileSync(file('a.csv'), 'N\n')
    expect(await local.sheets.rows(ownerOf, { spreadsheet }, 1, 1)).toMatchObject({ ok: false, because: 'missing' })
    expect(await local.sheets.append('k', ownerOf, { spreadsheet }, { N: '1' })).toMatchObject({
      ok: false,
      because: 'missing',
    })
    expect(await local.sheets.rows({ ...ownerOf, account: 4 }, { spreadsheet: 'a' }, 1, 1)).toMatchObject({
      ok: false,
      because: 'missing',
    })
  })

  test('appointments are booked, moved and cancelled once for their key, each calendar and account for itself', async () => {
    const { local, killedAt } = await opened()
    const draft = {
      event: 'Check-up',
      start: '2027-03-02T09:00:00.000Z',
      timezone: 'UTC',
      name: 'Ada',
      email: 'Ada@x.example',
      phone: '+1 415 555 0100',
    }
    await expect(killedAt('bookings.change:after').calendarA.book('k', ownerOf, draft)).rejects.toThrow('killed')
    const booked = await local.calendarA.book('k', ownerOf, draft)
    const id = booked.ok ? booked.appointment.id : ''
    expect(await local.calendarA.find(ownerOf, { phone: '+14155550100' })).toEqual([
      {
        id,
        title: 'Check-up',
        start: draft.start,
        end: '2027-03-02T09:30:00.000Z',
        status: 'booked',
        name: 'Ada',
        email: 'ada@x.example',
        phone: draft.phone,
      },
    ])
    expect(await local.calendarB.find(ownerOf, {})).toEqual([])
    expect(await local.calendarA.find({ ...ownerOf, account: 4 }, {})).toEqual([])
    expect(await local.calendarA.find(ownerOf, { from: '2027-03-02T09:00:01.000Z' })).toEqual([])
    expect(await local.calendarA.find(ownerOf, { email: 'b@x.example' })).toEqual([])
    expect(await local.calendarA.move('m', ownerOf, id, '2027-03-03T10:00:00Z')).toMatchObject({
      appointment: { start: '2027-03-03T10:00:00.000Z' },
    })
    expect(await local.calendarA.cancel('c', ownerOf, id, 'ill')).toMatchObject({
      appointment: { status: 'cancelled' },
    })
    expect(await local.calendarA.cancel('c', ownerOf, id, 'ill')).toMatchObject({ ok: true })
    expect(await local.calendarA.cancel('d', ownerOf, id, '')).toMatchObject({
      ok: false,
      reason: 'The appointment is already cancelled.',
    })
    expect(await local.calendarA.move('e', { ...ownerOf, account: 4 }, id, draft.start)).toMatchObject({
      ok: false,
      because: 'missing',
    })
    expect(await local.calendarA.book('f', ownerOf, { ...draft, event: '404' })).toMatchObject({
      ok: false,
      because: 'missing',
    })
    await expect(local.calendarA.book('k', ownerOf, { ...draft, name: 'Bob' })).rejects.toThrow(
      'was used with another request',
    )
  })

  test('a contact is one by its number or mail address, and gathers what is known', async () => {
    const { connection, local, killedAt } = await opened()
    await expect(
      killedAt('crm.change:after').crmB.saveContact('1', ownerOf, {
        phone: '+14155550100',
        name: 'Ada',
        tags: ['new'],
      }),
    ).rejects.toThrow('killed')
    const { id } = await local.crmB.saveContact('1', ownerOf, { phone: '+14155550100', name: 'Ada', tags: ['new'] })
    await local.crmB.saveContact('2', ownerOf, {
      phone: '+1 (415) 555-0100',
      email: 'A@x.example',
      tags: ['called'],
      fields: { town: 'Oakland' },
    })
    expect(await local.crmB.findContact(ownerOf, { email: 'a@x.example' })).toMatchObject({
      id,
      name: 'Ada',
      tags: ['new', 'called'],
      fields: { town: 'Oakland' },
    })
    expect(await local.crmB.findContact(ownerOf, {})).toBeNull()
    expect(await local.crmB.addNote('n', ownerOf, id, 'Nice.')).toMatchObject({ ok: true })
    expect(await local.crmB.addNote('n', ownerOf, id, 'Nice.')).toMatchObject({ ok: true })
    expect(await local.crmB.addNote('o', { ...ownerOf, account: 4 }, id, 'Nice.')).toMatchObject({
      ok: false,
      because: 'missing',
    })
    expect(await connection.read.selectFrom('local_note').select('text').execute()).toEqual([{ text: 'Nice.' }])
    const other = await local.crmB.saveContact('3', ownerOf, { name: 'Bob' })
    expect((await local.crmB.contactsAfter(ownerOf, id)).map((it) => it.id)).toEqual([other.id])
    expect(await local.crmB.contactsAfter(ownerOf, null)).toHaveLength(2)
  })
})
