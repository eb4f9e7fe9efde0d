import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

describe.each(databases)('simulated failures on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  const buy = async (by: Owner): Promise<{ id: number; phone_number: string }> => {
    const [found] = (await platform.get(by, 'phone-numbers/search?country_code=US&contains=415')).data
    return (await platform.api().buy(found.phone_number, { key: by.key })).body.data
  }
  const numbers = async (by: Owner) => (await platform.get(by, 'phone-numbers/all')).data
  const cards = async ({ id }: Owner) =>
    (await platform.control(`accounts/${id}/ledger`)).body.data.filter(
      (one: { kind: string }) => one.kind === 'card_charge',
    )
  const days = (n: number): Promise<void> => platform.minutes(n * 24 * 60)

  test('a declined payment makes renewals fail daily until the number is removed', async () => {
    const by = await platform.owner()
    await buy(by)
    expect((await platform.simulate(by, 'payment', {})).body).toMatchObject({
      message: 'Charges are declined from now on.',
      data: { payment_method: 'pm_card_declined' },
    })
    for (let n = 0; n < 40; n++) await days(1)
    expect(await numbers(by)).toEqual([])
    expect(await cards(by)).toHaveLength(1)
    expect(
      (await platform.events(by)).filter((event) => event.kind === 'subscription.payment_failed').length,
    ).toBeGreaterThan(2)
  })

  test('payments that are accepted again in time preserve the number', async () => {
    const by = await platform.owner()
    await buy(by)
    await platform.simulate(by, 'payment', { outcome: 'declined' })
    for (let n = 0; n < 31; n++) await days(1)
    await platform.simulate(by, 'payment', { outcome: 'accepted' })
    for (let n = 0; n < 3; n++) await days(1)
    expect(await numbers(by)).toHaveLength(1)
    expect(await cards(by)).toHaveLength(2)
  })

  test('a number that its provider revokes is removed immediately, also from its assistant', async () => {
    const by = await platform.owner()
    const { id, phone_number } = await buy(by)
    expect((await platform.simulate(by, 'release', { number: phone_number })).body).toMatchObject({
      data: { id, phone_number },
    })
    expect(await numbers(by)).toEqual([])
    expect((await platform.simulate(by, 'release', { number: phone_number })).status).toBe(404)
    expect((await platform.events(by)).map((event) => event.kind)).toContain('number.released')
  })

  test('a provider that fails once is retried as a job: the message is sent and paid once', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const { body } = await platform.control('simulate/failure', {
      provider: 'channel.send',
      text: 'The channel is closed.',
    })
    expect(body.data).toMatchObject({ provider: 'channel.send', times: 1 })
    const draft = { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550142' }
    expect((await platform.api().ask('POST', '/api/user/messaging/send', { key: by.key, body: draft })).status).toBe(
      500,
    )
    await new Promise((resolve) => setTimeout(resolve, 0))
    await platform.minutes(5)
    const rows = await platform
      .tables()
      .read.selectFrom('channel_message')
      .select('state')
      .where('account_id', '=', by.id)
      .execute()
    expect(rows).toEqual([{ state: 'sent' }])
    expect(
      (await platform.control(`accounts/${by.id}/ledger`)).body.data.filter(
        (one: { kind: string }) => one.kind === 'charge',
      ),
    ).toHaveLength(1)
  })

  test('data older than 30 days is deleted automatically, data in use is not', async () => {
    const { url } = await webhookReceiver()
    const by = await platform.owner()
    await platform.enable(by, 'conversation-ended', url)
    const fire = (n: number) =>
      platform.fire(by, 'conversation_ended', by.assistant, { payload: { conversation_id: String(n) } })
    await fire(0)
    await platform.minutes(0)
    await days(31)
    for (let n = 1; n <= 64; n++) await fire(n)
    await platform.minutes(1)
    const left = (await platform.control(`deliveries?account=${by.id}&limit=1000`)).body.data
    expect(left).toHaveLength(64)
    const events = await platform
      .tables()
      .read.selectFrom('outbox')
      .select('id')
      .where('account_id', '=', by.id)
      .where('kind', '=', 'fired.conversation_ended')
      .execute()
    expect(events).toHaveLength(64)
  })
})
