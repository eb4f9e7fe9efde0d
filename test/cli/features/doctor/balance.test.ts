import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/cli/features/doctor/finding.ts'
import { altered, at, type Body, item, notParleyServer, withheld } from '../../../support/altered-responses.ts'
import { type Handle, type Operator, operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const findings = async (by: Operator, options: RunOptions = {}): Promise<readonly Finding[]> =>
  JSON.parse((await by.run('doctor --voice --json', options)).stdout)

const findingOf = async (by: Operator, check: string, options: RunOptions = {}): Promise<Finding | undefined> =>
  (await findings(by, options)).find((it) => it.check === check)

const summary = '/api/user/billing/summary'
/** Changes the billing summary of a platform. */
const billed = (fields: Body): RunOptions =>
  altered({
    [summary]: ({ data }: Body) => {
      for (const [name, value] of Object.entries<Body>(fields))
        data[name] = typeof value === 'object' && value !== null ? { ...data[name], ...value } : value
    },
  })

test('doctor warns about a balance of zero, also without --voice', async () => {
  const by = operator()
  expect(await findingOf(by, 'balance')).toMatchObject({ status: 'ok', detail: 'The balance is 25.00 USD.' })
  await by.run('server accounts update 1 --balance 0')
  const empty = {
    status: 'warning',
    detail: 'The balance is 0.00 USD. Calls and messages are refused.',
    hint: expect.stringContaining('parley server accounts update <id> --top-up'),
  }
  expect(await findingOf(by, 'balance')).toMatchObject(empty)
  expect(await by.json('doctor')).toContainEqual(expect.objectContaining(empty))
})

test('doctor warns about a balance that does not last until the next charges, or for a week', async () => {
  const by = operator()
  const lasting = async (days: number | null, nextCharge: string | null): Promise<Finding | undefined> =>
    findingOf(
      by,
      'balance',
      billed({
        at: '2026-08-04T12:00:00.000000Z',
        forecast: { days_left: days, average_per_day: 2.5 },
        subscriptions: { next_charge_at: nextCharge },
      }),
    )
  expect(await lasting(10, '2026-08-20T12:00:00.000000Z')).toMatchObject({
    status: 'warning',
    detail:
      'The balance is 25.00 USD and lasts about 10 days at 2.50 USD per day. The next charges are due 2026-08-20.',
    hint: expect.stringContaining('--top-up'),
  })
  expect(await lasting(10, '2026-08-13T12:00:00.000000Z')).toMatchObject({ status: 'ok' })
  expect(await lasting(0.4, '2026-08-05T12:00:00.000000Z')).toMatchObject({
    detail: expect.stringContaining('lasts less than a day at'),
  })
  expect(await lasting(1, null)).toMatchObject({
    detail: 'The balance is 25.00 USD and lasts about 1 day at 2.50 USD per day.',
  })
  expect(await lasting(7, null)).toMatchObject({ status: 'ok' })
  expect(await lasting(null, '2026-08-20T12:00:00.000000Z')).toMatchObject({ status: 'ok' })
})

test('doctor names the figures that billing summary has', async () => {
  const by = operator()
  // What is used a day costs 0.01 USD.
  await by.run('server accounts update 1 --balance 0.02')
  const { balance, forecast, subscriptions } = await by.json('billing summary')
  expect(forecast.days_left).toBeLessThan(7)
  const { detail = '' } = (await findingOf(by, 'balance')) ?? {}
  expect(detail).toContain(`The balance is ${balance.toFixed(2)} USD and lasts`)
  expect(detail).toContain(`about ${forecast.days_left} day`)
  expect(detail).toContain(`at ${forecast.average_per_day.toFixed(3).replace(/0$/, '')} USD per day`)
  expect(detail).toContain(`due ${subscriptions.next_charge_at.slice(0, 10)}.`)
})

test('doctor warns about renewals that cannot be paid', async () => {
  const by = operator()
  expect(await findingOf(by, 'payment_method')).toBeUndefined()
  const counts = { active: 2, past_due: 0, monthly_usd: 2.45, next_charge_at: '2026-08-20T12:00:00.000000Z' }
  expect(
    await findingOf(by, 'payment_method', billed({ has_payment_method: false, subscriptions: counts })),
  ).toMatchObject({
    status: 'warning',
    detail: 'No payment method is on file. 2 numbers (2.45 USD per month) cannot be renewed on 2026-08-20.',
    hint: expect.stringContaining('parley server accounts update <id> --payment-method'),
  })
  expect(await findingOf(by, 'payment_method', billed({ subscriptions: { ...counts, past_due: 1 } }))).toMatchObject({
    detail: 'The renewal of 1 number was declined. Numbers that are not paid are released.',
  })
  const none = { active: 0, past_due: 0 }
  expect(
    await findingOf(by, 'payment_method', billed({ has_payment_method: false, subscriptions: none })),
  ).toBeUndefined()
})

test('a platform that does not report billing: only what its lists say, without a unit or days', async () => {
  const by = operator()
  const start = Date.parse('2026-08-04T12:00:00Z')
  const cost = (total: number, daysAgo: number): Awaited<ReturnType<Handle>> => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      data: [{ id: 1, total_cost: total, created_at: new Date(start - daysAgo * 86_400_000).toISOString() }],
      total: 1,
      per_page: 100,
      current_page: 1,
    }),
  })
  const spent = (calls: number, chats: number, daysAgo = 1): RunOptions => ({
    through: (handle, request) =>
      notParleyServer(
        async (request) =>
          request.url.startsWith('/api/user/calls')
            ? cost(calls, daysAgo)
            : request.url.startsWith('/api/user/conversations')
              ? cost(chats, daysAgo)
              : handle(request),
        request,
      ),
  })
  expect(await findingOf(by, 'balance', spent(20, 30))).toMatchObject({
    status: 'warning',
    detail:
      'The balance is 25.00 (unit unknown). Calls and conversations of the last 7 days cost 50.00 USD, so it may not last 7 more days.',
    hint: expect.stringContaining('parley server accounts update <id> --top-up'),
  })
  expect(await findingOf(by, 'balance', spent(10, 15))).toMatchObject({ status: 'ok' })
  // A platform that ignores the filter by date.
  expect(await findingOf(by, 'balance', spent(200, 30, 9))).toMatchObject({ status: 'ok' })
  // A platform that does not list calls.
  const refused: Through = async (handle, request) =>
    request.url.startsWith('/api/user/calls')
      ? { status: 404, headers: {}, body: '{"message":"Not Found"}' }
      : notParleyServer(handle, request)
  expect(await findingOf(by, 'balance', { through: refused })).toMatchObject({ status: 'ok' })
  const { requests } = await by.run('doctor --voice', { through: notParleyServer })
  expect(requests.join()).not.toContain('billing')
})

