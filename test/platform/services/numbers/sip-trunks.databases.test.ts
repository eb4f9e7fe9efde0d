import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SipTrunk } from '../../../../src/contract/resources/sip-trunks.ts'
import type { recreatedBy } from '../../../../src/platform/services/numbers/sip-trunks.ts'
import type { Query } from '../../../../src/platform/store/database/connection.ts'
import { databases } from '../../../support/databases.ts'
import type { Answered, Api, Place, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const base = '/api/user/phone-numbers/sip-trunks'
const draft = {
  sip_trunk_type: 'extension',
  phone_number: '2100',
  sip_username: 'desk-2100',
  sip_password: 'correct horse battery',
  sip_address: 'pbx.customer.example',
  sip_calling_format: '+e164',
  inbound_authorization_type: 'ip',
  allowed_inbound_ips: ['203.0.113.7'],
  country_code: 'US',
}

describe.each(databases)('a SIP trunk on $name', (database) => {
  let api: Api & { place: Place }
  let mine: TestAccount
  let read: Query
  /** What a step of the outside world does next; killed answers are thrown. */
  let outside: (step: string) => Promise<void>
  const logged: string[] = []
  beforeAll(async () => {
    api = await fresh(database, { gate: (step) => outside(step), log: (text) => void logged.push(text) })
    read = (await tablesOf(api.place)).read
    mine = await api.account()
  })
  const reset = async () => {
    outside = async () => {}
    logged.length = 0
    mine = await api.account()
  }
  beforeEach(reset)

  const create = (body: object = {}, asked: object = {}): Promise<Answered> =>
    api.ask('POST', base, { key: mine.key, body: { ...draft, ...body }, ...asked })
  const made = async (body: object = {}): Promise<SipTrunk> => {
    const answer = await create(body)
    expect(answer.status, answer.text).toBe(201)
    return answer.body.data
  }
  const update = (id: number, body: object, account = mine): Promise<Answered> =>
    api.ask('PUT', `${base}/${id}`, { key: account.key, body })
  const get = (id: number, account = mine): Promise<Answered> => api.ask('GET', `${base}/${id}`, { key: account.key })
  const settle = () => api.platform.due.drain()
  /** Identifiers of the trunks that are there at the voice infrastructure, of this account's making. */
  const provisioned = async (): Promise<string[]> => {
    const saved = await read
      .selectFrom('provisioned_trunk')
      .select(['id', 'created_at'])
      .where('account_id', '=', mine.id)
      .execute()
    const keys = saved.map((it) => `trunk-${it.id}-${it.created_at}`)
    if (keys.length === 0) return []
    const lines = await read
      .selectFrom('local_trunk')
      .select('id')
      .where('key', 'in', keys)
      .where('deleted', '=', 0)
      .where('id', 'is not', null)
      .execute()
    return lines.map((it) => it.id as string).sort()
  }
  const orphans = async (): Promise<unknown[]> => {
    const used = await read.selectFrom('sip_trunk').select(['inbound_trunk_id', 'outbound_trunk_id']).execute()
    const ids = used.flatMap((it) => [it.inbound_trunk_id, it.outbound_trunk_id])
    return (
      await read.selectFrom('local_trunk').selectAll().where('deleted', '=', 0).where('id', 'is not', null).execute()
    ).filter((it) => !ids.includes(it.id as string))
  }
  const idsOf = (trunk: { inbound_trunk_id: string; outbound_trunk_id: string }): string[] =>
    [trunk.inbound_trunk_id, trunk.outbound_trunk_id].sort()

  test('is created with its two trunks, shown with them, and listed without them', async () => {
    const answer = await create({ nickname: 'Desk' })
    expect(answer).toMatchObject({ status: 201, body: { message: 'SIP trunk created successfully.' } })
    const { id, inbound_trunk_id, outbound_trunk_id, created_at, updated_at, ...rest } = answer.body.data
    expect(rest).toEqual({
      phone_number: '2100',
      nickname: 'Desk',
      sip_username: 'desk-2100',
      sip_address: 'pbx.customer.example',
      sip_calling_format: '+e164',
      inbound_authorization_type: 'ip',
      allowed_inbound_ips: ['203.0.113.7'],
      outbound_proxy: false,
      country_code: 'US',
    })
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(updated_at).toBe(created_at)
    expect((await get(id)).body).toEqual({ data: answer.body.data })
    const listed = await api.ask('GET', base, { key: mine.key })
    expect(listed.body).toEqual({ data: [{ id, ...rest, created_at, updated_at }] })
    expect(await provisioned()).toEqual([inbound_trunk_id, outbound_trunk_id].sort())
    const numbers = await api.ask('GET', '/api/user/phone-numbers/all', { key: mine.key })
    expect(numbers.body.data).toMatchObject([
      { id, phone_number: '2100', nickname: 'Desk', type: 'sip', type_label: 'SIP', has_active_subscription: false },
    ])
  })

  test('belongs to its account: others cannot read, change or release it', async () => {
    const { id } = await made()
    const other = await api.account()
    const gone = { status: 404, body: { error: 'SIP trunk not found.' } }
    expect(await get(id, other)).toMatchObject(gone)
    expect(await update(id, { nickname: 'Mine' }, other)).toMatchObject(gone)
    expect((await api.ask('DELETE', `/api/user/phone-numbers/${id}`, { key: other.key })).status).toBe(404)
    expect((await api.ask('GET', base, { key: other.key })).body).toEqual({ data: [] })
    // The same extension of somebody else's is another trunk.
    expect((await api.ask('POST', base, { key: other.key, body: draft })).status).toBe(201)
  })

  test('that is not a trunk is not found, nor is a number of another kind', async () => {
    const bought = await api.buy('+15005550006', { key: mine.key })
    for (const id of [bought.body.data.id, 999_999, 'x']) {
      const answer = await api.ask('PUT', `${base}/${id}`, { key: mine.key, body: { nickname: 'x' } })
      expect(answer).toMatchObject({ status: 404, text: '{"error":"SIP trunk not found."}' })
    }
    await api.ask('DELETE', `/api/user/phone-numbers/${bought.body.data.id}`, { key: mine.key })
  })

  describe.each(
    Object.entries({
      sip_username: ['other-user', true, true],
      sip_password: ['another password', true, true],
      sip_address: ['sip.elsewhere.example', false, true],
      phone_number: ['2101', true, true],
      inbound_authorization_type: ['auth', true, false],
      allowed_inbound_ips: [['203.0.113.8', '2001:db8::/32'], true, false],
      outbound_proxy: [true, false, true],
      sip_calling_format: ['national', false, false],
      country_code: ['US-CA', false, false],
      nickname: ['Front', false, false],
    } satisfies Record<keyof typeof recreatedBy, [unknown, boolean, boolean]>),
  )('whose %s changes', (field, [value, inbound, outbound]) => {
    test(`re-creates ${inbound ? (outbound ? 'both trunks' : 'the inbound trunk') : outbound ? 'the outbound trunk' : 'no trunk'}`, async () => {
      const before = await made()
      const answer = await update(before.id, { [field]: value })
      expect(answer).toMatchObject({ status: 200, body: { message: 'SIP trunk updated successfully.' } })
      const after = answer.body.data
      expect([
        after.inbound_trunk_id !== before.inbound_trunk_id,
        after.outbound_trunk_id !== before.outbound_trunk_id,
      ]).toEqual([inbound, outbound])
      if (field !== 'sip_password') expect(after[field]).toEqual(value)
      expect((await get(before.id)).body.data).toEqual(after)
      await settle()
      expect(await provisioned()).toEqual(idsOf(after))
      expect(await orphans()).toEqual([])
    })

    test('to the same value re-creates nothing, except a password', async () => {
      const before = await made({
        [field]: value,
        ...(field === 'inbound_authorization_type' && { allowed_inbound_ips: null }),
      })
      const after = (await update(before.id, { [field]: value })).body.data
      expect(idsOf(after).some((it) => !idsOf(before).includes(it))).toBe(field === 'sip_password')
    })
  })

  test('changes only the given fields', async () => {
    const before = await made({ nickname: 'Desk' })
    const { data } = (await update(before.id, { sip_calling_format: 'e164' })).body
    expect({ ...data, updated_at: before.updated_at }).toEqual({ ...before, sip_calling_format: 'e164' })
    expect((await update(before.id, { nickname: null })).body.data.nickname).toBeNull()
    expect((await update(before.id, {})).status).toBe(200)
  })

  test('accepts its own record unchanged, without changing its trunks', async () => {
    for (const trunk of [
      await made(),
      await made({ phone_number: '2102', inbound_authorization_type: 'auth', allowed_inbound_ips: undefined }),
    ]) {
      const { data } = (await update(trunk.id, trunk)).body
      expect({ ...data, updated_at: trunk.updated_at }).toEqual(trunk)
    }
  })

  test('that switches to auth deletes its addresses, and needs them again to switch back', async () => {
    const { id } = await made()
    expect(
      (await update(id, { inbound_authorization_type: 'auth', allowed_inbound_ips: ['203.0.113.9'] })).body.data,
    ).toMatchObject({
      inbound_authorization_type: 'auth',
      allowed_inbound_ips: null,
    })
    const refused = {
      status: 422,
      body: {
        message: 'The given data was invalid.',
        errors: {
          allowed_inbound_ips: ['The allowed inbound ips field is required when inbound authorization type is ip.'],
        },
      },
    }
    for (const ips of [{}, { allowed_inbound_ips: [] }, { allowed_inbound_ips: null }])
      expect(await update(id, { inbound_authorization_type: 'ip', ...ips })).toMatchObject(refused)
    expect(
      (await update(id, { inbound_authorization_type: 'ip', allowed_inbound_ips: ['10.0.0.0/8'] })).body.data
        .allowed_inbound_ips,
    ).toEqual(['10.0.0.0/8'])
    expect(await update(id, { allowed_inbound_ips: [] })).toMatchObject(refused)
    expect(await create({ phone_number: '2103', allowed_inbound_ips: undefined })).toMatchObject(refused)
  })

  test('with the same number, user and server is refused, on create and update', async () => {
    const taken = { status: 409, body: { error: 'A SIP trunk with this number, username and address already exists.' } }
    await made()
    expect(await create({ sip_address: 'PBX.customer.example', sip_password: 'another' })).toMatchObject(taken)
    const { id } = await made({ phone_number: '2104' })
    expect(await update(id, { phone_number: '2100' })).toMatchObject(taken)
    expect((await get(id)).body.data.phone_number).toBe('2104')
    const twice = await Promise.all([create({ phone_number: '2105' }), create({ phone_number: '2105' })])
    expect(twice.map((it) => it.status).sort()).toEqual([201, 409])
    await settle()
    expect(await orphans()).toEqual([])
  })

  test('that cannot be set up is refused without saving, and leaves no trunk', async () => {
    const failed = { status: 500, text: '{"error":"Failed to create SIP trunk. Please try again or contact support."}' }
    expect(await create({ sip_address: 'fail.sip.example' })).toMatchObject(failed)
    outside = async (step) => {
      if (step === 'voice.create:after') throw new Error('The line is dead.')
    }
    expect(await create()).toMatchObject(failed)
    expect(logged.join()).toContain('The line is dead.')
    outside = async () => {}
    await settle()
    expect(await provisioned()).toEqual([])
    expect(await orphans()).toEqual([])
    expect((await api.ask('GET', base, { key: mine.key })).body.data).toEqual([])
    expect(await read.selectFrom('provisioned_trunk').selectAll().where('account_id', '=', mine.id).execute()).toEqual(
      [],
    )
  })

  test('whose change cannot be set up is not changed, and its trunks stay live', async () => {
    const before = await made()
    const failed = { status: 500, text: '{"error":"Failed to update SIP trunk. Please try again or contact support."}' }
    expect(
      await update(before.id, { sip_address: 'fail.sip.example', sip_username: 'changed', nickname: 'Changed' }),
    ).toMatchObject(failed)
    expect((await get(before.id)).body.data).toEqual(before)
    await settle()
    expect(await provisioned()).toEqual(idsOf(before))
    expect(await orphans()).toEqual([])
    // And it can still be changed, with the password it had.
    expect((await update(before.id, { sip_username: 'changed' })).status).toBe(200)
  })

  test('keeps its old trunks until the new ones are created, and removes them later if that fails', async () => {
    const before = await made()
    let seen: string[] = []
    outside = async (step) => {
      if (step === 'voice.create:before') seen = await provisioned()
      if (step === 'voice.delete:before') throw new Error('The line is dead.')
    }
    const after = (await update(before.id, { outbound_proxy: true })).body.data
    expect(seen).toEqual(idsOf(before))
    await settle()
    expect(await provisioned()).toContain(before.outbound_trunk_id)
    outside = async () => {}
    await api.control('POST', '/control/clock/advance', { by: '10m' })
    expect(await provisioned()).toEqual(idsOf(after))
  })

  test('changed by two concurrent requests ends with both changes and one pair of trunks', async () => {
    const { id } = await made()
    const both = await Promise.all([
      update(id, { sip_username: 'first-change' }),
      update(id, { sip_address: 'second.example' }),
    ])
    expect(both.map((it) => it.status)).toEqual([200, 200])
    const { data } = (await get(id)).body
    expect(data).toMatchObject({ sip_username: 'first-change', sip_address: 'second.example' })
    await settle()
    expect(await provisioned()).toEqual(idsOf(data))
    expect(await orphans()).toEqual([])
  })

  test('released during a change is deleted with its new trunks', async () => {
    const { id } = await made()
    outside = async (step) => {
      if (step !== 'voice.create:after') return
      outside = async () => {}
      await api.ask('DELETE', `/api/user/phone-numbers/${id}`, { key: mine.key })
    }
    expect((await update(id, { sip_username: 'changed' })).status).toBe(404)
    await settle()
    expect(await orphans()).toEqual([])
  })

  test('is deleted as a number, immediately and with its trunks', async () => {
    const { id } = await made()
    expect(await api.ask('DELETE', `/api/user/phone-numbers/${id}`, { key: mine.key })).toMatchObject({
      status: 200,
      body: { message: 'Phone number deleted successfully.' },
    })
    expect((await get(id)).status).toBe(404)
    await settle()
    expect(await provisioned()).toEqual([])
    expect(await orphans()).toEqual([])
    expect((await create()).status).toBe(201)
  })

  test('requested twice under one Idempotency-Key is created once; a failure leaves the key free', async () => {
    const headers = { 'idempotency-key': 'trunk' }
    expect((await create({ sip_address: 'fail.sip.example' }, { headers })).status).toBe(500)
    const first = await create({}, { headers })
    expect(first.status).toBe(201)
    expect((await create({}, { headers })).text).toBe(first.text)
  })

  test('does not conflict with a number of the public network', async () => {
    const [offer] = (await api.ask('GET', '/api/user/phone-numbers/search?country_code=GB')).body.data
    await made({ phone_number: offer.phone_number, sip_trunk_type: 'number' })
    expect((await api.buy(offer.phone_number, { key: (await api.account()).key })).status).toBe(201)
  })

  test('stores its password nowhere readable: not in a response, a log or the database', async () => {
    const password = 'unmistakable-password'
    const answer = await create({ sip_password: password })
    const changed = await update(answer.body.data.id, { sip_password: password })
    outside = async () => {
      throw new Error('Dead.')
    }
    await update(answer.body.data.id, { sip_password: password })
    expect(answer.text + changed.text + (await get(answer.body.data.id)).text + logged.join()).not.toContain(password)
    for (const table of ['sip_trunk', 'local_trunk', 'provisioned_trunk', 'due', 'outbox', 'idempotency'] as const)
      expect(JSON.stringify(await read.selectFrom(table).selectAll().execute())).not.toContain(password)
    const { sip_password: sealed } = await read
      .selectFrom('sip_trunk')
      .select('sip_password')
      .where('number_id', '=', answer.body.data.id)
      .executeTakeFirstOrThrow()
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\./)
  })

  test('has a password that only the key file of the data folder decrypts', async () => {
    const trunk = await made()
    const file = join(api.place.dataDir, 'secret.key')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file, 'utf8')
    writeFileSync(file, `${'0'.repeat(64)}\n`)
    const shown: string[] = []
    // A database that several folders can use refuses a folder with another key.
    if (database.name === 'postgres') {
      await expect(openAt(api.place)).rejects.toThrow('was encrypted with another key')
      return writeFileSync(file, key)
    }
    const other = await openAt(api.place, { log: (text) => void shown.push(text) })
    const change = (body: object): Promise<Answered> => other.ask('PUT', `${base}/${trunk.id}`, { key: mine.key, body })
    expect(await change({ sip_address: 'new.example' })).toMatchObject({
      status: 503,
      text: expect.stringContaining('secret.key'),
    })
    expect(shown.join()).toContain('was encrypted with a different key than the one in secret.key')
    expect((await change({ nickname: 'Still here' })).status).toBe(200)
    // Given again, it is sealed with the key that is there.
    expect((await change({ sip_address: 'new.example', sip_password: 'given again' })).status).toBe(200)
    expect((await change({ sip_address: 'newer.example' })).status).toBe(200)
    writeFileSync(file, key)
  })
})
