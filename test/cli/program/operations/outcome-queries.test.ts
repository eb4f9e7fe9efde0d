import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>
type Request = Parameters<Through>[1]

const isPost = ({ method }: Request): boolean => method === 'POST'
const isQuery = ({ headers }: Request): boolean => headers['parley-recall'] !== undefined
const states = async ({ json }: Operator): Promise<string[]> =>
  (await json('ops list')).map((it: { state: string }) => it.state)
/** Number of charges of messages. Renewals of numbers are charged to the card. */
const charges = async ({ json }: Operator): Promise<number> =>
  (await json('server accounts ledger 1')).filter((it: { kind: string }) => it.kind === 'charge').length

/** Lets the platform do its work, and loses the answers of the first requests. */
const losing = (count: number): Through => {
  let lost = count
  return async (handle, request) => {
    const answer = await handle(request)
    return isPost(request) && !isQuery(request) && lost-- > 0 ? { ...answer, cut: 'answer' } : answer
  }
}

/** Answers outcome queries as a gateway does that does not reach the platform. */
const gateway =
  (status: number, body: string): Through =>
  async (handle, request) =>
    isQuery(request)
      ? { status, headers: { 'content-type': body.startsWith('{') ? 'application/json' : 'text/html' }, body }
      : handle(request)

const gateways: readonly (readonly [string, number, string])[] = [
  ['HTML 404', 404, '<h1>Not found</h1>'],
  ['HTML 405', 405, '<h1>Not allowed</h1>'],
  ['JSON 404', 404, '{"message":"Not Found"}'],
  ['JSON 422', 422, '{"message":"Blocked.","errors":{"phone_number":["Blocked."]}}'],
  ['JSON 403', 403, '{"error":"Forbidden"}'],
]

test.each(gateways)(
  'a gateway that answers %s to an outcome query leaves the outcome unknown',
  async (_, ...answer) => {
    const by = operator()
    expect((await by.run('numbers buy +15005550006 --yes', { through: losing(1) })).exitCode).toBe(12)
    by.wait(180_000)
    const run = await by.run('ops reconcile', { through: gateway(...answer) })
    expect([run.exitCode, await states(by)]).toEqual([12, ['unknown']])
    expect((await by.run('ops reconcile')).exitCode).toBe(0)
    expect(await states(by)).toEqual(['done'])
  },
)

test.each(gateways)('a gateway that answers %s does not make a file send a message again', async (_, ...answer) => {
  const by = operator()
  const line = 'messaging send --sender 1 --template appointment_reminder --file people.csv --yes'
  writeFileSync(join(by.cwd, 'people.csv'), 'phone,1,2\n+14155550111,Anna,Monday\n+14155550112,Bob,Tuesday\n')
  await by.run(line, { through: losing(1) })
  const before = await charges(by)
  const again = await by.run(line, { through: gateway(...answer) })
  expect([again.exitCode, await charges(by)]).toEqual([11, before])
  expect((await by.run(line)).exitCode).toBe(0)
  expect([await charges(by), await states(by)]).toEqual([before, ['done', 'done']])
})

test('a refusal whose response was lost is found, and a purchase under the same key stays one', async () => {
  const by = operator()
  expect((await by.run('numbers buy +15005550000 --yes', { through: losing(1) })).exitCode).toBe(12)
  expect((await by.run('ops reconcile')).exitCode).toBe(0)
  expect(await states(by)).toEqual(['refused'])
  const pick = 'numbers buy --country US --max-price 3 --yes --idempotency-key job-7'
  const owned = (await by.json('numbers list')).length
  await by.run(pick, { through: losing(1) })
  await by.run(pick, { through: gateway(400, '<h1>Bad request</h1>') })
  const bought = await by.run(`${pick} -o id`, { through: gateway(200, '{"message":"OK"}') })
  expect(bought).toMatchObject({ exitCode: 12, stdout: '' })
  expect((await by.json('numbers list')).length).toBe(owned + 1)
})

test('a key that the platform does not know after 30 days proves nothing: the message is not sent again', async () => {
  const by = operator()
  const line = 'messaging send --sender 1 --template appointment_reminder --file people.csv --yes'
  writeFileSync(join(by.cwd, 'people.csv'), 'phone,1,2\n+14155550111,Anna,Monday\n+14155550112,Bob,Tuesday\n')
  await by.run(line, { through: losing(1) })
  by.wait(30 * 24 * 3_600_000)
  // The platform has deleted old responses.
  const forgetful: Through = (handle, request) =>
    handle(isQuery(request) ? { ...request, headers: { ...request.headers, 'idempotency-key': 'deleted' } } : request)
  const before = await charges(by)
  const again = await by.run(line, { through: forgetful })
  expect([again.exitCode, await charges(by)]).toEqual([11, before])
  expect((await by.run('ops reconcile', { through: forgetful })).exitCode).toBe(12)
  expect(await states(by)).toEqual(expect.arrayContaining(['unknown', 'done']))
})

test.each([
  ['an SMS', 'sms send --from 4 --to +14155550123 --body Hello --yes'],
  [
    'a message',
    'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var 2=Monday --yes',
  ],
  ['a number', 'numbers buy +15005550006 --yes'],
])('%s that is reconciled as done shows what was charged', async (_, line) => {
  const amountAfter = async (through?: Through): Promise<number | null> => {
    const by = operator()
    await by.run(line, through && { through })
    by.wait(180_000)
    await by.run('ops reconcile')
    const [entry] = await by.json('ops list')
    expect(entry.state).toBe('done')
    return entry.amount_usd
  }
  const charged = await amountAfter()
  expect(charged).toBeGreaterThan(0)
  expect(await amountAfter(losing(1))).toBe(charged)
})

test('rows of a file whose outcome was unknown show what was charged after the next run', async () => {
  const by = operator()
  const line = 'sms send --from 4 --file people.csv --yes'
  writeFileSync(join(by.cwd, 'people.csv'), 'to,body\n+14155550111,Hello\n+14155550112,Hello\n')
  // Without prices, only the answer of the platform says what was charged.
  const through: Through = (handle, request) =>
    request.url.includes('/billing')
      ? Promise.resolve({ status: 503, headers: {}, body: '{"message":"down"}' })
      : losingFirst(handle, request)
  const losingFirst = losing(1)
  await by.run(`${line} --retries 0`, { through })
  expect((await by.run(line, { through })).exitCode).toBe(0)
  const amounts = (await by.json('ops list')).map((it: { amount_usd: number | null }) => it.amount_usd)
  expect(amounts).toEqual([0.01, 0.01])
})

test('of two operations with one key, only one shows the charge after it is reconciled', async () => {
  const by = operator()
  const line = 'sms send --from 4 --to +14155550123 --body Hello --idempotency-key night-7'
  await by.run(line)
  await by.run(line, { through: losing(1) })
  by.wait(180_000)
  await by.run('ops reconcile')
  const shown = (await by.json('ops list')).map((entry: { state: string; amount_usd: number }) => [
    entry.state,
    entry.amount_usd,
  ])
  expect(shown).toEqual([
    ['replayed', 0],
    ['done', 0.01],
  ])
})
