import { beforeAll, expect, test } from 'vitest'
import type { Endpoint } from '../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../src/contract/resources/index.ts'
import { countries } from '../../src/contract/values/countries.ts'
import { sqlite } from '../support/databases.ts'
import type { Api } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'

let api: Api
beforeAll(async () => {
  api = await fresh(sqlite, { seed: 7 })
})

/** The path with something in the place of each parameter. */
const pathOf = ({ path }: Endpoint): string => path.replaceAll(/\{\w+\}/g, '1')

test('every path of the API starts with /api', () => {
  expect(endpoints.filter((it) => !it.path.startsWith('/api/')).map((it) => it.name)).toEqual([])
})

test('every response, also of an error, is JSON and has its content type', async () => {
  for (const endpoint of endpoints) {
    const { headers, text } = await api.ask(endpoint.method, pathOf(endpoint), { key: null })
    expect({ name: endpoint.name, type: headers['content-type'] }).toEqual({
      name: endpoint.name,
      type: 'application/json',
    })
    expect(() => JSON.parse(text), endpoint.name).not.toThrow()
  }
})

test('every endpoint except those of a conversation requires an Authorization header', async () => {
  const open = endpoints.filter((it) => it.auth === 'none')
  expect(open.filter((it) => !it.path.startsWith('/api/conversations')).map((it) => it.name)).toEqual([])
  expect(open.map((it) => it.name)).toContain('conversations.send')
  for (const endpoint of endpoints.filter((it) => it.auth !== 'none'))
    expect({
      name: endpoint.name,
      status: (await api.ask(endpoint.method, pathOf(endpoint), { key: null })).status,
    }).toEqual({
      name: endpoint.name,
      status: 401,
    })
})

test('the identifiers of the API are neutral words', () => {
  const words = JSON.stringify(
    endpoints.map((it) => [it.path, Object.keys({ ...it.params?.shape, ...it.query?.shape, ...it.body?.shape })]),
  )
  expect(words).toContain('/api/user/messaging/')
  expect(words).not.toMatch(/whatsapp|stripe|twilio|calcom|calendly|activepieces/i)
})

test('numbers are for sale in ten countries', () => {
  expect([...countries].sort()).toEqual(['AU', 'CA', 'DK', 'FI', 'GB', 'IL', 'IT', 'NL', 'PL', 'US'])
})

test('empty lists have an empty array in their envelope', async () => {
  const { key } = await api.account()
  const at = async (url: string) => (await api.ask('GET', url, { key })).body
  expect(await at('/api/user/messaging/senders')).toEqual({ data: [] })
  expect(await at('/api/user/phone-numbers/search?contains=0000000000')).toEqual({ data: [] })
})
