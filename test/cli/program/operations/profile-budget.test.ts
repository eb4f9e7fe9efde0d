import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, today } from '../../../support/operator.ts'

// A soft budget of a profile: what the journal of this machine knows, compared before every spend.

const sms = (text = 'Hello'): string => `sms send --from 4 --to +14155550142 --body "${text}" --yes`
const posts = (requests: readonly string[]): readonly string[] => requests.filter((it) => it.startsWith('POST'))

async function withBudget(budget: string): Promise<Operator> {
  const by = operator({ supports: 'neutral' })
  expect(await by.run(`profile set local --budget ${budget}`)).toMatchObject({ exitCode: 0 })
  return by
}

const budgetOf = async (by: Operator) => (await by.json('profile get')).budget

describe('a profile with a budget', () => {
  test('sends until the budget is spent, then refuses with what is left and when it renews', async () => {
    const by = await withBudget('0.015/day')
    expect(await by.run(sms())).toMatchObject({ exitCode: 0 })
    const { exitCode, stdout, stderr, requests } = await by.run(sms('Another'))
    expect([exitCode, stdout, posts(requests)]).toEqual([13, '', []])
    expect(stderr).toContain(
      'The budget of profile "local" is 0.015 USD a day, and 0.005 USD are left until 2026-08-05 00:00 UTC. This can cost 0.01 USD. Nothing was sent.',
    )
    expect(stderr).toContain('parley profile set local --budget')
    by.wait(Date.parse('2026-08-05T00:00:00Z') - today)
    expect(await by.run(sms('Another'))).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['an SMS', sms()],
    ['a message', 'messaging send --sender 1 --template opening_hours --to +14155550142 --yes'],
    ['a purchase', 'numbers buy +15005550006 --yes'],
    ['a call', 'calls start +14155550142 --assistant Recall --yes'],
    ['a reply', 'replies generate --assistant 1 --customer-identifier 7 --message Hello --yes'],
    ['the start of a campaign', 'campaigns start 1 --yes'],
    ['a call of the API', 'api sms.send --data \'{from: 4, to: "+14155550142", body: Hello}\' --yes'],
  ])('does not send %s beyond it, whatever flags say', async (_, line) => {
    const by = await withBudget('0/month')
    for (const more of ['', ' --budget 100']) {
      const { exitCode, stderr, requests } = await by.run(`${line}${more}`)
      expect([exitCode, posts(requests)]).toEqual([13, []])
      expect(stderr).toContain('The budget of profile "local"')
    }
    expect(await by.json('ops list')).toEqual([])
  })

  test('reserves the longest call, and does not count what a call to the platform refused', async () => {
    const by = await withBudget('50/month')
    await by.run('calls start +14155550142 --assistant Recall --yes')
    const { spent, left } = await budgetOf(by)
    expect(spent).toBeGreaterThan(0)
    expect(spent + left).toBeCloseTo(50, 6)
    expect(await by.run('sms send --from 4 --to +1 --body Hello --yes')).not.toMatchObject({ exitCode: 0 })
    expect(await budgetOf(by)).toMatchObject({ spent })
  })

  test('does not stop what only stops something', async () => {
    const by = await withBudget('0/month')
    await by.run('profile set local --budget none')
    await by.run('campaigns start 1 --yes')
    await by.run('profile set local --budget 0/month')
    expect(await by.run('campaigns stop 1 --yes')).toMatchObject({ exitCode: 0 })
  })

  test('sends the rows of a file that it covers, and resumes when it renews', async () => {
    const by = await withBudget('0.025/day')
    const rows = join(by.cwd, 'rows.csv')
    writeFileSync(rows, `to\n${[...Array(5).keys()].map((n) => `+1415555014${n}`).join('\n')}\n`)
    const line = `sms send --from 4 --file ${rows} --body Hello --yes`
    const first = await by.run(line)
    expect(posts(first.requests)).toHaveLength(2)
    expect(first.stderr).toContain('The budget of profile "local"')
    expect(first.exitCode).toBe(11)
    by.wait(Date.parse('2026-08-05T00:00:00Z') - today)
    expect(posts((await by.run(line)).requests)).toHaveLength(2)
    by.wait(86_400_000)
    expect(await by.run(line)).toMatchObject({ exitCode: 0 })
  })

  test('refuses what has no known price', async () => {
    const by = await withBudget('50/month')
    const { exitCode, stderr, requests } = await by.run(sms(), { through: notParleyServer })
    expect([exitCode, posts(requests)]).toEqual([13, []])
    expect(stderr).toContain('The highest price of this is not known before it is charged')
  })

  test('counts in every list of profiles, and can be removed', async () => {
    const by = await withBudget('50/month')
    await by.run(sms())
    const budget = {
      amount: 50,
      period: 'month',
      spent: 0.01,
      reserved: 0,
      left: 49.99,
      renews_at: '2026-09-01T00:00:00.000Z',
      unpriced: 0,
    }
    expect(await budgetOf(by)).toEqual(budget)
    expect(await by.json('profile list')).toMatchObject([{ name: 'local', budget }])
    expect((await by.run('profile get', { terminal: true })).stdout).toContain('49.99 USD of 50.00 USD a month left')
    expect(await by.json('profile set local --budget none')).toMatchObject({ budget: null })
    expect(await budgetOf(by)).toBe(null)
  })

  test('applies with another base URL or key as well', async () => {
    const by = await withBudget('0/month')
    const { exitCode, stderr } = await by.run(`${sms()} --base-url embedded:`)
    expect(exitCode).toBe(13)
    expect(stderr).toContain('parley profile set local --budget')
  })

  test('keeps its spending when the journal is purged', async () => {
    const by = await withBudget('50/month')
    await by.run(sms())
    by.wait(1000)
    expect(await by.json('server purge --older-than 0s --yes')).toMatchObject({ spends: 0 })
    expect(await budgetOf(by)).toMatchObject({ spent: 0.01 })
    await by.run('profile set local --budget none')
    expect(await by.json('server purge --older-than 0s --yes')).toMatchObject({ spends: 1 })
  })
})

