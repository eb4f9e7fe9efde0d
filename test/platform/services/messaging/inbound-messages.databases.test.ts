import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

describe.each(databases)('messages of a customer on $name', (database) => {
  /** What happens at the next such step of a provider, before its result is known. */
  let during: { readonly step: string; readonly happens: () => Promise<unknown> } | undefined
  let replies = 0
  const gate = async (step: string): Promise<void> => {
    if (step === 'language.reply:after') replies++
    if (step !== during?.step) return
    const { happens } = during
    during = undefined
    await happens()
  }
  const duringReply = (happens: () => Promise<unknown>): void => {
    during = { step: 'language.reply:after', happens }
  }
  const platform = simulationPlatform(database, { gate })

  async function customer() {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 10 })
    const sender = await platform.sender(by)
    const from = '+14155550143'
    const write = async (text: string) => {
      const { status } = await platform.simulate(by, 'message', { sender: sender.phone, from, text })
      expect(status).toBe(200)
    }
    const messages = () =>
      platform
        .tables()
        .read.selectFrom('message')
        .select(['role', 'content', 'conversation_id'])
        .where('account_id', '=', by.id)
        .orderBy('id')
        .execute()
    const roles = async () => (await messages()).map((one) => one.role)
    const setReplies = async (enabled: number) =>
      platform
        .tables()
        .write('everything', (query) =>
          query.updateTable('conversation').set({ ai_enabled: enabled }).where('account_id', '=', by.id).execute(),
        )
    const answer = (message: string) =>
      platform.api().ask('POST', '/api/user/messaging/send-freeform', {
        key: by.key,
        body: { sender_id: sender.id, recipient_phone: from, message },
      })
    replies = 0
    return { by, write, messages, roles, setReplies, answer }
  }

  test('that arrive while the reply to an earlier one is generated are answered', async () => {
    const { write, roles, messages } = await customer()
    duringReply(() => write('And on Saturday?'))
    await write('Are you open on Friday?')
    await platform.minutes(0)
    await platform.minutes(1)
    expect(await messages()).toMatchObject([
      { role: 'user', content: 'Are you open on Friday?' },
      { role: 'user', content: 'And on Saturday?' },
      { role: 'assistant' },
    ])
    expect(await roles()).toHaveLength(3)
    expect(replies).toBe(2)
  })

  test('that arrive while a reply is sent are answered too', async () => {
    const { write, roles } = await customer()
    during = { step: 'channel.send:after', happens: () => write('And on Saturday?') }
    await write('Are you open on Friday?')
    await platform.minutes(0)
    await platform.minutes(1)
    expect(await roles()).toEqual(['user', 'user', 'assistant', 'assistant'])
    expect(replies).toBe(2)
  })

  test('are not answered when somebody disables replies, or answers, while the reply is generated', async () => {
    const { write, roles, setReplies, answer } = await customer()
    duringReply(() => setReplies(0))
    await write('Hello?')
    await platform.minutes(0)
    expect(await roles()).toEqual(['user'])
    await setReplies(1)
    duringReply(async () => expect((await answer('I am here.')).status).toBe(200))
    await write('Hello??')
    await platform.minutes(0)
    await platform.minutes(1)
    expect(await roles()).toEqual(['user', 'user', 'assistant'])
  })
})