test('a summary that fails is replaced by the lists', async () => {
  expect(await findingOf(operator(), 'balance', withheld(500, summary))).toMatchObject({
    status: 'ok',
    detail: 'The balance is 25.00 (unit unknown).',
  })
})

test('doctor leaves paid numbers that nothing uses to the audit, and names others without an assistant', async () => {
  const by = operator()
  expect(await findingOf(by, 'number_assistant')).toBeUndefined()
  const free = altered({ [at.numbers]: item(2, { has_active_subscription: false, price: null }) })
  expect(await findingOf(by, 'number_assistant', free)).toMatchObject({
    id: 2,
    hint: 'parley assistants create --type inbound --phone-number-id 2',
  })
  const inCampaign = altered({ [at.campaigns]: item(1, { status: 'paused', phone_number_ids: [2] }) })
  expect(await findingOf(by, 'number_assistant', inCampaign)).toMatchObject({
    id: 2,
    detail: expect.stringMatching(/ has no assistant, so calls to it are not answered\.$/),
  })
})

test('an inbound assistant that waits for a number is named with it', async () => {
  const options = altered({
    [at.assistants]: item(1, { phone_number_id: null }),
    [at.numbers]: item(2, { has_active_subscription: false }),
  })
  expect(await findingOf(operator(), 'number_assistant', options)).toMatchObject({
    id: 2,
    hint: 'parley assistants update 1 --phone-number-id 2',
  })
})

test('numbers are not named when a list that may use them cannot be read', async () => {
  const { through: free } = altered({ [at.numbers]: item(2, { has_active_subscription: false, price: null }) })
  for (const list of [at.campaigns, at.assistants, at.flows]) {
    const { through: refused } = withheld(403, list)
    const through: Through = (handle, request) =>
      (request.url.startsWith(at.numbers) ? free : refused)?.(handle, request) ?? handle(request)
    expect(await findingOf(operator(), 'number_assistant', { through })).toBeUndefined()
  }
})

test('doctor names online senders without an approved template', async () => {
  const templates = (status: string): RunOptions => ({
    through: async (handle, request) => {
      const answer = await handle(request)
      if (!/\/senders?\/5\/templates|sender_id=5/.test(request.url)) return answer
      const body = JSON.parse(answer.body)
      for (const campaign of body.data) campaign.status = status
      return { ...answer, body: JSON.stringify(body) }
    },
  })
  expect(await findingOf(operator(), 'sender_templates', templates('rejected'))).toMatchObject({
    status: 'warning',
    noun: 'senders',
    id: 5,
    detail: expect.stringMatching(/^Sender .+ has no approved template, so it cannot start conversations\.$/),
    hint: 'parley messaging templates 5 --status all',
  })
  expect(await findingOf(operator(), 'sender_templates', templates('approved'))).toBeUndefined()
})

test('doctor names online senders without an assistant, where the platform shows the assistants of senders', async () => {
  const by = operator()
  const unanswered = { status: 'warning', noun: 'senders', id: 5, hint: 'parley messaging assign 5 --assistant-id 1' }
  expect(await findingOf(by, 'sender_assistant')).toMatchObject({
    ...unanswered,
    detail: expect.stringMatching(/^Sender .+ has no assistant, so it cannot send or receive messages\.$/),
  })
  expect(await findingOf(by, 'sender_assistant', { through: notParleyServer })).toBeUndefined()
  const refused = withheld(403, '/api/user/messaging/assignments')
  expect(await findingOf(by, 'sender_assistant', refused)).toBeUndefined()
  const offline = altered({ '/api/user/messaging/assignments': item(5, { status: 'offline' }) })
  expect(await findingOf(by, 'sender_assistant', offline)).toBeUndefined()
  const inactive = altered({ [at.assistants]: item(1, { status: 'inactive' }) })
  expect(await findingOf(by, 'sender_assistant', inactive)).toMatchObject({
    hint: 'parley messaging assign 5 --assistant-id 2',
  })
  // Its command ends the finding.
  expect((await by.run(unanswered.hint.slice('parley '.length))).exitCode).toBe(0)
  expect(await findingOf(by, 'sender_assistant')).toBeUndefined()
})
