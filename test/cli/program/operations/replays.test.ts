import { expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

interface Entry {
  readonly state: string
  readonly amount_usd: number | null
  readonly endpoint: string
}

const entries = (by: Operator): Promise<Entry[]> => by.json('ops list')

test.each([
  [
    'messaging.send',
    'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday',
    /^Message to \+14155550111 already sent\. Nothing was charged\. Id: \d+\n$/,
  ],
  [
    'sms.send',
    'sms send --from "Front desk" --to +14155550142 --body Hello',
    /^SMS to \+14155550142 already sent\. Nothing was charged\./,
  ],
  ['calls.start', 'calls start +14155550142 --assistant Recall --yes', /already started/i],
  ['replies.generate', 'replies generate --assistant 1 --customer-identifier ada --message Hello', /./],
  ['campaigns.updateStatus', 'campaigns start 2 --yes', /^Already done before\. Nothing was changed\./],
])(
  '%s with the key of an earlier one says that it was done, and is listed as a replay without a cost',
  async (endpoint, line, sentence) => {
    const by = operator()
    const first = await by.run(`${line} --idempotency-key once`)
    expect(first.exitCode, first.stderr).toBeLessThan(21)
    expect(first.stdout).not.toMatch(/already/i)
    const again = await by.run(`${line} --idempotency-key once`)
    expect(again.exitCode, again.stderr).toBe(0)
    expect(again.stdout).toMatch(sentence)
    expect(again.stderr).toMatch(/carried out before with the idempotency key "once".*nothing was charged/)
    const [second, original] = await entries(by)
    expect([original, second]).toMatchObject([
      { endpoint, state: 'done' },
      { endpoint, state: 'replayed', amount_usd: 0 },
    ])
    const { stdout } = await by.run('ops list')
    expect(stdout).toMatch(/replayed/i)
  },
)

test('a number that was bought with the key is not bought again, and its price is not listed twice', async () => {
  const by = operator()
  const [offer] = await by.json<readonly { phone_number: string }[]>('numbers search --country US')
  const line = `numbers buy ${offer?.phone_number} --yes --idempotency-key once`
  const first = await by.run(line)
  expect(first.exitCode, first.stderr).toBe(0)
  const again = await by.run(line)
  expect(again.stdout).toMatch(/^Already bought \+\d+, .*Nothing was charged\./)
  const amounts = (await entries(by)).map((it) => [it.state, it.amount_usd])
  expect(amounts).toEqual([
    ['replayed', 0],
    ['done', expect.any(Number)],
  ])
  expect(amounts[1]?.[1]).toBeGreaterThan(0)
  const cheapest = await by.run('numbers buy --country US --max-price 5 --yes --idempotency-key once')
  expect(cheapest.stdout).toMatch(/Already bought/)
})

test('a request that is repeated after its first answer was lost has the cost, and the second one has none', async () => {
  const by = operator()
  const line = 'sms send --from "Front desk" --to +14155550142 --body Hello --idempotency-key once'
  const lost = await by.run(line, {
    async through(handle, request) {
      const answer = await handle(request)
      return request.url.endsWith('/sms') ? { ...answer, status: 502, body: '', headers: {} } : answer
    },
  })
  expect(lost.exitCode, lost.stderr).toBe(12)
  const again = await by.run(line)
  expect(again.stdout).toMatch(/already sent/)
  const states = (await entries(by)).map((it) => it.state)
  expect(states).toEqual(['replayed', 'done'])
  expect((await entries(by))[1]?.amount_usd).toBeGreaterThan(0)
})
