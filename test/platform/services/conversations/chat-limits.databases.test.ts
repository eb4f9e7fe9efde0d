import { describe, expect, test } from 'vitest'
import { chatLimits } from '../../../../src/platform/services/conversations/chat-limits.ts'
import { databases } from '../../../support/databases.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const away = (address: string) => ({ address, isProxied: false, isLocal: false })
const local = { address: '127.0.0.1', isProxied: false, isLocal: true }

describe.each(databases)('chats without a key on $name', (database) => {
  const opened = async (settings = {}) => {
    let ms = Date.UTC(2027, 0, 31, 12)
    const api = await fresh(database, { wall: () => ms, ...settings })
    const start = async (type = 'widget', remote?: object): Promise<string> => {
      const { body } = await api.platform.handle({
        method: 'POST',
        url: '/api/conversations',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ assistant_id: await assistant(), type }),
        ...(remote && { remote: remote as never }),
      })
      return JSON.parse(body).conversation_id
    }
    const assistant = async (): Promise<string> =>
      (await api.ask('GET', '/api/user/conversations')).body.data[0].assistant_id
    const send = async (uuid: string, remote?: object) => {
      const { status, headers } = await api.platform.handle({
        method: 'POST',
        url: `/api/conversations/${uuid}/messages`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'Hello' }),
        ...(remote && { remote: remote as never }),
      })
      return { status, retryAfter: headers['retry-after'] }
    }
    return { api, start, send, later: (by: number) => void (ms += by) }
  }

  test('have a limit for each conversation and each address', async () => {
    const { start, send, later } = await opened()
    const uuid = await start()
    for (let n = 0; n < chatLimits.conversation; n++)
      expect((await send(uuid, away(`192.0.2.${n}`))).status, String(n)).toBe(200)
    expect(await send(uuid, away('192.0.2.99'))).toEqual({ status: 429, retryAfter: '60' })
    expect((await send(uuid, local)).status).toBe(200)
    expect((await send(uuid)).status).toBe(200)
    const others = await Promise.all([...Array(4).keys()].map(() => start('test')))
    const statuses: number[] = []
    for (let n = 0; n <= chatLimits.address; n++)
      statuses.push((await send(others[n % 4] as string, away('192.0.2.200'))).status)
    expect([statuses.at(-2), statuses.at(-1)]).toEqual([200, 429])
    later(60_000)
    expect((await send(uuid, away('192.0.2.200'))).status).toBe(200)
  })

  test('count an IPv6 network as one address, and any spelling of a UUID as one conversation', async () => {
    const { start, send } = await opened({ chatLimits: { conversation: 3, address: 2, assistant: 0, day: 0 } })
    const [first, second] = [await start('test'), await start('test')]
    const from = async (uuid: string, address: string) => (await send(uuid, away(address))).status
    expect([await from(first, '2001:db8::1'), await from(second, '2001:db8::2')]).toEqual([200, 200])
    expect([await from(second, '2001:db8:0:0:ffff::3'), await from(second, '2001:db8:0:1::1')]).toEqual([429, 200])
    expect([await from(first.toUpperCase(), '192.0.2.1'), await from(first, '192.0.2.2')]).toEqual([200, 200])
    expect(await from(first.toUpperCase(), '192.0.2.3')).toBe(429)
  })

  test('are started as often as messages are sent, from an address and with an assistant', async () => {
    const { start } = await opened({ chatLimits: { conversation: 0, address: 2, assistant: 3, day: 0 } })
    const from = async (address: string) => (await start('test', away(address))) !== undefined
    expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8::3')]).toEqual([
      true,
      true,
      false,
    ])
    expect([await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([true, false])
  })

  test('have the limits that the operator sets', async () => {
    const { start, send } = await opened({ chatLimits: { conversation: 1, address: 0, assistant: 0, day: 2 } })
    const [first, second, third] = [await start(), await start(), await start()]
    const statuses = []
    for (const uuid of [first, first, second, third]) statuses.push((await send(uuid, away('192.0.2.1'))).status)
    expect(statuses).toEqual([200, 429, 200, 429])
  })

  test('of the widget have a daily limit for each assistant', async () => {
    const { api, start, send } = await opened()
    const uuid = await start()
    expect((await send(uuid, away('192.0.2.1'))).status).toBe(200)
    const tables = await tablesOf(api.place)
    await tables.write('rows', (query) => query.updateTable('request_limit').set({ used: chatLimits.day }).execute())
    expect(await send(uuid, away('192.0.2.1'))).toEqual({ status: 429, retryAfter: String(12 * 3600) })
    expect((await send(await start('test'), away('192.0.2.1'))).status).toBe(200)
    expect((await send(await start(), local)).status).toBe(200)
  })

  test('leave an assistant to real customers while one address sends as much as it can', async () => {
    const limits = { conversation: 0, address: 0, assistant: 20, day: 40 }
    const { start, send, later } = await opened({ chatLimits: limits })
    const outsider = await start()
    let accepted = 0
    for (let minute = 0; minute < 4; minute++) {
      for (let n = 0; n < 30; n++) if ((await send(outsider, away('192.0.2.66'))).status === 200) accepted++
      for (let n = 0; n < 2; n++)
        expect((await send(await start(), away(`198.51.100.${minute * 10 + n}`))).status, `minute ${minute}`).toBe(200)
      later(60_000)
    }
    // Half of the limit of a minute, and of a day.
    expect(accepted).toBeLessThanOrEqual(20)
  })

  test('let few messages wait for the next minute before they are refused', async () => {
    const { start, send, later } = await opened({ chatLimits: { conversation: 0, address: 0, assistant: 3, day: 0 } })
    const uuid = await start()
    later(59_995)
    for (let n = 0; n < 3; n++) expect((await send(uuid, away(`192.0.2.${n}`))).status).toBe(200)
    let isAnswered = false
    const waiting = send(uuid, away('192.0.2.9')).finally(() => {
      isAnswered = true
    })
    await send(uuid, local)
    expect(isAnswered).toBe(false)
    later(5)
    expect((await waiting).status).toBe(200)
    later(-30_000 + 60_000 - 5)
    for (let n = 0; n < 3; n++) await send(uuid, away(`192.0.2.${n}`))
    expect((await send(uuid, away('192.0.2.9'))).status).toBe(429)
  })
})
