import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// A single paid message is confirmed from a price on: 1 USD on a terminal, or confirm_above of the profile.

const sms = (text = 'Hello'): string => `sms send --from 4 --to +14155550142 --body "${text}"`
const sent = (requests: readonly string[]): number => requests.filter((it) => it.startsWith('POST')).length

/** Reports another price of a segment, from the second read on `later`. */
function priced(price: number, later = price): NonNullable<RunOptions['through']> {
  let reads = 0
  return async (handle, request) => {
    const reply = await handle(request)
    if (!request.url.includes('/billing/summary')) return reply
    const body = JSON.parse(String(reply.body))
    body.data.prices.sms_segment = reads++ === 0 ? price : later
    return { ...reply, body: JSON.stringify(body) }
  }
}

const withSetting = async (flags: string): Promise<Operator> => {
  const by = operator({ supports: 'neutral' })
  expect(await by.run(`profile set local ${flags}`)).toMatchObject({ exitCode: 0 })
  return by
}

describe('on a terminal', () => {
  test('a cheap message is sent without a question, so that a loop continues', async () => {
    const { exitCode, asked, requests } = await operator({ supports: 'neutral' }).run(sms(), { answers: [] })
    expect([exitCode, asked, sent(requests)]).toEqual([0, [], 1])
  })

  test('a message of 1 USD is asked about with platform, price and recipient', async () => {
    for (const answer of [true, false]) {
      const { exitCode, asked, requests } = await operator({ supports: 'neutral' }).run(sms(), {
        through: priced(1),
        answers: [['Cost: 1.00 USD. Send this to +14155550142?', answer]],
      })
      expect([exitCode, asked, sent(requests)]).toEqual([
        answer ? 0 : 10,
        ['[local · simulated] Cost: 1.00 USD. Send this to +14155550142?'],
        answer ? 1 : 0,
      ])
    }
  })

  test('a price that rises while the question is open is asked about again', async () => {
    const { exitCode, requests, stderr } = await operator({ supports: 'neutral' }).run(sms(), {
      through: priced(1, 2.5),
      answers: [
        ['Cost: 1.00 USD', true],
        ['Cost: 2.50 USD', false],
      ],
    })
    expect([exitCode, sent(requests)]).toEqual([10, 0])
    expect(stderr).toContain('The price changed from 1.00 USD to 2.50 USD.')
  })

  test('--yes asks nothing and reads no price', async () => {
    const { exitCode, requests } = await operator({ supports: 'neutral' }).run(`${sms()} --yes`, {
      through: priced(5),
      answers: [],
    })
    expect(exitCode).toBe(0)
    expect(requests.filter((it) => it.includes('billing'))).toEqual([])
  })

  test('an unknown price is asked about only in a protected profile', async () => {
    const by = operator({ supports: 'neutral' })
    expect(await by.run(sms(), { through: notParleyServer, answers: [] })).toMatchObject({ exitCode: 0 })
    await by.run('profile set local --protected')
    expect(
      await by.run(sms('Again'), {
        through: notParleyServer,
        answers: [
          ['Type local to confirm', 'local'],
          ['Cost: unknown. Send this', false],
        ],
      }),
    ).toMatchObject({ exitCode: 10 })
  })

  test.each([
    ['messaging send --sender 1 --template opening_hours --to +14155550142', '0.008 USD'],
    ['replies generate --assistant 1 --customer-identifier anna --message Hello', '0.01 USD'],
    ['conversations chat --assistant 1 --type widget', '0.01 USD'],
  ])('%s asks from confirm_above on', async (line, cost) => {
    const by = await withSetting('--confirm-above 0.005')
    expect(await by.run(line, { answers: [[`Cost: ${cost}. Send this`, false]] })).toMatchObject({ exitCode: 10 })
  })
})

describe('in a script', () => {
  test('an expensive message is sent as before, unless the profile sets confirm_above', async () => {
    const by = operator({ supports: 'neutral' })
    expect(await by.run(sms(), { through: priced(5) })).toMatchObject({ exitCode: 0 })
    await by.run('profile set local --confirm-above 2')
    const refused = await by.run(sms('Again'), { through: priced(5) })
    expect(refused).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringContaining(
        'This costs 5.00 USD and requires confirmation: confirm_above of profile "local" is 2.00 USD.',
      ),
    })
    expect(sent(refused.requests)).toBe(0)
    expect(await by.run(sms('Again'), { through: priced(1.99) })).toMatchObject({ exitCode: 0 })
    expect(await by.run(`${sms('Once more')} --yes`, { through: priced(5) })).toMatchObject({ exitCode: 0 })
  })
})

describe('the setting', () => {
  test('is set, shown and removed', async () => {
    const by = await withSetting('--confirm-above 0')
    expect(await by.json('profile get')).toMatchObject({ confirm_above: 0 })
    expect(JSON.parse(readFileSync(join(by.configDir, 'config.json'), 'utf8')).profiles.local).toEqual({
      confirm_above: 0,
    })
    expect((await by.run(sms(), {})).exitCode).toBe(10)
    expect(await by.json('profile set local --confirm-above default')).toMatchObject({ confirm_above: null })
    expect((await by.run(sms(), {})).exitCode).toBe(0)
  })

  test.each(['cheap', '-1', '', 'Infinity'])('must be an amount: "%s"', async (amount) => {
    expect(await operator().run(`profile set local --confirm-above=${amount}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--confirm-above'),
    })
  })
})
