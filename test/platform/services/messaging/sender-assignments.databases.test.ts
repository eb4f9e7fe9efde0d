import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { messagingPlatform, type Owner } from '../../../support/platform/messaging-platform.ts'

describe.each(databases)('the assistant of a sender on $name', (database) => {
  const { owner, api } = messagingPlatform(database)
  const list = async (by: Owner) => (await api().ask('GET', '/api/user/messaging/assignments', by)).body.data
  const assign = (by: Owner, sender: number, assistant_id: unknown) =>
    api().ask('PUT', `/api/user/messaging/senders/${sender}/assistant`, { key: by.key, body: { assistant_id } })

  test('is listed, removed and assigned, and belongs to the account', async () => {
    const [by, other] = [await owner(), await owner()]
    const [before] = await list(by)
    expect(before).toMatchObject({ id: by.sender.id, assistant_id: expect.any(Number) })
    expect(await assign(by, by.sender.id, null)).toMatchObject({
      status: 200,
      body: { data: { id: by.sender.id, assistant_id: null, assistant_name: null } },
    })
    expect((await list(by))[0]).toEqual({ ...before, assistant_id: null, assistant_name: null })
    expect(await assign(by, by.sender.id, (await list(other))[0].assistant_id)).toMatchObject({
      status: 422,
      body: { message: 'Validation failed', errors: { assistant_id: ['The selected assistant id is invalid.'] } },
    })
    expect(await assign(other, by.sender.id, null)).toMatchObject({
      status: 404,
      body: { error_code: 'SENDER_NOT_FOUND' },
    })
    expect(await assign(by, by.sender.id, before.assistant_id)).toMatchObject({ body: { data: before } })
    expect(await list(by)).toContainEqual(before)
  })
})
