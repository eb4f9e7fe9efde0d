import { describe, expect, test } from 'vitest'
import { type McpClient, mcpClient, revisions } from '../../../support/mcp-client.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const number = '+15005550006'
const owned = async (by: Operator): Promise<string[]> =>
  (await by.json('numbers list')).map((it: { phone_number: string }) => it.phone_number)
const approve = (by: Operator, id: string) => by.run(`ops approve ${id}`, { answers: [['Approve this?', true]] })
const idIn = (text: string): string => /"ops","run","(\w+)"/.exec(text)?.[1] as string

describe.each(revisions)('a client of revision %s', (revision) => {
  test('lists five tools in at most 2 000 tokens, with all hints', async () => {
    const agent = await mcpClient(operator(), { revision })
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['find', 'read', 'write', 'spend', 'sandbox'])
    expect(JSON.stringify(tools).length / 4).toBeLessThanOrEqual(2000)
    expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
      find: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      write: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      spend: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      sandbox: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    })
    expect((await agent.close()).exitCode).toBe(0)
  })

  test('finds a command, reads, and asks for approval of a purchase that a person decides', async () => {
    const by = operator()
    const agent = await mcpClient(by, { revision, flags: '--allow spend' })
    expect((await agent.call('find', { query: 'buy number' })).text.split('\n')[0]).toBe(
      'numbers buy [number]: Buy a phone number (monthly, non-refundable) (spends)',
    )
    expect((await agent.call('find', { query: 'numbers buy' })).text).toContain('--max-price')
    expect(JSON.parse((await agent.line('read', 'numbers list')).text)).toHaveLength(5)
    const asked = await agent.line('spend', `numbers buy ${number}`)
    expect(asked.text).toContain('Nothing was sent')
    const id = idIn(asked.text)
    expect((await agent.line('spend', `ops run ${id}`)).text).toContain('Not done')
    expect(await owned(by)).not.toContain(number)
    expect((await approve(by, id)).exitCode).toBe(0)
    const bought = await agent.line('spend', `ops run ${id}`)
    expect(bought.isError, bought.text).toBe(false)
    expect(await owned(by)).toContain(number)
    expect((await agent.line('spend', `ops run ${id}`)).text).toContain('carried out already')
    await agent.close()
  })

  test.each([
    ['accept', 'approves nothing'],
    ['decline', 'Declined, or your client showed nothing'],
    ['cancel', 'Declined, or your client showed nothing'],
  ] as const)('that answers the question with %s approves nothing', async (action, said) => {
    const by = operator()
    const agent = await mcpClient(by, {
      revision,
      flags: '--allow spend',
      answer: () => (action === 'accept' ? { action, content: {} } : { action }),
    })
    const { text } = await agent.line('spend', `numbers buy ${number}`)
    expect(text).toContain(said)
    expect(agent.asked[0]).toContain('Your answer here approves nothing')
    expect(await owned(by)).not.toContain(number)
    expect((await by.json(`ops get ${idIn(text)}`)).state).toBe('pending')
    await agent.close()
  })

  test('that answers after a person has approved continues with the purchase', async () => {
    const by = operator()
    const agent: McpClient = await mcpClient(by, {
      revision,
      flags: '--allow spend',
      answer: async () => {
        const [{ id }] = await by.json('ops list --pending')
        expect((await approve(by, id)).exitCode).toBe(0)
        return { action: 'accept', content: {} }
      },
    })
    const { text, isError } = await agent.line('spend', `numbers buy ${number}`)
    expect(isError, text).toBe(false)
    expect(await owned(by)).toContain(number)
    await agent.close()
  })
})
