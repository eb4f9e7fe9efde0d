import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh, newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const kinds = [
  {
    noun: 'folder',
    list: '/api/user/folders',
    one: '/api/user/folder',
    title: 'Folder',
    seeded: ['Front desk', 'Recall campaigns'],
  },
  {
    noun: 'label',
    list: '/api/user/labels',
    one: '/api/user/label',
    title: 'Label',
    seeded: ['production', 'spanish', 'trial'],
  },
] as const

const colors = ['gray', 'slate', 'red', 'orange', 'amber', 'green', 'teal', 'blue', 'purple', 'pink']

describe.each(databases)('on $name', (database) => {
  describe.each(kinds)('a $noun', ({ list, one, title, seeded }) => {
    let api: Api
    beforeAll(async () => {
      api = await fresh(database)
    })
    const make = async (body: object, key?: string) => api.ask('POST', one, { body, ...(key !== undefined && { key }) })
    const names = async (query = '', key?: string): Promise<string[]> =>
      (await api.ask('GET', `${list}${query}`, key === undefined ? {} : { key })).body.data.map(
        (it: { name: string }) => it.name,
      )
    const missing = { status: 404, body: { message: `${title} not found` } }

    test('exists in the sample data, in a short page', async () => {
      const { status, body } = await api.ask('GET', list)
      expect(status).toBe(200)
      expect(body).toEqual({ data: expect.any(Array), current_page: 1, per_page: 15, total: seeded.length })
      expect(await names()).toEqual(seeded)
    })

    test('is created with a name and an optional color, renamed, colored and deleted', async () => {
      const { key } = await api.account()
      const { status, body } = await make({ name: 'Evening' }, key)
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          message: `${title} created successfully`,
          data: { id: expect.any(Number), name: 'Evening', color: null, assistants_count: 0 },
        },
      })
      const { id } = body.data
      const change = (fields: object) => api.ask('PUT', `${one}/${id}`, { key, body: fields })
      const changed = (data: object) => ({ status: 200, body: { message: `${title} updated successfully`, data } })
      expect(await change({ name: 'Late' })).toMatchObject(changed({ id, name: 'Late', color: null }))
      expect(await change({ color: 'teal' })).toMatchObject(changed({ id, name: 'Late', color: 'teal' }))
      expect(await change({})).toMatchObject(changed({ id, name: 'Late', color: 'teal' }))
      expect(await change({ color: null })).toMatchObject(changed({ id, name: 'Late', color: null }))
      expect((await api.ask('GET', list, { key })).body.data).toEqual([
        { id, name: 'Late', color: null, assistants_count: 0 },
      ])
      expect(await api.ask('DELETE', `${one}/${id}`, { key })).toMatchObject({
        status: 200,
        body: { message: `${title} deleted successfully` },
      })
      expect(await names('', key)).toEqual([])
      expect(await api.ask('DELETE', `${one}/${id}`, { key })).toMatchObject(missing)
      expect(await change({ name: 'Again' })).toMatchObject(missing)
    })

    test('accepts the ten colors, and a name of 1 to 255 characters', async () => {
      const { key } = await api.account()
      for (const color of colors)
        expect(await make({ name: color, color }, key)).toMatchObject({ status: 201, body: { data: { color } } })
      const refused: readonly [object, string, string][] = [
        [{ name: 'x', color: 'mauve' }, 'color', 'The selected color is invalid.'],
        [{}, 'name', 'The name field is required.'],
        [{ name: '' }, 'name', 'The name field is required.'],
        [{ name: 'x'.repeat(256) }, 'name', 'The name field must not be greater than 255 characters.'],
        [{ name: 'x', icon: 'star' }, 'icon', 'The icon field is not recognized.'],
      ]
      for (const [body, field, text] of refused)
        expect(await make(body, key)).toMatchObject({
          status: 422,
          body: { message: text, errors: { [field]: [text] } },
        })
      expect((await make({ name: '🦷'.repeat(255) }, key)).status).toBe(201)
      expect((await names('', key)).length).toBe(11)
    })

    test('has a name that is unique in its account', async () => {
      const [{ key }, other] = [await api.account(), await api.account()]
      const taken = {
        status: 422,
        body: { message: 'The name has already been taken.', errors: { name: ['The name has already been taken.'] } },
      }
      const first = (await make({ name: 'One' }, key)).body.data
      const second = (await make({ name: 'Two' }, key)).body.data
      expect(await make({ name: 'One' }, key)).toMatchObject(taken)
      expect(await api.ask('PUT', `${one}/${second.id}`, { key, body: { name: 'One', color: 'red' } })).toMatchObject(
        taken,
      )
      expect(await names('', key)).toEqual(['One', 'Two'])
      expect((await api.ask('GET', list, { key })).body.data[1].color).toBeNull()
      expect(await api.ask('PUT', `${one}/${first.id}`, { key, body: { name: 'One', color: 'red' } })).toMatchObject({
        status: 200,
        body: { data: { color: 'red' } },
      })
      expect((await make({ name: 'One' }, other.key)).status).toBe(201)
      const all = await Promise.all(Array.from({ length: 5 }, () => make({ name: 'Three' }, key)))
      expect(all.map((it) => it.status).sort()).toEqual([201, 422, 422, 422, 422])
    })

    test('is found on its page', async () => {
      const { key } = await api.account()
      for (let n = 1; n <= 17; n++) await make({ name: `n${n}` }, key)
      expect(await names('', key)).toHaveLength(15)
      expect(await names('?page=2', key)).toEqual(['n16', 'n17'])
      expect(await names('?page=3&per_page=5', key)).toEqual(['n11', 'n12', 'n13', 'n14', 'n15'])
      expect((await api.ask('GET', `${list}?page=9&per_page=100`, { key })).body).toEqual({
        data: [],
        current_page: 9,
        per_page: 100,
        total: 17,
      })
      for (const query of ['?per_page=101', '?per_page=0', '?page=0', '?page=x'])
        expect((await api.ask('GET', `${list}${query}`, { key })).status, query).toBe(422)
    })

    test('of another account is not found', async () => {
      const { key } = await api.account()
      const id = (await api.ask('GET', list)).body.data[0].id
      expect(await names('', key)).toEqual([])
      expect(await api.ask('PUT', `${one}/${id}`, { key, body: { name: 'Mine' } })).toMatchObject(missing)
      expect(await api.ask('DELETE', `${one}/${id}`, { key })).toMatchObject(missing)
      expect(await names()).toEqual(seeded)
    })
  })

  test('counts its assistants, which stay when it is deleted', async () => {
    const place = await newPlace(database)
    const api = await openAt(place)
    const { key, id: account } = await api.account()
    const folder = (await api.ask('POST', '/api/user/folder', { key, body: { name: 'F' } })).body.data.id
    const [a, b] = [
      (await api.ask('POST', '/api/user/label', { key, body: { name: 'A' } })).body.data.id,
      (await api.ask('POST', '/api/user/label', { key, body: { name: 'B' } })).body.data.id,
    ]
    const { write, read } = await tablesOf(place)
    const settings = {
      account_id: account,
      type: 'inbound',
      mode: 'pipeline',
      status: 'inactive',
      settings: '{}',
      created_at: 1,
      updated_at: 1,
    } as const
    const assistants = await write('rows', (query) =>
      query
        .insertInto('assistant')
        .values([
          { ...settings, uuid: 'u-1', name: 'One', folder_id: folder },
          { ...settings, uuid: 'u-2', name: 'Two', folder_id: folder },
        ])
        .returning('id')
        .execute(),
    )
    const links = [
      { account_id: account, assistant_id: assistants[0]?.id ?? 0, label_id: a },
      { account_id: account, assistant_id: assistants[0]?.id ?? 0, label_id: b },
      { account_id: account, assistant_id: assistants[1]?.id ?? 0, label_id: a },
    ]
    await write('rows', (query) => query.insertInto('assistant_label').values(links).execute())
    const counts = async (list: string) =>
      (await api.ask('GET', list, { key })).body.data.map((it: { assistants_count: number }) => it.assistants_count)
    expect(await counts('/api/user/folders')).toEqual([2])
    expect(await counts('/api/user/labels')).toEqual([2, 1])
    expect(
      (await api.ask('PUT', `/api/user/label/${a}`, { key, body: { name: 'C' } })).body.data.assistants_count,
    ).toBe(2)

    expect((await api.ask('DELETE', `/api/user/folder/${folder}`, { key })).status).toBe(200)
    expect((await api.ask('DELETE', `/api/user/label/${a}`, { key })).status).toBe(200)
    const left = await read
      .selectFrom('assistant')
      .select(['name', 'folder_id'])
      .where('account_id', '=', account)
      .orderBy('id')
      .execute()
    expect(left).toEqual([
      { name: 'One', folder_id: null },
      { name: 'Two', folder_id: null },
    ])
    expect(await counts('/api/user/labels')).toEqual([1])
  })
})
