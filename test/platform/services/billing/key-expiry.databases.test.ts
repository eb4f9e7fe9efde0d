import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Owner } from '../../../support/platform/automation-platform.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

// A campaign and a conversation of a key stop when the key expires, and nothing is charged afterwards.

describe.each(databases)('work of an expired key on $name', (database) => {
  const platform = simulationPlatform(database)

  const keyWith = async (by: Owner, restrictions: object): Promise<string> => {
    const { status, body } = await platform
      .api()
      .ask('POST', '/api/user/api-keys', { key: by.key, body: { name: 'agent', ...restrictions } })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.api_key.token
  }
  const keyFor = (by: Owner, hours = 1): Promise<string> => keyWith(by, { scope: 'spend', expires: `${hours}h` })
  const post = (key: string, path: string, body: object) =>
    platform.api().ask('POST', `/api/user/${path}`, { key, body })
  /** Returns the amounts of the ledger of an account. */
  const charges = async ({ id }: Owner): Promise<unknown[]> =>
    (await platform.control(`accounts/${id}/ledger?limit=1000`)).body.data.map((it: { amount: number }) => it.amount)
  const rich = async (): Promise<Owner> => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 100 })
    return by
  }

  test('a campaign makes no further call, and is paused', async () => {
    const by = await rich()
    const campaign = (
      await post(by.key, 'campaign', {
        name: 'Recall',
        assistant_id: by.assistant,
        timezone: 'UTC',
        max_calls_in_parallel: 1,
        max_retries: 1,
      })
    ).body.data.id
    for (let n = 0; n < 40; n++)
      await post(by.key, 'lead', { campaign_id: campaign, phone_number: `+141555502${10 + n}` })
    const started = await post(await keyFor(by), 'campaigns/update-status', { campaign_id: campaign, action: 'start' })
    expect(started.body.data.status).toBe('in-progress')
    for (let n = 0; n < 10; n++) await platform.minutes(1)
    const calls = async () => (await platform.get(by, 'calls?per_page=100')).data.length
    expect(await calls()).toBeGreaterThan(0)
    expect(await calls()).toBeLessThan(40)
    await platform.minutes(60)
    for (let n = 0; n < 5; n++) await platform.minutes(1)
    const [before, made] = [await charges(by), await calls()]
    for (let n = 0; n < 20; n++) await platform.minutes(1)
    expect(await calls()).toBe(made)
    expect(await charges(by)).toEqual(before)
    expect((await platform.get(by, `campaign/${campaign}`)).data.status).toBe('paused')
    // Another key continues it.
    const again = await post(by.key, 'campaigns/update-status', { campaign_id: campaign, action: 'start' })
    expect(again.body.data.status).toBe('in-progress')
    await platform.minutes(1)
    expect(await calls()).toBeGreaterThan(made)
  })

  test('a widget message is refused as insufficient balance, and nothing is charged', async () => {
    const by = await rich()
    const { uuid } = await platform
      .tables()
      .read.selectFrom('assistant')
      .select('uuid')
      .where('id', '=', by.assistant)
      .executeTakeFirstOrThrow()
    const { body } = await platform.api().ask('POST', '/api/conversations', {
      key: await keyFor(by),
      body: { assistant_id: uuid, type: 'widget' },
    })
    expect((await platform.say(body.conversation_id, 'Hello')).status).toBe(200)
    const before = await charges(by)
    await platform.minutes(61)
    const late = await platform.say(body.conversation_id, 'Hello again')
    expect([late.status, late.body.error]).toEqual([400, 'Insufficient balance. Please top up your account.'])
    expect(await charges(by)).toEqual(before)
  })
})
