import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, event, hook, http } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

interface Found {
  readonly from: string
  readonly item: { readonly id: number | string; readonly name: string | null }
  readonly path: string
  readonly id: number | string | null
}

describe.each(databases)('references to a resource on $name', (database) => {
  const platform = automationPlatform(database)
  const ask = (by: Pick<Owner, 'key'>, query: string) =>
    platform.api().ask('GET', `/api/user/references?${query}`, { key: by.key })
  const brief = async (by: Owner, query: string): Promise<string[]> => {
    const { status, body } = await ask(by, query)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.data.map((it: Found) => `${it.from} ${it.item.name} ${it.path} ${it.id}`)
  }
  const copy = async (by: Owner, count: number): Promise<void> => {
    const tables = await platform.tables()
    const found = await tables.read
      .selectFrom('assistant')
      .selectAll()
      .where('id', '=', by.assistant)
      .executeTakeFirst()
    const { id: _, ...row } = found as NonNullable<typeof found>
    await tables.write({ account: by.id }, async (query) => {
      for (let n = 0; n < count; n++) {
        const uuid = `00000000-0000-4000-8000-${String(by.id * 1000 + n).padStart(12, '0')}`
        await query
          .insertInto('assistant')
          .values({
            ...row,
            uuid,
            name: `Copy ${n}`,
            settings: JSON.stringify({ llm_model_id: n % 100 === 99 ? 7 : 8 }),
          })
          .execute()
      }
    })
  }

  test('are those of fields, bindings and steps, with the tools that assistants use', async () => {
    const by = await platform.owner()
    const flow = { trigger: event('phoneCallEnded'), steps: [code('1')] }
    const { body } = await platform.create(by, { name: 'After', flow, assistant_id: by.assistant })
    const id: string = body.automation_id
    expect(await brief(by, `kind=assistants&id=${by.assistant}`)).toEqual([
      `automate After binding.assistant_id ${by.assistant}`,
    ])
    const endpoint = `https://platform.example/automate/api/v1/webhooks/${id}/sync`
    const tool = { name: 'calls_it', description: 'Calls it.', endpoint, method: 'POST' }
    const { data } = (await platform.api().ask('POST', '/api/user/tools', { key: by.key, body: tool })).body
    const used = { key: by.key, body: { tool_ids: [data.id] } }
    expect((await platform.api().ask('PUT', `/api/user/assistant/${by.assistant}`, used)).status).toBe(200)
    const [{ name }] = (await platform.api().ask('GET', '/api/user/assistants/get', { key: by.key })).body.data
    expect(await brief(by, `kind=automate&id=${id}`)).toEqual([
      `tools calls_it endpoint ${id}`,
      `assistants ${name} tool_ids[0] ${data.id}`,
    ])
    expect(await brief(await platform.owner(), `kind=automate&id=${id}`)).toEqual([])
  })

  test('are found among more assistants than are in memory at once', async () => {
    const by = await platform.owner()
    await copy(by, 450)
    expect(await brief(by, 'kind=models&id=7')).toEqual(
      [99, 199, 299, 399].map((n) => `assistants Copy ${n} llm_model_id 7`),
    )
  })

  test('have no secrets of a definition', async () => {
    const by = await platform.owner()
    const secret = 'sk-live-0123456789abcdefghij'
    const headers = { Authorization: `Bearer ${secret}` }
    const flow = {
      trigger: hook,
      steps: [http('GET', `https://x.example/automate/api/v1/webhooks/target?token=${secret}`, { headers })],
    }
    await platform.create(by, { name: 'Asks', flow, confirm_side_effects: true })
    const { body } = await ask(by, 'kind=automate&id=target')
    expect(body.data).toMatchObject([{ from: 'automate', path: 'step_1.url', id: 'target' }])
    expect(JSON.stringify(body)).not.toContain(secret)
  })

  test('are refused for a kind that does not exist, and for a key that may not read all that is searched', async () => {
    const by = await platform.owner()
    const { status, body } = await ask(by, 'kind=planets&id=1')
    expect([status, body.errors.kind[0]]).toEqual([422, expect.stringContaining('Use one of assistants, automate')])
    const draft = { name: 'Tools', scope: 'read', nouns: ['tools', 'assistants'] }
    const made = await platform.api().ask('POST', '/api/user/api-keys', { key: by.key, body: draft })
    const key = made.body.api_key.token
    expect((await ask({ key }, 'kind=tools&id=1')).status).toBe(200)
    expect(await ask({ key }, 'kind=assistants&id=1')).toMatchObject({
      status: 403,
      body: { required_noun: 'automate' },
    })
  })
})