describe('setting a budget', () => {
  test.each(['50', '50/year', '-1/day', '1e3/day', '/day', ''])('refuses "%s"', async (given) => {
    const by = operator()
    const { exitCode, stderr } = await by.run(['profile', 'set', 'local', '--budget', given])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Use USD per UTC day or month, such as 20/day or 50/month')
  })

  test('reserves the price of a chat message before each is sent', async () => {
    const by = await withBudget('0.015/month')
    const { exitCode, stderr, requests } = await by.run('conversations chat --assistant 1 --type widget -o ndjson', {
      stdin: 'Hello\nAnd again\n',
    })
    expect(exitCode).toBe(13)
    expect(stderr).toContain('0.005 USD are left')
    expect(requests.filter((it) => /POST .*message/.test(it))).toHaveLength(1)
  })

  test('is not for a coding agent', async () => {
    const by = await withBudget('1/month')
    for (const budget of ['100/month', 'none']) {
      const { exitCode } = await by.run(`profile set local --budget ${budget}`, { env: { AI_AGENT: '1' } })
      expect(exitCode).toBe(10)
    }
    expect(await budgetOf(by)).toMatchObject({ amount: 1 })
  })

  test('a budget that was mistyped in the configuration stops every command', async () => {
    const by = await withBudget('1/month')
    const file = join(by.configDir, 'config.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('month', 'moon'))
    const { exitCode, stderr } = await by.run('tools list')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('"budget" of profile "local" must be like')
  })

  test('the conformance check does not spend beyond it', async () => {
    const by = await withBudget('1/month')
    expect(await by.run('doctor --conformance --writes --budget 5')).toMatchObject({ exitCode: 2 })
  })
})
