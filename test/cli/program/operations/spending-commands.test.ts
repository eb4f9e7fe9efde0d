import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { budgetFlag } from '../../../../src/cli/program/operations/billing-flags.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { altered, at, type Body, item, notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const posts = (requests: readonly string[]): string[] => requests.filter((it) => it.startsWith('POST'))

/** Commands that call endpoints chosen by the user, or several messages of scenarios. */
const otherwise = ['api', 'assistants test', 'doctor']
/** Stops what `campaigns start` started, through the same endpoint. */
const free = ['campaigns stop']

test('every command that can spend has --budget, and no other command', async () => {
  const withBudget: string[] = []
  const spending: string[] = [...otherwise]
  for (const [words, command] of await allCommands()) {
    if (command.flags?.some(({ flags }) => flags === budgetFlag)) withBudget.push(words)
    if ((command.endpoint?.risk === 'spends' || command.risk === 'spends') && !free.includes(words))
      spending.push(words)
  }
  expect(spending.length).toBeGreaterThan(8)
  expect(withBudget.sort()).toEqual(spending.sort())
})

describe('campaigns start --budget', () => {
  const call = { status: 'draft', channel: 'call', assistant_id: 2, max_retries: 3, fallback_channel: null }
  /** Campaign 1 with these fields; its sample leads have the statuses of the sample data. */
  const of = (fields: Body) => {
    const whole = (body: Body) => void Object.assign(body.data, fields)
    return altered({ '/api/user/campaign/1': whole, [at.campaigns]: item(1, fields) })
  }
  /** Counts the leads that are not finished, with their secondary contacts. */
  const open = async (by: ReturnType<typeof operator>): Promise<number> =>
    (await by.json('leads list --campaign 1'))
      .filter(({ status }: Body) => !['completed', 'reached-max-retries', 'blacklisted'].includes(status))
      .reduce((sum: number, it: Body) => sum + 1 + it.secondary_contacts.length, 0)

  test('counts every attempt of every lead with the longest call, and the fallback', async () => {
    const by = operator()
    const leads = await open(by)
    expect(leads).toBeGreaterThan(0)
    const { max_duration: seconds } = await by.json('assistants get 2')
    const { prices } = await by.json('billing summary')
    const perCall = Math.ceil(seconds / 60) * prices.call_minute
    for (const [fields, each] of [
      [call, 3 * perCall],
      [{ ...call, max_retries: 1 }, perCall],
      [
        { ...call, fallback_channel: 'messaging', fallback_messaging_sender_id: 1, fallback_messaging_template_id: 1 },
        3 * perCall + prices.messages.utility,
      ],
      [{ ...call, fallback_channel: 'sms', fallback_sms_body: 'x'.repeat(161) }, 3 * perCall + 2 * prices.sms_segment],
      [{ channel: 'sms', sms_body: 'Hello', max_retries: 2 }, 2 * prices.sms_segment],
      [
        { channel: 'messaging', messaging_sender_id: 1, messaging_template_id: 1, max_retries: 1 },
        prices.messages.utility,
      ],
    ] as const) {
      const run = await by.run('campaigns start 1 --yes --budget 0', of(fields))
      const cost = leads * each
      expect(run).toMatchObject({
        exitCode: 5,
        stderr: expect.stringContaining(
          `This can cost ${cost.toFixed(6).replace(/0{1,4}$/, '')} USD, more than --budget 0.`,
        ),
      })
      expect(posts(run.requests)).toEqual([])
    }
  })

  test('fills the variables of each lead in', async () => {
    const by = operator()
    const leads = await open(by)
    const texts = of({ channel: 'sms', sms_body: '{{ note }}', max_retries: 1 })
    const through = altered({
      '/api/user/leads': (body: Body) => {
        for (const lead of body.data) lead.variables = { note: 'x'.repeat(161) }
      },
    }).through
    const { stderr } = await by.run('campaigns start 1 --yes --budget 0', {
      through: (handle, request) => through((it) => texts.through(handle, it), request),
    })
    const { prices } = await by.json('billing summary')
    expect(stderr).toContain(`This can cost ${(leads * 2 * prices.sms_segment).toFixed(2)} USD`)
  })

  test('starts within the budget, and is refused without prices or with an unknown part', async () => {
    const by = operator()
    expect(await by.run('campaigns start 1 --yes --budget 1000', { through: notParleyServer })).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('The price is not known'),
    })
    const unknown = of({ channel: 'messaging', messaging_sender_id: 1, messaging_template_id: 9999 })
    expect(await by.run('campaigns start 1 --yes --budget 1000', unknown)).toMatchObject({ exitCode: 5 })
    expect(await by.json('ops list')).toEqual([])
    expect(await by.run('campaigns start 1 --yes --budget 1000')).toMatchObject({ exitCode: 0 })
    // The start itself is not charged: the calls are, one after the other.
    expect(await by.json('ops list')).toMatchObject([{ state: 'done', amount_usd: null }])
  })
})

