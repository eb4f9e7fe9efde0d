import { describe, expect, test } from 'vitest'
import { day } from '../../../../src/contract/values/micros.ts'
import { databases } from '../../../support/databases.ts'
import { messagingPlatform, type Owner } from '../../../support/platform/messaging-platform.ts'

describe.each(databases)('the list of 24-hour windows on $name', (database) => {
  const { time, owner, send, session, api } = messagingPlatform(database)
  const list = async (by: Owner, query = '') =>
    (await api().ask('GET', `/api/user/messaging/sessions?${query}`, by)).body
  const recipients = async (by: Owner, query = ''): Promise<string[]> =>
    (await list(by, query)).data.map((it: { recipient_phone: string }) => it.recipient_phone)

  test('has each recipient who was sent a template, the latest first, until 24 hours have passed', async () => {
    const by = await owner()
    expect(await recipients(by)).toEqual([])
    await send(by, { recipient_phone: '+14155550111' })
    await send(by, { recipient_phone: '+14155550112' })
    await send(by, { recipient_phone: '+14155550111' })
    expect(await recipients(by)).toEqual(['+14155550111', '+14155550112'])
    time.ms += day / 1000 - 1000
    expect(await recipients(by)).toEqual(['+14155550111'])
    expect(await recipients(by, 'status=closed')).toEqual(['+14155550112'])
    time.ms += 1000
    expect(await recipients(by)).toEqual([])
    expect(await recipients(by, 'status=all')).toEqual(['+14155550111', '+14155550112'])
  })

  test('has the same state of a window as session-status', async () => {
    const by = await owner()
    await send(by)
    const [row] = (await list(by)).data
    const { success: _, has_conversation: __, ...one } = await session(by)
    expect(row).toEqual({ sender_id: by.sender.id, recipient_phone: row.recipient_phone, ...one })
  })

  test('has pages with the total, of one sender or of all, and nothing of another account', async () => {
    const [by, other] = [await owner(), await owner()]
    for (const n of [1, 2, 3]) await send(by, { recipient_phone: `+1415555011${n}` })
    expect(await list(by, 'per_page=2')).toMatchObject({ total: 3, last_page: 2, from: 1, to: 2 })
    expect(await recipients(by, 'per_page=2&page=2')).toEqual(['+14155550111'])
    expect(await recipients(by, `sender_id=${by.sender.id}`)).toHaveLength(3)
    expect(await recipients(other)).toEqual([])
    const refused = await api().ask('GET', `/api/user/messaging/sessions?sender_id=${by.sender.id}`, other)
    expect(refused).toMatchObject({ status: 404, body: { error_code: 'SENDER_NOT_FOUND' } })
  })

  test('has a list of sent messages beside it, by status, template, day and recipient', async () => {
    const [by, other] = [await owner(), await owner()]
    for (const n of [1, 2, 3]) await send(by, { recipient_phone: `+1415555011${n}` })
    const sent = async (owner: Owner, query = '') =>
      (await api().ask('GET', `/api/user/messaging/messages?${query}`, owner)).body
    const { data, total } = await sent(by, 'per_page=2')
    expect([data.map((it: { recipient_phone: string }) => it.recipient_phone), total]).toEqual([
      ['+14155550113', '+14155550112'],
      3,
    ])
    for (const filter of [
      `status=${data[0].status}`,
      `template_id=${data[0].template_id}`,
      `sender_id=${by.sender.id}`,
    ])
      expect((await sent(by, filter)).total, filter).toBe(3)
    expect((await sent(by, 'status=failed')).total).toBe(0)
    expect((await sent(by, 'date_to=2020-01-01')).total).toBe(0)
    expect((await sent(by, 'recipient_phone=%2B14155550111')).total).toBe(1)
    expect((await sent(other)).total).toBe(0)
  })
})
