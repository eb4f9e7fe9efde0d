import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const text = 'sms send --from 4 --to +14155550142 --body Hello'
const template = 'messaging send --sender 1 --template opening_hours --to +14155550111'
const posts = (requests: readonly string[]): string[] => requests.filter((it) => it.startsWith('POST'))

describe('--budget', () => {
  test.each([
    [text, '0.009', '0.01'],
    [template, '0.001', '0.008'],
    ['calls start +14155550142 --assistant Recall --yes', '0.4', '0.50'],
    ['numbers buy +15005550006 --yes', '1', '1.15'],
    ['numbers buy --country US --max-price 3 --yes', '1', '1.15'],
    ['replies generate --assistant 1 --customer-identifier 7 --message Hello', '0', '0.01'],
  ])('%s is refused before anything is sent if it can cost more than %s', async (line, budget, price) => {
    const by = operator()
    const run = await by.run(`${line} --budget ${budget}`)
    expect(run).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringContaining(`This can cost ${price} USD, more than --budget ${budget}. Nothing was sent.`),
    })
    expect(posts(run.requests)).toEqual([])
    expect(await by.json('ops list')).toEqual([])
  })

  test.each([
    [text, '0.01'],
    [template, '0.008'],
    ['numbers buy +15005550006 --yes', '1.15'],
  ])('%s is sent if its price is the budget', async (line, budget) => {
    const by = operator()
    expect(await by.run(`${line} --budget ${budget}`)).toMatchObject({ exitCode: 0 })
    expect(await by.json('ops list')).toMatchObject([{ state: 'done', amount_usd: Number(budget) }])
  })

  test('is compared with the highest price of a call, chat or reply, which is not shown as their amount', async () => {
    const by = operator()
    const { conversation_id: uuid } = await by.json('conversations start --assistant 1')
    for (const line of [
      'calls start +15005550300 --assistant Recall --yes',
      `conversations send ${uuid} --message Hello`,
      'replies generate --assistant 1 --customer-identifier 7 --message Hello',
    ])
      await by.run(`${line} --budget 1`)
    await by.run(`conversations chat ${uuid} -o ndjson --budget 1`, { stdin: 'Hello again\n' })
    await by.run('conversations chat --assistant 1 --type widget -o ndjson --budget 1', { stdin: 'Hello\n' })
    expect((await by.json('ops list')).map((it: { amount_usd: number | null }) => it.amount_usd)).toEqual([
      0.01,
      null,
      null,
      null,
      null,
    ])
  })

  test('is refused if the platform does not report prices, and if it is not an amount', async () => {
    const by = operator()
    const run = await by.run(`${text} --budget 5`, { through: notParleyServer })
    expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('The price is not known') })
    expect(posts(run.requests)).toEqual([])
    for (const wrong of ['-1', 'much', '""'])
      expect(await by.run(`${text} --budget=${wrong}`)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('--budget'),
      })
  })
})

describe('amounts', () => {
  test('of numbers are in the list, and those of operations in the journal', async () => {
    const by = operator()
    const numbers = await by.json('numbers list')
    expect(numbers.map((it: { price: number | null }) => it.price)).toEqual([null, 1.3, null, 1.15, null])
    expect((await by.run('numbers list')).stdout).toContain('1.15 USD')
    await by.run(text)
    await by.run(template)
    await by.run('numbers buy +15005550006 --max-price 3 --yes')
    expect((await by.json('ops list')).map((it: { amount_usd: number | null }) => it.amount_usd)).toEqual([
      1.15, 0.008, 0.01,
    ])
  })
})
