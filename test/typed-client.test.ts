import { expect, test } from 'vitest'
import { startPlatform } from '../src/platform.ts'
import { type Client, type ClientOptions, createClient, isClientError, type Lead } from '../src/typed-client.ts'
import { afterFile } from './support/cleanup.ts'

async function connected(options: Partial<ClientOptions> = {}): Promise<Client> {
  const platform = await startPlatform({
    seed: 7,
    clock: '2027-03-01T09:00:00Z',
    ...(options.vocabulary && { vocabulary: options.vocabulary }),
  })
  const client = createClient({ url: platform.url, key: platform.key, ...options })
  afterFile(async () => {
    await client.close()
    await platform.close()
  })
  return client
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: Error) => error,
  )

test('an application calls every endpoint by its resource and verb, with fields in one object', async () => {
  const client = await connected()
  expect((await client.keys.list()).api_keys.map((it) => it.name)).toContain('ci')
  const { data } = await client.numbers.search({ country_code: 'US' })
  const wanted = data[0]?.phone_number ?? ''
  const bought = await client.numbers.buy({ phone_number: wanted })
  expect(bought.data.phone_number).toBe(wanted)
  expect((await client.numbers.list()).data.map((it) => it.phone_number)).toContain(wanted)
  await client.numbers.update({ id: bought.data.id, nickname: 'Front desk' })
  await client.numbers.release({ id: bought.data.id })
})

test('all items of a list are read page by page', async () => {
  const client = await connected()
  const found: Lead[] = []
  for await (const lead of client.leads.list.all({ per_page: 2 })) found.push(lead)
  expect(found.length).toBeGreaterThan(2)
  expect((await client.leads.list({ per_page: 2 })).data).toEqual(found.slice(0, 2))
})

test('a repeated purchase under one idempotency key is one purchase', async () => {
  const client = await connected()
  const { data } = await client.numbers.search({ country_code: 'US' })
  const input = { phone_number: data[0]?.phone_number ?? '' }
  const first = await client.numbers.buy(input, { idempotencyKey: 'order-17' })
  expect(await client.numbers.buy(input, { idempotencyKey: 'order-17' })).toEqual(first)
})

test('a failure has a stable code, the status and the invalid fields', async () => {
  const client = await connected()
  const failure = await failureOf(client.keys.create({ name: '' }))
  if (!isClientError(failure)) throw failure
  expect(failure).toMatchObject({ status: 422, details: [{ path: 'name' }] })
  expect(failure.message).toContain(failure.details[0]?.message)
  expect(await failureOf(client.tools.get({ id: 999 }))).toMatchObject({ status: 404 })
  expect(isClientError(new Error('x'))).toBe(false)
})

test('a method, a resource or a URL that does not exist is named', async () => {
  const client = await connected()
  const tools = client.tools as unknown as Record<string, () => Promise<unknown>>
  expect((await failureOf(tools.gett?.() as Promise<unknown>)).message).toBe(
    'There is no method tools.gett. Use one of: tools.list, tools.get, tools.create, tools.update, tools.delete.',
  )
  const all = client as unknown as Record<string, Record<string, () => Promise<unknown>>>
  expect((await failureOf(all.tool?.list?.() as Promise<unknown>)).message).toContain('There is no resource tool.')
  expect((await failureOf(createClient({ url: 'platform.example' }).keys.list())).message).toContain('platform.example')
  expect(
    (await failureOf(createClient({ url: 'http://127.0.0.1:1', key: 'x', retries: 0 }).keys.list())).message,
  ).toContain('127.0.0.1:1')
})

test('a deployment with other words is used with the words of the documentation', async () => {
  const client = await connected({ vocabulary: 'public' })
  const campaigns = await client.campaigns.list()
  expect(campaigns.map((it) => it.channel)).toContain('messaging')
})

test('a client that is returned from an async function is not taken for a promise', async () => {
  expect(typeof (await connected()).keys.list).toBe('function')
})