describe('conversations chat --budget', () => {
  const chat = 'conversations chat --assistant 1 -o ndjson'
  const replies = (stdout: string): number => stdout.split('\n').filter((it) => it.includes('"item"')).length

  test('limits all messages of a chat together', async () => {
    const by = operator()
    const run = await by.run(`${chat} --type widget --budget 0.02`, { stdin: 'One\nTwo\nThree\n' })
    expect(run).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('This can cost 0.03 USD, more than --budget 0.02. Nothing was sent.'),
    })
    expect(replies(run.stdout)).toBe(2)
    expect((await by.json('ops list')).map((it: { amount_usd: number }) => it.amount_usd)).toEqual([0.01, 0.01])
  })

  test('a budget below one message creates no conversation', async () => {
    const by = operator()
    const run = await by.run(`${chat} --type widget --budget 0.001`, { stdin: 'One\n' })
    expect(run).toMatchObject({ exitCode: 5, stdout: '' })
    expect(posts(run.requests)).toEqual([])
  })

  test('a test conversation is free, also where the platform reports no prices; other prices are unknown there', async () => {
    const by = operator()
    const options = { stdin: 'One\nTwo\n', through: notParleyServer }
    const run = await by.run(`${chat} --budget 0`, options)
    expect({ exitCode: run.exitCode, replies: replies(run.stdout) }).toEqual({ exitCode: 0, replies: 2 })
    expect(await by.run(`${chat} --type widget --budget 5`, options)).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringContaining('The price is not known'),
    })
  })

  test('a conversation that is resumed can cost the price of a widget', async () => {
    const by = operator()
    const { conversation_id: id } = await by.json('conversations start --assistant 1')
    expect(await by.run(`conversations chat ${id} --budget 0.005`, { stdin: 'One\n' })).toMatchObject({ exitCode: 5 })
    expect(await by.run(`conversations chat ${id} --budget 0.01`, { stdin: 'One\n' })).toMatchObject({ exitCode: 0 })
  })
})

describe('api --budget', () => {
  const sms = `api sms.send --data '{from: 4, to: "+14155550142", body: Hello}' --yes`

  test('is compared with the price of a billable endpoint', async () => {
    const by = operator()
    const run = await by.run(`${sms} --budget 0.009`)
    expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('This can cost 0.01 USD') })
    expect(posts(run.requests)).toEqual([])
    expect(await by.run(`${sms} --budget 0.01`)).toMatchObject({ exitCode: 0 })
    expect(await by.json('ops list')).toMatchObject([{ amount_usd: 0.01 }])
  })

  test('knows the price of a number from the search, also where the platform reports no prices', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'number.json'), '{"phone_number": "+15005550006"}')
    const buy = 'api numbers.buy -f number.json --yes'
    expect(await by.run(`${buy} --budget 1`, { through: notParleyServer })).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('This can cost 1.15 USD'),
    })
    expect(await by.run(`${buy} --budget 1.15`, { through: notParleyServer })).toMatchObject({ exitCode: 0 })
  })

  test('stopping a campaign costs nothing, and an endpoint that cannot spend has no budget', async () => {
    const by = operator()
    const stop = "api campaigns.updateStatus --data '{campaign_id: 1, action: stop}' --yes --budget 0"
    expect((await by.run(stop)).stderr).not.toContain('budget')
    expect(await by.run('api keys.list --budget 5')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--budget does not apply: keys.list costs nothing.'),
    })
  })
})
