import { beforeAll, describe, expect, test } from 'vitest'
import type { SipTrunk } from '../../../../src/contract/resources/sip-trunks.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import type { Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

const base = '/api/user/phone-numbers/sip-trunks'
const draft = {
  sip_trunk_type: 'extension',
  phone_number: '2100',
  sip_username: 'desk-2100',
  sip_password: 'correct horse',
  sip_address: 'pbx.customer.example',
  sip_calling_format: '+e164',
  inbound_authorization_type: 'auth',
  country_code: 'US',
}

describe.each(databases)('a SIP trunk on $name whose process is killed', (database) => {
  /** A filled place, and a trunk in it when one is to be changed. Its key was used a moment ago, so that the trunk is all that is written. */
  async function prepared(withTrunk: boolean): Promise<{ place: Place; key: string; before: SipTrunk | undefined }> {
    const place = await newPlace(database)
    const api = await openAt(place)
    const { key } = await api.account()
    await api.ask('GET', '/api/user/me', { key })
    const before = withTrunk ? (await api.ask('POST', base, { key, body: draft })).body.data : undefined
    await api.platform.close()
    return { place, key, before }
  }

  /** Makes or changes a trunk in a process that dies at `kill`; false when it survived it. */
  async function dies(
    { place, key, before }: Awaited<ReturnType<typeof prepared>>,
    kill: string | number,
  ): Promise<boolean> {
    const worker = start()
    afterFile(() => worker.kill())
    await worker.tell({ do: 'open', settings: place, kill })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = before
      ? { method: 'PUT', url: `${base}/${before.id}`, headers, body: JSON.stringify({ sip_username: 'changed' }) }
      : { method: 'POST', url: base, headers, body: JSON.stringify(draft) }
    const answer = await worker.tell({ do: 'handle', request })
    await worker.kill()
    return answer === undefined
  }

  /** Whether the next process finds everything unchanged, or everything done, and no unused trunk at the infrastructure. */
  async function recovered({ place, key, before }: Awaited<ReturnType<typeof prepared>>): Promise<'before' | 'after'> {
    const api = await openAt(place)
    await api.platform.due.drain()
    const tables = await tablesOf(place)
    const { read } = tables
    const [listed] = (await api.ask('GET', base, { key })).body.data
    const now = listed && (await api.ask('GET', `${base}/${listed.id}`, { key })).body.data
    const used = await read.selectFrom('sip_trunk').select(['inbound_trunk_id', 'outbound_trunk_id']).execute()
    const there = await read
      .selectFrom('local_trunk')
      .select('id')
      .where('deleted', '=', 0)
      .where('id', 'is not', null)
      .execute()
    expect(there.map((it) => it.id).sort()).toEqual(
      used.flatMap((it) => [it.inbound_trunk_id, it.outbound_trunk_id]).sort(),
    )
    expect(await read.selectFrom('provisioned_trunk').select('id').where('state', '!=', 'live').execute()).toEqual([])
    expect(await read.selectFrom('due').select('id').where('kind', '=', 'trunk').execute()).toEqual([])
    const asBefore = before ? now.sip_username === before.sip_username : now === undefined
    if (asBefore) expect(now).toEqual(before)
    // Whatever it is now, it can be asked for again.
    const again = before
      ? await api.ask('PUT', `${base}/${before.id}`, { key, body: { sip_username: 'changed' } })
      : await api.ask('POST', base, { key, body: draft })
    expect(again.status).toBe(before ? 200 : asBefore ? 201 : 409)
    await tables.close()
    await api.platform.close()
    return asBefore ? 'before' : 'after'
  }

  describe.each([
    ['while it is made', false],
    ['while it is changed', true],
  ])('%s', (_, withTrunk) => {
    test.each(['voice.create:before', 'voice.create:after'])('at %s leaves nothing behind', async (step) => {
      const given = await prepared(withTrunk)
      expect(await dies(given, step)).toBe(true)
      expect(await recovered(given)).toBe('before')
    })

    test('between any two of its states leaves either the old or the new configuration', async () => {
      const ends: string[] = []
      for (let commits = 1; ; commits++) {
        const given = await prepared(withTrunk)
        if (!(await dies(given, commits))) break
        ends.push(await recovered(given))
      }
      // The intent, the inbound trunk, the outbound trunk; then the trunk itself.
      expect(ends).toEqual(['before', 'before', 'before', 'after'])
    })
  })
})
