import { describe, expect, test } from 'vitest'
import { capabilitiesHeader } from '../../src/contract/endpoint/capabilities.ts'
import { labels } from '../../src/contract/resources/labels.ts'
import { tools } from '../../src/contract/resources/tools.ts'
import { answer, failureOf, lost, playing, type Step } from '../support/scripted-client.ts'

const parley = { [capabilitiesHeader]: 'idempotency idempotent-changes' }
const seen = answer(200, [], parley)
const deleted = answer(200, { message: 'Tool deleted successfully' }, parley)
const gone = answer(404, { message: 'Tool not found' })
const busy = answer(409, { message: 'A request with this Idempotency-Key is still in progress.' }, parley)

const keysOf = (requests: readonly { headers: Readonly<Record<string, string>>; method: string }[]) =>
  requests.filter((it) => it.method !== 'GET').map((it) => it.headers['idempotency-key'])

describe('a write of a platform that advertises idempotency', () => {
  async function answering(steps: readonly Step[]) {
    const platform = playing([seen, ...steps])
    await platform.call(tools.list, {})
    return platform
  }

  test.each(['reset', 'truncated', 'timeout'] as const)('is repeated with the same key after a %s', async (reason) => {
    const { call, requests } = await answering([lost(reason, true), deleted])
    await expect(call(tools.delete, { id: 1 })).resolves.toMatchObject({ message: 'Tool deleted successfully' })
    const [first, second] = keysOf(requests)
    expect(first).toBeDefined()
    expect(second).toBe(first)
  })

  test('waits while the first attempt is still carried out, and returns its answer', async () => {
    const { call, requests } = await answering([lost('timeout', true), busy, busy, deleted])
    await expect(call(tools.delete, { id: 1 })).resolves.toMatchObject({ message: 'Tool deleted successfully' })
    expect(new Set(keysOf(requests)).size).toBe(1)
  })

  test.each([
    ['still in progress', busy],
    ['a connection that is refused', lost('refused', false)],
    ['an error of a gateway', answer(502, '<h1>Bad gateway</h1>')],
    ['a rejected key', answer(401, { message: 'Unauthenticated.' })],
  ])('without an answer at last may have been carried out: %s', async (_, step) => {
    const { call } = await answering([lost('reset', true), step])
    expect(await failureOf(call(tools.update, { id: 1, description: 'New.' }))).toMatchObject({
      exit: 'connection',
      code: 'connection_reset',
      sent: true,
    })
  })

  test('that is refused when it is repeated was not carried out', async () => {
    const refusal = answer(422, { message: 'Validation failed', errors: { name: ['Taken.'] } }, parley)
    const { call } = await answering([lost('reset', true), refusal])
    expect(await failureOf(call(tools.update, { id: 1, name: 'x' }))).toMatchObject({ status: 422 })
  })
})

describe('a platform that honors keys on POST only, as Parley servers before 0.2.0', () => {
  const old = { [capabilitiesHeader]: 'idempotency' }
  async function playAfter(steps: readonly Step[]) {
    const platform = playing([answer(200, [], old), ...steps])
    await platform.call(tools.list, {})
    return platform
  }

  test('gets no update a second time, and no key with it', async () => {
    const { call, requests } = await playAfter([lost('reset', true), answer(200, { message: 'Tool updated' }, old)])
    expect(await failureOf(call(tools.update, { id: 1, name: 'x' }))).toMatchObject({ sent: true })
    expect(keysOf(requests)).toEqual([undefined])
  })

  test('gets no deletion a second time unless the resource was seen', async () => {
    const { call, requests } = await playAfter([lost('reset', true), gone])
    expect(await failureOf(call(tools.delete, { id: 1 }, { acceptsIncomplete: true }))).toMatchObject({ sent: true })
    expect(keysOf(requests)).toEqual([undefined])
  })

  test('gets a creation again with the same key', async () => {
    const { call, requests } = await playAfter([
      lost('reset', true),
      answer(201, { label: { id: 9, name: 'VIP' } }, old),
    ])
    await call(labels.create, { name: 'VIP' }).catch(() => {})
    const [first, second] = keysOf(requests)
    expect(first).toBeDefined()
    expect(second).toBe(first)
  })
})

describe('a deletion of a platform without idempotency', () => {
  const readBack = { acceptsIncomplete: true, wasSeen: true }

  test('has no key, and is not repeated after a lost answer if the resource was not seen', async () => {
    const { call, requests } = playing([lost('reset', true), gone])
    expect(await failureOf(call(tools.delete, { id: 1 }, { acceptsIncomplete: true }))).toMatchObject({ sent: true })
    expect(keysOf(requests)).toEqual([undefined])
  })

  test('of a resource that was seen is done if the repeated one finds nothing', async () => {
    const { call, requests } = playing([lost('reset', true), gone])
    await expect(call.raw(tools.delete, { id: 1 }, readBack)).resolves.toMatchObject({ status: 404 })
    expect(requests).toHaveLength(2)
  })

  test('that was not sent at first finds nothing: that is a failure', async () => {
    const { call } = playing([lost('refused', false), gone])
    expect(await failureOf(call(tools.delete, { id: 1 }, readBack))).toMatchObject({ exit: 'not_found' })
  })

  test('an update is not repeated', async () => {
    const { call, requests } = playing([lost('reset', true), deleted])
    expect(await failureOf(call(tools.update, { id: 1, name: 'x' }))).toMatchObject({ sent: true })
    expect(requests).toHaveLength(1)
  })
})
