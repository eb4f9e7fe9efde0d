import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, event, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const answering = (text: string) => ({ trigger: hook, steps: [respond({ text })] })
const listPath = '/api/user/automate/definitions'

describe.each(databases)('automations listed with their definitions on $name', (database) => {
  const platform = automationPlatform(database)

  const page = ({ key }: Owner, query: string) => platform.api().ask('GET', `${listPath}?${query}`, { key })

  /** Reads all pages of a size. Returns the automations of each page. */
  async function pages(by: Owner, limit: number): Promise<unknown[][]> {
    const found: unknown[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await page(by, `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      expect(status).toBe(200)
      found.push(body.data)
      cursor = body.next_cursor
    }
    return found
  }

  /** Reads each automation of the list with a request of its own. */
  async function one(by: Owner): Promise<unknown[]> {
    const found = []
    for (const { id } of (await platform.list(by)).body.data) found.push((await platform.get(by, id)).body.data)
    return found
  }

  test('are the same as read one by one, in the order of the list, whatever the size of a page', async () => {
    const by = await platform.owner()
    const ids: string[] = []
    // Of the same time, and of later ones.
    for (let n = 0; n < 5; n++) {
      if (n > 2) platform.time.ms += 1000
      const { body } = await platform.create(by, { name: `Flow ${n}`, flow: answering(String(n)) })
      ids.push(body.automation_id)
    }
    await platform.update(by, ids[1] as string, { flow: answering('changed') })
    await platform.update(by, ids[3] as string, { enabled: false })
    platform.time.ms += 1000
    const bound = { name: 'Bound', flow: { trigger: event('phoneCallEnded'), steps: [code('1')] } }
    expect((await platform.create(by, { ...bound, assistant_id: by.assistant })).status).toBe(201)

    const expected = await one(by)
    expect(expected).toHaveLength(6)
    expect(expected.at(-1)).toMatchObject({ binding: { type: 'post_call', assistant_id: by.assistant } })
    expect(await pages(by, 100)).toEqual([expected])
    for (const limit of [1, 2, 4]) {
      const found = await pages(by, limit)
      expect(found.flat()).toEqual(expected)
      expect(found.every((it) => it.length <= limit)).toBe(true)
    }
  })

  test('show no secrets, and nothing of another account', async () => {
    const [by, other] = [await platform.owner(), await platform.owner()]
    const headers = { Authorization: 'Bearer sk-live-0123456789abcdefghij' }
    const flow = { trigger: hook, steps: [http('GET', 'https://api.example/', { headers })] }
    await platform.create(by, { flow, confirm_side_effects: true })
    const [found] = await pages(by, 100)
    expect(found).toEqual(await one(by))
    expect(found).toHaveLength(1)
    expect(JSON.stringify(found)).not.toContain('sk-live')
    expect(await pages(other, 100)).toEqual([[]])
  })

  test('a page of large definitions has fewer automations, and all are in some page', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: answering('large') })
    const tables = await platform.tables()
    const copies = Array.from({ length: 120 }, (_, n) => `large${String(n).padStart(16, '0')}`)
    const [automation, version] = await Promise.all([
      tables.read.selectFrom('automation').selectAll().where('id', '=', body.automation_id).executeTakeFirstOrThrow(),
      tables.read
        .selectFrom('automation_version')
        .selectAll()
        .where('automation_id', '=', body.automation_id)
        .executeTakeFirstOrThrow(),
    ])
    const text = 'x'.repeat(100_000)
    const definition = version.definition.replace('"large"', `"${text}"`)
    await tables.write({ account: by.id }, async (query) => {
      for (const id of copies) {
        await query
          .insertInto('automation')
          .values({ ...automation, id, live_version: id })
          .execute()
        await query
          .insertInto('automation_version')
          .values({ ...version, id, automation_id: id, definition })
          .execute()
      }
    })
    const found = await pages(by, 500)
    expect(found.map((it) => it.length)).toEqual([50, 50, 21])
    expect(new Set(found.flat().map((it) => (it as { id: string }).id)).size).toBe(121)
  })

  test('a cursor or a size that no page has is refused', async () => {
    const by = await platform.owner()
    for (const query of ['cursor=x', 'cursor=1.', 'cursor=1.a%20b', 'limit=0', 'limit=501'])
      expect((await page(by, query)).status, query).toBe(422)
  })
})
