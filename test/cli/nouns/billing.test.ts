import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator, type RunOptions } from '../../support/operator.ts'

const plain: RunOptions = { through: notParleyServer }
const sms = 'sms send --from 4 --to +14155550142 --body Hello'

describe('billing summary', () => {
  test('shows balance, usage, numbers, subscriptions, forecast and limits from the ledger', async () => {
    const by = operator()
    const before = await by.json('billing summary')
    await by.run(sms)
    await by.run('numbers buy +15005550006 --yes')
    const after = await by.json('billing summary')
    expect(after.sources).toMatchObject({ balance: 'ledger', month: 'ledger', numbers: 'subscriptions' })
    expect(before.balance - after.balance).toBeCloseTo(0.01, 6)
    expect(after.month.kinds).toEqual(
      expect.arrayContaining([
        { kind: 'sms', usage_kind: 'sms', unit: 'usd', amount: 0.01, charges: 1, paid_from: 'balance' },
        { kind: 'numbers', usage_kind: 'numbers', unit: 'usd', amount: 1.15, charges: 1, paid_from: 'card' },
      ]),
    )
    expect(after.month.card_usd).toBe(1.15)
    expect(after.numbers.at(-1)).toMatchObject({ phone_number: '+15005550006', price_usd: 1.15, status: 'active' })
    expect(after.subscriptions.active).toBe(before.subscriptions.active + 1)
    expect(after.forecast.days_left).toBeGreaterThan(0)
    expect(after.limits.map((it: { state: string }) => it.state)).toContain('unknown')
    expect(after.journal).toBeNull()
  })

  test('for people, has a line for each figure', async () => {
    const by = operator()
    const run = await by.run('billing summary')
    expect(run.stdout).toMatch(/^Balance\t25\.00 USD, lasts about/m)
    expect(run.stdout).toMatch(/^\+\d+\tFront desk, 1\.15 USD\/month, next charge/m)
    expect(run.stdout).toMatch(/^Recipients in 24 hours of \+\d+\t0 of an unknown limit$/m)
    expect(run.stdout).toMatch(/^Campaigns\t\d+ of unlimited$/m)
  })

  test('lists the parts of each total under it, so that they add up', async () => {
    const by = operator()
    await by.run(sms)
    await by.run('numbers buy +15005550006 --yes')
    const amount = (text: string): number => Math.round(Number.parseFloat(text) * 1e6)
    const lines = (await by.run('billing summary')).stdout.split('\n').map((it) => it.split('\t'))
    for (const title of ['Charged to balance', 'Charged to card']) {
      const at = lines.findIndex(([cells]) => cells === title)
      const parts = lines.slice(at + 1, at + 1 + lines.slice(at + 1).findIndex(([cells]) => !cells?.startsWith('  ')))
      expect(parts.length, title).toBeGreaterThan(0)
      expect(parts.reduce((sum, [, text]) => sum + amount(text ?? ''), 0)).toBe(amount(lines[at]?.[1] ?? ''))
    }
    const { month } = await by.json('billing summary')
    const sumOf = (payer: string): number =>
      month.kinds.reduce(
        (sum: number, it: { paid_from: string; amount: number }) => sum + (it.paid_from === payer ? it.amount : 0),
        0,
      )
    expect([sumOf('balance'), sumOf('card')].map((it) => it.toFixed(6))).toEqual(
      [month.charged, month.card_usd].map((it: number) => it.toFixed(6)),
    )
  })

  test('has USD in all outputs, and one name for what was paid for', async () => {
    const by = operator()
    await by.run(sms)
    await by.run('numbers buy +15005550006 --yes')
    const usage = await by.json('billing usage --by day')
    expect(new Set(usage.map((it: { paid_from: string }) => it.paid_from))).toEqual(new Set(['balance', 'card']))
    const entries = await by.json('server accounts ledger 1')
    expect(new Set([...usage, ...entries].map((it: { unit: string }) => it.unit))).toEqual(new Set(['usd']))
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'charge', usage_kind: 'sms', amount: -0.01 }),
        expect.objectContaining({ kind: 'card_charge', usage_kind: 'numbers', amount: -1.15 }),
        expect.objectContaining({ kind: 'top_up', usage_kind: null }),
      ]),
    )
    expect((await by.json('billing summary')).unit).toBe('usd')
  })

  test('counts a balance that an operator set neither as usage nor as an amount that was added', async () => {
    const by = operator()
    const before = await by.json('billing summary')
    expect((await by.run('server accounts update 1 --balance 3')).exitCode).toBe(0)
    const after = await by.json('billing summary')
    expect(after.balance).toBe(3)
    expect(after.month).toEqual(before.month)
    const { stdout } = await by.run('server accounts ledger 1')
    expect(stdout).toMatch(/\tcorrection\t-22\.00 USD\t3\.00 USD\t/)
    expect((await by.run('server accounts list')).stdout).toMatch(/\t3\.00 USD\t/)
  })

  test('of a platform without the capability has only what its lists and the journal say', async () => {
    // Its journal is of one platform, and each command has a server of its own in the public vocabulary.
    const by = operator({ supports: 'neutral' })
    await by.run(sms)
    const summary = await by.json('billing summary', plain)
    expect(summary).toMatchObject({
      unit: null,
      balance: expect.any(Number),
      has_payment_method: null,
      month: { charged: null, topped_up: null, card_usd: null, is_complete: false },
      subscriptions: { active: null, monthly_usd: null },
      forecast: { days_left: null, month_card_usd: null },
      limits: [],
      sources: { balance: 'account', month: 'calls_and_conversations', numbers: 'number_list', limits: 'unknown' },
      journal: [{ endpoint: 'sms.send', done: 1, unknown: 0, amount_usd: 0.01 }],
    })
    const people = await by.run('billing summary', plain)
    expect(people.stderr).toContain('does not report billing')
    expect(people.stdout).toContain('price unknown')
    expect(people.stdout).toMatch(/^Limits\tunknown$/m)
    expect(people.stdout).toMatch(/^Sent from here: sms\.send\t1 done for 0\.01 USD \(operations journal\)$/m)
    // An unknown amount is not added as zero, and what is not billable is not an amount.
    await by.run('messaging send --sender 1 --template opening_hours --to +14155550111', plain)
    await by.run(`messaging send --sender 1 --template opening_hours --to +14155550112 --budget 1`)
    await by.run('automate disable Greeting --yes', plain)
    const { journal } = await by.json('billing summary', plain)
    expect(journal).toEqual([
      { endpoint: 'sms.send', done: 1, unknown: 0, amount_usd: 0.01 },
      { endpoint: 'messaging.send', done: 2, unknown: 0, amount_usd: null },
    ])
    expect((await by.run('billing summary', plain)).stdout).toContain('2 done for an unknown amount (operations')
  })
})

