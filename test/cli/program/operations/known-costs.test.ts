import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const template =
  'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday'
const freeform = 'messaging send --sender 1 --to +14155550142 --text "See you on Monday."'
const balance = async (by: Operator): Promise<number> => (await by.json('server accounts list'))[0].balance

const failing = async (handle: (request: never) => Promise<unknown>, request: { readonly url: string }) =>
  request.url.includes('/billing') ? { status: 503, headers: {}, body: '{"message":"down"}' } : handle(request as never)

describe('the cost of a single operation', () => {
  test.each([
    ['a template', template, 0.008],
    ['text inside the window', freeform, 0.004],
  ])('%s is said after sending, listed by ops list, and charged', async (_, line, cost) => {
    const by = operator()
    const before = await balance(by)
    const { stdout } = await by.run(line)
    const id = /^Message to \+\d+ \w+\. Cost: (\S+) USD\. Id: (\d+)\n$/.exec(stdout)
    expect(id?.[1], stdout).toBe(String(cost))
    expect(await by.json('messaging list --limit 1')).toMatchObject([{ id: Number(id?.[2]), cost }])
    expect(await by.json('ops list')).toMatchObject([{ state: 'done', amount_usd: cost }])
    expect((await by.run('ops list')).stdout).toContain(`${cost} USD`)
    expect(before - (await balance(by))).toBeCloseTo(cost, 9)
  })

  test('each row of a file has its cost in ops list, also without a budget', async () => {
    const by = operator()
    const { exitCode, stderr } = await by.run(
      'messaging send --sender 1 --template appointment_reminder --file - --format csv --yes',
      { stdin: 'phone,first_name,appointment_day\n+14155550111,Anna,Monday\n+14155550112,Bob,Monday\n' },
    )
    expect(exitCode, stderr).toBe(0)
    expect((await by.json('ops list')).map((it: { amount_usd: number }) => it.amount_usd)).toEqual([0.008, 0.008])
  })

  test('a call has the price of a minute, because its length is not known', async () => {
    const by = operator()
    const { call_minute: price } = (await by.json('billing summary')).prices
    const { stdout } = await by.run('calls start +14155550142 --assistant Recall --yes')
    expect(stdout).toContain(`Price: ${price.toFixed(2)} USD per minute, length unknown. Id: `)
    expect(await by.json('ops list')).toMatchObject([{ amount_usd: null, minute_price_usd: price }])
    expect((await by.run('ops list')).stdout).toContain(`${price.toFixed(2)} USD per minute`)
  })

  test('messages of a test conversation cost nothing', async () => {
    const by = operator()
    await by.run('conversations chat --assistant 1 --type test', { stdin: 'Hello\n' })
    expect(await by.json('ops list')).toMatchObject([{ endpoint: 'conversations.send', amount_usd: 0 }])
  })

  test.each([
    ['has no prices', { through: notParleyServer }],
    ['cannot read them', { through: failing as never }],
  ])('is not printed where the platform %s, and the message is sent', async (_, how) => {
    const by = operator()
    const { exitCode, stdout, stderr } = await by.run(`${template} --retries 0`, how)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/^Message to \+14155550111 queued\. Id: \d+\n$/)
    expect(await by.json('ops list')).toMatchObject([{ state: 'done', amount_usd: null }])
  })
})
