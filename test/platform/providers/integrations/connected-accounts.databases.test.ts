import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import type { Mail } from '../../../../src/engine/ports.ts'
import { localProviders } from '../../../../src/platform/providers/local/local-providers.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { mailSink } from '../../../support/platform/template-platform.ts'

const owner = { account: 3, secret: {}, now: 1_000_000 }
const mail: Mail = { to: ['a@x.example'], cc: [], bcc: ['b@x.example'], subject: 'Hello', text: 'How are you?' }

describe.each(databases)('connected services on $name', (database) => {
  const dying = (step: string) => async (at: string) => (at === step ? Promise.reject(new Error('killed')) : undefined)
  async function opened() {
    const [connection, folder] = [await database.fresh(), temporaryFolder()]
    const place = { connection, seed: 'one', folder }
    const file = (name: string): string => join(folder, 'spreadsheets', '3', name)
    mkdirSync(join(folder, 'spreadsheets', '3', 'other'), { recursive: true })
    return {
      connection,
      file,
      // On PostgreSQL, sheets are files only in a folder that the connection names.
      sheetOwner:
        database.name === 'sqlite' ? owner : { ...owner, secret: { folder: join(folder, 'spreadsheets', '3') } },
      local: localProviders(place),
      killedAt: (step: string) => localProviders({ ...place, gate: dying(step) }),
    }
  }

  test('mail stays in the outbox without a server, and this is reported; the same key sends once', async () => {
    const { connection, local } = await opened()
    expect(await local.mail.describe?.()).toContain('is not sent')
    const first = await local.mail.send('k', owner, mail)
    expect(first).toEqual({ ok: true, value: { id: expect.stringMatching(/^<[0-9a-f]{32}@parley\.invalid>$/) } })
    expect(await local.mail.send('k', { ...owner, now: 2_000_000 }, mail)).toEqual(first)
    await expect(local.mail.send('k', owner, { ...mail, subject: 'Other' })).rejects.toThrow(
      'was used with another request',
    )
    const saved = await connection.read.selectFrom('local_mail').selectAll().execute()
    expect(saved).toMatchObject([
      { owner: 3, server: null, subject: 'Hello', body: 'How are you?', recipients: '["a@x.example","b@x.example"]' },
    ])
  })

  test('mail is sent to the server of a connection, once, and under the same Message-ID when its outcome is unknown', async () => {
    const { port, got } = await mailSink()
    const { connection, local, killedAt } = await opened()
    const over = { ...owner, secret: { host: '127.0.0.1', port, from: 'Desk <desk@x.example>' } }
    await expect(killedAt('mail.send:after').mail.send('k', over, mail)).rejects.toThrow('killed')
    expect(await local.mail.send('k', over, mail)).toMatchObject({ ok: true })
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({ from: 'desk@x.example', to: ['a@x.example', 'b@x.example'] })
    expect(got[0]?.raw).toMatch(/^Message-ID: <[0-9a-f]{32}@x\.example>\r$/m)
    expect(got[0]?.raw).not.toContain('b@x.example')
    // As when the process dies between the server and the books.
    await connection.write('rows', (query) => query.deleteFrom('local_mail').execute())
    await local.mail.send('k', over, mail)
    expect(got[1]?.raw).toBe(got[0]?.raw)
  })

  test('a refusal of a mail server is classified: permanent, temporary, certificate or login', async () => {
    const { local } = await opened()
    let code = 554
    const { port } = await mailSink(() => Object.assign(new Error('No.'), { responseCode: code }))
    const over = (access: object) => ({
      ...owner,
      secret: { host: '127.0.0.1', port, from: 'desk@x.example', ...access },
    })
    expect(await local.mail.send('1', over({}), mail)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('No.'),
    })
    code = 451
    expect(await local.mail.send('2', over({}), mail)).toMatchObject({ ok: false, because: 'busy' })
    expect(await local.mail.send('3', over({ port: 1 }), mail)).toMatchObject({ ok: false, because: 'busy' })
    expect(await local.mail.send('4', over({ from: 'nobody' }), mail)).toMatchObject({
      ok: false,
      because: 'access',
    })
    const encrypted = new SMTPServer({ authOptional: true })
    await new Promise<void>((resolve) => encrypted.listen(0, '127.0.0.1', resolve))
    afterFile(() => new Promise<void>((resolve) => encrypted.close(() => resolve())))
    const answer = await local.mail.send('5', over({ port: (encrypted.server.address() as AddressInfo).port }), mail)
    expect(answer).toMatchObject({ ok: false, reason: expect.stringMatching(/certificate/i) })
  })

  test('a row is added once for its key, wherever the process ended', async () => {
    const { file, local, killedAt, sheetOwner: owner } = await opened()
    writeFileSync(file('a.csv'), '\ufeffName,Town\r\nAda,"Oak, land"\r\n')
    const at = { spreadsheet: 'a' }
    for (const step of ['sheets.change:after', 'sheets.apply:before', 'sheets.apply:after'])
      await expect(killedAt(step).sheets.append(step, owner, at, { Name: step })).rejects.toThrow('killed')
    for (const step of ['sheets.apply:after', 'sheets.change:after', 'sheets.apply:before'])
      expect(await local.sheets.append(step, owner, at, { Name: step })).toMatchObject({
        ok: true,
        value: { values: { Name: step, Town: '' } },
      })
    expect(readFileSync(file('a.csv'), 'utf8')).toBe(
      'Name,Town\nAda,"Oak, land"\nsheets.change:after\nsheets.apply:before\nsheets.apply:after\n',
    )
  })

  test('a row that was written before the process ended is not written again', async () => {
    const { file, local, killedAt, sheetOwner: owner } = await opened()
    writeFileSync(file('a.csv'), 'N\n')
    const at = { spreadsheet: 'a' }
    for (const [n, key] of ['one', 'two'].entries()) {
      await expect(killedAt('sheets.change:after').sheets.append(key, owner, at, { N: key })).rejects.toThrow('killed')
      writeFileSync(file('a.csv'), `${readFileSync(file('a.csv'), 'utf8')}${key}\n`)
      if (n === 0)
        expect(await local.sheets.append(key, owner, at, { N: key })).toEqual({
          ok: true,
          value: { number: 2, values: { N: 'one' } },
        })
    }
    await local.sheets.append('three', owner, at, { N: 'three' })
    expect(await local.sheets.append('two', owner, at, { N: 'two' })).toEqual({
      ok: true,
      value: { number: 3, values: { N: 'two' } },
    })
    expect(readFileSync(file('a.csv'), 'utf8')).toBe('N\none\ntwo\nthree\n')
  })

  test('two concurrent rows are both added', async () => {
    const { file, local, sheetOwner: owner } = await opened()
    writeFileSync(file('a.csv'), 'N\n')
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, n) => local.sheets.append(`k${n}`, owner, { spreadsheet: 'a' }, { N: String(n) })),
    )
    expect(new Set(rows.map((it) => it.ok && it.value.number)).size).toBe(20)
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
    const { file, local, sheetOwner: owner } = await opened()
    writeFileSync(file('a.csv'), 'Name,\nAda,1\nBob,2\nCy,3\n')
    const at = { spreadsheet: 'a' }
    expect(await local.sheets.update('u', owner, at, 3, { B: '9', Note: 'new' })).toEqual({
      ok: true,
      value: { number: 3, values: { Name: 'Bob', B: '9', Note: 'new' } },
    })
    expect(await local.sheets.remove('r', owner, at, 2)).toMatchObject({ ok: true })
    expect(await local.sheets.remove('r', owner, at, 2)).toMatchObject({ ok: true })
    expect(await local.sheets.rows(owner, at, 1, 10)).toMatchObject({
      value: [
        { number: 2, values: { Name: 'Bob' } },
        { number: 3, values: { Name: 'Cy' } },
      ],
    })
    writeFileSync(file('other/Second sheet.csv'), '')
    expect(
      await local.sheets.append('s', owner, { spreadsheet: 'other', sheet: 'Second sheet' }, { A: 'x', B: 'y' }),
    ).toMatchObject({ value: { number: 2 } })
    expect(readFileSync(file('other/Second sheet.csv'), 'utf8')).toBe('A,B\nx,y\n')
  })

  test.each(['none', '../3/a', '.hidden', 'a/b', 'a\0', ''])(
    'the spreadsheet %j does not exist',
    async (spreadsheet) => {
      const { file, local } = await opened()
      writeFileSync(file('a.csv'), 'N\n')
      expect(await local.sheets.rows(owner, { spreadsheet }, 1, 1)).toMatchObject({ ok: false, because: 'missing' })
      expect(await local.sheets.append('k', owner, { spreadsheet }, { N: '1' })).toMatchObject({
        ok: false,
        because: 'missing',
      })
      expect(await local.sheets.rows({ ...owner, account: 4 }, { spreadsheet: 'a' }, 1, 1)).toMatchObject({
        ok: false,
        because: 'missing',
      })
    },
  )

  test('appointments are booked, moved and cancelled once for their key, separately for each calendar and account', async () => {
    const { local, killedAt } = await opened()
    const draft = {
      event: 'Check-up',
      start: '2027-03-02T09:00:00.000Z',
      timezone: 'UTC',
      name: 'Ada',
      email: 'Ada@x.example',
      phone: '+1 415 555 0100',
    }
    await expect(killedAt('bookings.change:after').calendarA.book('k', owner, draft)).rejects.toThrow('killed')
    const booked = await local.calendarA.book('k', owner, draft)
    const id = booked.ok ? booked.value.id : ''
    const appointment = {
      id,
      title: 'Check-up',
      start: draft.start,
      end: '2027-03-02T09:30:00.000Z',
      status: 'booked',
      name: 'Ada',
      email: 'ada@x.example',
      phone: draft.phone,
    }
    expect(await local.calendarA.find(owner, { phone: '+14155550100' })).toEqual({ ok: true, value: [appointment] })
    expect(await local.calendarB.find(owner, {})).toEqual({ ok: true, value: [] })
    expect(await local.calendarA.find({ ...owner, account: 4 }, {})).toEqual({ ok: true, value: [] })
    expect(await local.calendarA.find(owner, { from: '2027-03-02T09:00:01.000Z' })).toEqual({ ok: true, value: [] })
    expect(await local.calendarA.find(owner, { email: 'b@x.example' })).toEqual({ ok: true, value: [] })
    expect(await local.calendarA.move('m', owner, id, '2027-03-03T10:00:00Z', 'UTC')).toMatchObject({
      value: { start: '2027-03-03T10:00:00.000Z' },
    })
    expect(await local.calendarA.cancel('c', owner, id, 'ill')).toMatchObject({ value: { status: 'cancelled' } })
    expect(await local.calendarA.cancel('c', owner, id, 'ill')).toMatchObject({ ok: true })
    expect(await local.calendarA.cancel('d', owner, id, '')).toMatchObject({
      ok: false,
      reason: 'The appointment is already cancelled.',
    })
    expect(await local.calendarA.move('e', { ...owner, account: 4 }, id, draft.start, 'UTC')).toMatchObject({
      ok: false,
      because: 'missing',
    })
    expect(await local.calendarA.book('f', owner, { ...draft, event: '404' })).toMatchObject({
      ok: false,
      because: 'missing',
    })
    await expect(local.calendarA.book('k', owner, { ...draft, name: 'Bob' })).rejects.toThrow(
      'was used with another request',
    )
  })

  test('a contact is identified by its number or email address, and collects all known fields', async () => {
    const { connection, local, killedAt } = await opened()
    await expect(
      killedAt('crm.change:after').crmB.saveContact('1', owner, {
        phone: '+14155550100',
        name: 'Ada',
        tags: ['new'],
      }),
    ).rejects.toThrow('killed')
    const saved = await local.crmB.saveContact('1', owner, { phone: '+14155550100', name: 'Ada', tags: ['new'] })
    const id = saved.ok ? saved.value.id : ''
    await local.crmB.saveContact('2', owner, {
      phone: '+1 (415) 555-0100',
      email: 'A@x.example',
      tags: ['called'],
      fields: { town: 'Oakland' },
    })
    expect(await local.crmB.findContact(owner, { email: 'a@x.example' })).toMatchObject({
      ok: true,
      value: { id, name: 'Ada', tags: ['new', 'called'], fields: { town: 'Oakland' } },
    })
    expect(await local.crmB.findContact(owner, {})).toEqual({ ok: true, value: null })
    expect(await local.crmB.addNote('n', owner, id, 'Nice.')).toMatchObject({ ok: true })
    expect(await local.crmB.addNote('n', owner, id, 'Nice.')).toMatchObject({ ok: true })
    expect(await local.crmB.addNote('o', { ...owner, account: 4 }, id, 'Nice.')).toMatchObject({
      ok: false,
      because: 'missing',
    })
    expect(await connection.read.selectFrom('local_note').select('text').execute()).toEqual([{ text: 'Nice.' }])
    const other = await local.crmB.saveContact('3', owner, { name: 'Bob' })
    expect(await local.crmB.contactsAfter(owner, id)).toEqual({ ok: true, value: [other.ok && other.value] })
    expect(await local.crmB.contactsAfter(owner, null)).toMatchObject({ value: [{ id }, { name: 'Bob' }] })
  })
})