describe('billing usage', () => {
  test('adds up to the same amount however it is grouped', async () => {
    const by = operator()
    await by.run(sms)
    const sums: number[] = []
    for (const group of ['day', 'assistant', 'campaign', 'kind']) {
      const rows: { amount: number; charges: number }[] = await by.json(`billing usage --by ${group} --since 90d`)
      expect(rows.length).toBeGreaterThan(0)
      sums.push(Math.round(rows.reduce((sum, it) => sum + it.amount, 0) * 1e6))
    }
    expect(new Set(sums).size).toBe(1)
    const named = await by.json('billing usage --by assistant --since 90d')
    expect(named).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'Front desk' }),
        expect.objectContaining({ key: null, name: null }),
      ]),
    )
  })

  test('has only the period, and bars on terminals only', async () => {
    const by = operator()
    await by.run(sms)
    expect(await by.json('billing usage --by kind --since 20m')).toEqual([
      { key: 'sms', name: null, unit: 'usd', amount: 0.01, charges: 1, paid_from: 'balance' },
    ])
    const shown = await by.run('billing usage --by kind --since 90d', { terminal: true })
    expect(shown.stdout).toMatch(/calls .*#{24}/)
    const piped = await by.run('billing usage --by kind --since 90d')
    expect(piped.stdout).not.toContain('#')
    const csv = await by.run('billing usage --by kind --since 20m -o csv')
    expect(csv.stdout).toBe('key,name,unit,amount,charges,paid_from\nsms,,usd,0.01,1,balance\n')
    expect((await by.run('billing usage --until 2d --since 1d')).exitCode).toBe(2)
  })

  test('of a platform without the capability is the cost of its calls and conversations', async () => {
    const by = operator()
    const rows = await by.json('billing usage --by assistant --since 90d', plain)
    const lists = [...(await by.json('calls list --all')), ...(await by.json('conversations list --all'))]
    const sum = (costs: number[]): number => Math.round(costs.reduce((all, it) => all + it, 0) * 1e6)
    expect(sum(rows.map((it: { amount: number }) => it.amount))).toBe(
      sum(lists.map((it: { total_cost: number }) => it.total_cost)),
    )
    expect((await by.run('billing usage', plain)).stderr).toContain('does not report billing')
  })

  test('counts items whose times have a zone, and says that it is incomplete if a time cannot be read', async () => {
    const by = operator()
    const usage = async (created_at: (change: string) => string) => {
      const through: RunOptions['through'] = async (handle, request) => {
        const response = await notParleyServer(handle, request)
        if (!request.url.startsWith('/api/user/calls') || response.status !== 200) return response
        const page = JSON.parse(response.body)
        for (const charge of page.data) charge.created_at = created_at(charge.created_at)
        return { ...response, body: JSON.stringify(page) }
      }
      return by.run('billing usage --by kind --since 90d --json', { through })
    }
    const asUsual = await usage((it) => it)
    const withZone = await usage((it) => it.replace(' ', 'T').replace(/Z?$/, '+00:00'))
    expect(JSON.parse(withZone.stdout)).toEqual(JSON.parse(asUsual.stdout))
    const unreadable = await usage(() => 'yesterday')
    expect(JSON.parse(unreadable.stdout)).not.toEqual(JSON.parse(asUsual.stdout))
    expect(unreadable.stderr).not.toBe(asUsual.stderr)
  })
})
