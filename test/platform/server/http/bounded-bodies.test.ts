import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { desk } from '../../../support/platform/assistant-drafts.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
const named = (count: number): Record<string, number> =>
  Object.fromEntries([...Array(count).keys()].map((n) => [`name_${n}`, n]))

describe('variables of a lead', () => {
  let api: Awaited<ReturnType<typeof fresh>>
  let campaign: number
  beforeAll(async () => {
    api = await fresh(sqlite)
    const body = { ...desk, type: 'outbound' }
    const assistant = (await api.ask('POST', '/api/user/assistant', { body })).body.data.id
    campaign = (await api.ask('POST', '/api/user/campaign', { body: { name: 'Calls', assistant_id: assistant } })).body
      .data.id
  })
  let phone = 14155550100
  const create = (more: object) =>
    api.ask('POST', '/api/user/lead', { body: { campaign_id: campaign, phone_number: `+${++phone}`, ...more } })

  test('have a limit of depth, number and size, for the lead and each contact', async () => {
    expect((await create({ variables: { deep: nested(15), ...named(400) } })).status).toBe(200)
    for (const [variables, message] of [
      [{ deep: nested(21) }, 'is nested too deeply.'],
      [{ deep: nested(1000) }, 'is nested too deeply.'],
      [named(501), 'must not have more than 500 items.'],
      [{ long: 'x'.repeat(70_000) }, 'must not be greater than 64 kilobytes.'],
    ] as const) {
      expect(await create({ variables })).toMatchObject({
        status: 422,
        body: { errors: { variables: [expect.stringContaining(message)] } },
      })
      const contacts = [{ phone_number: '+14155550199', variables }]
      expect((await create({ secondary_contacts: contacts })).body.errors).toMatchObject({
        'secondary_contacts.0.variables': [expect.stringContaining(message)],
      })
    }
  })

  test('nested deeper than any stack are refused too', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const raw = `{"campaign_id":${campaign},"phone_number":"+14155550198","variables":${deep}}`
    expect((await api.ask('POST', '/api/user/lead', { raw })).status).toBe(422)
  })

  test('cannot grow beyond it by merging', async () => {
    const { id } = (await create({ variables: named(400) })).body.data
    const more = Object.fromEntries(Object.entries(named(400)).map(([name, n]) => [`more_${name}`, n]))
    expect(await api.ask('PUT', `/api/user/leads/${id}`, { body: { variables: more } })).toMatchObject({
      status: 422,
      body: { errors: { variables: ['The variables field must not have more than 500 items.'] } },
    })
  })
})

describe('unknown fields', () => {
  test('are named in the response, but not thousands of them', async () => {
    const api = await fresh(sqlite)
    const fields = named(20_000)
    for (const [method, path] of [
      ['POST', '/api/user/tools'],
      ['POST', '/api/user/lead'],
      ['PUT', '/api/user/leads/1'],
    ] as const) {
      const { status, text } = await api.ask(method, path, { body: fields })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(text).toContain('name_0')
      expect(text.length).toBeLessThan(10_000)
    }
    const nestedFields = { ...desk, tools: [{ type: 'end_call', ...fields }] }
    expect((await api.ask('POST', '/api/user/assistant', { body: nestedFields })).text.length).toBeLessThan(10_000)
  })
})
