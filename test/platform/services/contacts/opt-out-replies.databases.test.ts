import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

describe.each(databases)('a reply to opt out on $name', (database) => {
  const platform = simulationPlatform(database)
  const from = '+14155550143'

  async function customer(more: object = {}) {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 10 })
    const sender = await platform.sender(by, more)
    const ask = (method: string, path: string, body?: object) =>
      platform.api().ask(method, `/api/user/${path}`, { key: by.key, ...(body && { body }) })
    const write = async (text: string) => {
      const answer = await platform.simulate(by, 'message', { sender: sender.phone, from, text })
      await platform.minutes(0)
      return answer
    }
    const sent = async () =>
      (await ask('GET', 'messaging/messages')).body.data.map((it: { body: string; cost: number }) => [it.body, it.cost])
    const blocked = async () =>
      (await ask('GET', 'blocked-contacts')).body.data.map(
        (it: { channel: string; source: string; reason: string }) => [it.channel, it.source, it.reason],
      )
    const balance = async () => (await ask('GET', 'me')).body.total_balance
    const events = async (kind: string) => (await platform.events(by)).filter((it) => it.kind === kind)
    const send = () =>
      ask('POST', 'messaging/send', { sender_id: sender.id, recipient_phone: from, template_id: sender.template })
    return { by, ask, write, sent, blocked, balance, events, send }
  }

  test('blocks the channel of the reply, and is confirmed once without a charge', async () => {
    const { write, sent, blocked, balance, send } = await customer()
    await write('Stop!')
    expect(await blocked()).toEqual([['messaging', 'reply', 'Replied "stop"']])
    const confirmation = ['You have opted out and will get no more messages. Reply START to get messages again.', 0]
    expect(await sent()).toEqual([confirmation])
    await write('STOP')
    await write('Hello? Please stop')
    expect(await sent()).toEqual([confirmation])
    expect(await balance()).toBe(10)
    expect(await send()).toMatchObject({ status: 422, body: { error_code: 'PROVIDER_ERROR_21610' } })
  })

  test('in another script, twice, from a number without an earlier message, is one block and one confirmation', async () => {
    const { write, sent, blocked, events, balance } = await customer()
    await write('СТОП')
    await write('توقف')
    expect(await blocked()).toEqual([['messaging', 'reply', 'Replied "стоп"']])
    expect(await events('contact.blocked')).toHaveLength(1)
    expect(await sent()).toEqual([[expect.stringContaining('START'), 0]])
    expect(await balance()).toBe(10)
  })

  test('is undone by START, which is neither answered nor charged', async () => {
    const { write, sent, blocked, balance, events, send } = await customer()
    await write('BAJA')
    await write('start')
    expect(await blocked()).toEqual([])
    expect((await events('contact.unblocked')).map((it) => it.payload.contacts)).toMatchObject([
      [{ phone_number: from, channel: 'messaging', source: 'reply' }],
    ])
    expect(await sent()).toHaveLength(1)
    expect(await balance()).toBe(10)
    // The assistant answers what follows, also another START.
    await write('Start')
    expect(await sent()).toHaveLength(2)
    expect((await send()).status).toBe(200)
    await write('arrêt')
    expect((await sent())[0]).toEqual([expect.stringContaining('désinscrit'), 0])
  })

  test('in a longer message is recorded for a person, and the assistant answers', async () => {
    const { write, sent, blocked, events } = await customer()
    await write('Please stop sending me the old price list')
    expect(await blocked()).toEqual([])
    expect(await events('contact.opt_out_suspected')).toMatchObject([
      { payload: { phone_number: from, channel: 'messaging', word: 'stop', conversation_id: expect.any(String) } },
    ])
    expect(await sent()).toHaveLength(1)
    expect((await sent())[0][1]).toBeGreaterThan(0)
  })

  test('counts although the sender has no assistant that would read it', async () => {
    const { by, write, blocked } = await customer()
    await platform
      .tables()
      .write('rows', (query) =>
        query.updateTable('sender').set({ assistant_id: null }).where('account_id', '=', by.id).execute(),
      )
    expect((await write('STOP')).status).toBeGreaterThanOrEqual(400)
    expect(await blocked()).toHaveLength(1)
  })

  test('has the words and the confirmation of the account', async () => {
    const { ask, write, sent, blocked } = await customer()
    const settings = { languages: ['es'], stop_words: ['No more'], confirmation: 'Bye.' }
    expect(await ask('PUT', 'opt-out-settings', settings)).toMatchObject({
      status: 200,
      body: { data: { ...settings, start_words: [], known_words: [{ language: 'es' }, { language: 'en' }] } },
    })
    await write('arrêt')
    expect(await blocked()).toEqual([])
    await write('no more')
    expect(await blocked()).toHaveLength(1)
    expect((await sent())[0]).toEqual(['Bye.', 0])
    expect((await ask('PUT', 'opt-out-settings', { languages: ['xx'] })).status).toBe(422)
    expect((await ask('GET', 'opt-out-settings')).body.data).toMatchObject(settings)
  })

  test('in English counts with any languages', async () => {
    const { ask, write, blocked } = await customer()
    await ask('PUT', 'opt-out-settings', { languages: ['de'] })
    await write('STOP')
    expect(await blocked()).toHaveLength(1)
  })

  test('has no word that opts in as well', async () => {
    const { ask } = await customer()
    for (const change of [
      { stop_words: ['Start!'] },
      { start_words: ['stop'] },
      { stop_words: ['X'], start_words: ['x'] },
    ])
      expect(await ask('PUT', 'opt-out-settings', change)).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('would opt out as well as in') },
      })
    expect((await ask('GET', 'opt-out-settings')).body.data).toMatchObject({ stop_words: [], start_words: [] })
  })

  test('START lifts no block of a person', async () => {
    const { ask, write, blocked } = await customer()
    const contact = { phone_number: from, channel: 'messaging', reason: 'Asked by phone' }
    await ask('POST', 'blocked-contacts', { contacts: [contact] })
    await write('START')
    expect(await blocked()).toEqual([['messaging', 'api', 'Asked by phone']])
  })
})
