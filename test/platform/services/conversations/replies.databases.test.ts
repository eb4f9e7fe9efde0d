import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { chatPlatform, type Owner } from '../../../support/platform/chat-platform.ts'

describe.each(databases)('replies for other channels on $name', (database) => {
  const { time, owner, read, list, balance, api, tables } = chatPlatform(database)

  function generate(by: Owner, body: object = {}, key?: string) {
    time.ms += 20_000
    const draft = { assistant_id: by.assistant.id, customer_identifier: 'anna', message: 'Hello', ...body }
    return api().ask('POST', '/api/user/ai/generate-reply', {
      key: by.key,
      body: draft,
      ...(key && { headers: { 'idempotency-key': key } }),
    })
  }

  test('start one conversation for each customer, continue it, and cost 0.01 USD each', async () => {
    const by = await owner()
    const first = await generate(by, { variables: { first_name: 'Anna', city: 'Bern' } })
    expect(first).toMatchObject({
      status: 200,
      body: {
        success: true,
        customer_identifier: 'anna',
        reply: 'Hello! How can I help you?',
        function_calls: [],
        ai_disabled: false,
      },
    })
    const again = await generate(by, { message: 'Thanks', variables: { city: 'Basel' } })
    expect(again.body.conversation_id).toBe(first.body.conversation_id)
    expect((await generate(by, { customer_identifier: 'ben' })).body.conversation_id).not.toBe(
      first.body.conversation_id,
    )
    expect((await read(first.body.conversation_id)).body).toMatchObject({
      external_identifier: 'anna',
      variables: { first_name: 'Anna', city: 'Basel' },
      history: [{ role: 'user' }, { role: 'assistant' }, { role: 'user', content: 'Thanks' }, { role: 'assistant' }],
    })
    expect((await list(by, '?type=api')).body).toMatchObject({
      total: 2,
      data: [{ message_count: 2 }, { message_count: 4, total_cost: 0.02, type: 'api' }],
    })
    expect(await balance(by)).toBe(0.97)
  })

  test('are not generated while AI is disabled, and then cost nothing', async () => {
    const by = await owner()
    const { conversation_id } = (await generate(by)).body
    await api().ask('POST', `/api/automate/conversations/${conversation_id}/disable-ai`, by)
    expect((await generate(by)).body).toMatchObject({
      conversation_id,
      reply: null,
      function_calls: [],
      ai_disabled: true,
    })
    expect(await balance(by)).toBe(0.99)
    expect((await list(by)).body.data[0].message_count).toBe(3)
  })

  test('are refused for an assistant of another account, without balance, and if the model fails', async () => {
    const [by, other] = [await owner({ balance: 0 }), await owner()]
    const refusal = (status: number, error: string, error_code: string) => ({
      status,
      body: { success: false, error, error_code },
    })
    expect(await generate(by, { assistant_id: other.assistant.id })).toMatchObject(
      refusal(404, 'Assistant not found', 'ASSISTANT_NOT_FOUND'),
    )
    expect(await generate(by)).toMatchObject(
      refusal(402, 'Insufficient balance. Please top up your account.', 'INSUFFICIENT_BALANCE'),
    )
    expect(await generate(other, { message: '#fail' })).toMatchObject(
      refusal(422, 'Failed to process message: The language model is not available.', 'UNKNOWN_ERROR'),
    )
    expect(await generate(other, { customer_identifier: 'x'.repeat(256) })).toMatchObject({ status: 422 })
    for (const owner of [by, other]) expect((await list(owner)).body.total).toBe(0)
    expect(await balance(other)).toBe(1)
  })

  test('are limited to five per minute', async () => {
    const by = await owner()
    const body = { assistant_id: by.assistant.id, customer_identifier: 'anna', message: 'Hello' }
    const answers = []
    for (let n = 0; n < 6; n++)
      answers.push(await api().ask('POST', '/api/user/ai/generate-reply', { key: by.key, body }))
    expect(answers.map((it) => it.status)).toEqual([200, 200, 200, 200, 200, 429])
    expect(answers[5]?.body).toEqual({ message: 'Too Many Attempts.', retry_after: 60 })
  })

  test('under one key are generated and paid once, also for two concurrent requests', async () => {
    const by = await owner()
    const [one, two] = await Promise.all([generate(by, {}, 'once'), generate(by, {}, 'once')])
    expect(two.body).toEqual(one.body)
    expect((await generate(by, {}, 'once')).body).toEqual(one.body)
    expect(await balance(by)).toBe(0.99)
    expect(
      await tables().read.selectFrom('message').select('id').where('account_id', '=', by.id).execute(),
    ).toHaveLength(2)
  })
})
