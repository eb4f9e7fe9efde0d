import { expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { keys } from '../../src/contract/resources/keys.ts'
import { operator } from '../support/operator.ts'

const platform = (...answers: readonly { readonly status: number; readonly headers?: Record<string, string> }[]) => {
  let at = 0
  const client = createClient({
    transport: {
      base: 'https://platform.test',
      send: async () => ({ body: '{"api_keys":[]}', headers: {}, ...(answers[at++] ?? answers.at(-1)!) }),
      close: async () => {},
    },
    sleep: async () => {},
    random: () => 0.5,
    now: () => 0,
    retries: 0,
    key: async () => '1|secret',
  })
  return client
}

test('nothing is known about a platform before its first response', () => {
  expect(platform({ status: 200 }).capabilities()).toBeUndefined()
})

test('a platform that advertises nothing has no capabilities', async () => {
  const client = platform({ status: 200 })
  await client(keys.list, {})
  expect(client.capabilities()).toEqual(new Set())
})

test('an error response advertises as well, and the response of a proxy removes nothing', async () => {
  const client = platform({ status: 401, headers: { 'parley-capabilities': 'idempotency  later' } }, { status: 502 })
  for (const _ of [1, 2]) await client(keys.list, {}).catch(() => {})
  expect(client.capabilities()).toEqual(new Set(['idempotency', 'later']))
})

test('every response of the local platform advertises, also for an unknown path', async () => {
  const seen: (string | undefined)[] = []
  const { run } = operator()
  for (const line of ['keys list', 'tools get 999'])
    await run(line, {
      through: async (handle, request) => {
        const answer = await handle(request)
        const none = await handle({ ...request, url: '/api/nothing' })
        seen.push(answer.headers['parley-capabilities'], none.headers['parley-capabilities'])
        return answer
      },
    })
  expect(seen.every((it) => it?.split(' ').includes('idempotency'))).toBe(true)
  expect(seen.length).toBeGreaterThanOrEqual(4)
})
