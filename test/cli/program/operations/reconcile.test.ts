import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const isPost = (request: { readonly method: string }): boolean => request.method === 'POST'
const fails502 = { status: 502, headers: {}, body: '' }

/** A platform that is not a Parley server, which does its work and loses the answer, or loses the request. */
const losing =
  (isDone: boolean): Through =>
  async (handle, request) => {
    if (!isPost(request)) return notParleyServer(handle, request)
    if (isDone) await handle(request)
    return fails502
  }

const number = 'numbers buy +15005550006 --yes'
const states = async ({ json }: Operator): Promise<string[]> =>
  (await json('ops list')).map((it: { state: string }) => it.state)
const minutes = (n: number): number => n * 60_000 + 1000

describe('on a platform without idempotency', () => {
  test('a purchase is refused once the number is still for sale, and done once it is on the account', async () => {
    const by = operator()
    await by.run(number, { through: losing(false) })
    expect(await by.run('ops reconcile', { through: notParleyServer })).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('Run this command again in two minutes.'),
    })
    by.wait(minutes(2))
    expect(await by.run('ops reconcile', { through: notParleyServer })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('refused'),
    })
    await by.run(number, { through: losing(true) })
    expect(await by.run('ops reconcile', { through: notParleyServer })).toMatchObject({ exitCode: 0 })
    expect(await states(by)).toEqual(['done', 'refused'])
  })

  test('a purchase whose number is neither owned nor for sale is not treated as refused: it is queried for an hour, then declared unknown', async () => {
    const by = operator()
    const slow: Through = async (handle, request) => {
      const answer = await notParleyServer(handle, request)
      return request.url.includes('/phone-numbers/') ? { ...answer, body: '{"data":[]}' } : answer
    }
    await by.run(number, { through: losing(true) })
    by.wait(minutes(10))
    expect(await by.run('ops reconcile', { through: slow })).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('Run this command again in two minutes.'),
    })
    by.wait(minutes(60))
    const [{ id }] = await by.json('ops list')
    const { exitCode, stderr } = await by.run('ops reconcile', { through: slow })
    expect([exitCode, stderr]).toEqual([
      12,
      expect.stringContaining(`parley ops close ${id.slice(0, 8)} --as done|refused --reason`),
    ])
    expect(stderr).not.toContain('Run this again')
    expect(await states(by)).toEqual(['unknown'])
  })

  test.each([
    [true, 'done'],
    [false, 'refused'],
  ])('the start of a campaign is resolved from its status (carried out: %s)', async (isDone, state) => {
    const by = operator()
    await by.json('campaigns create --name Reminder --assistant Recall')
    await by.json('leads create --campaign Reminder --phone-number +14155550161')
    expect((await by.run('campaigns start Reminder --yes', { through: losing(isDone) })).exitCode).toBe(12)
    by.wait(minutes(2))
    expect(await by.run('ops reconcile', { through: notParleyServer })).toMatchObject({ exitCode: 0 })
    expect(await states(by)).toEqual([state])
  })

  test.each([
    [true, 'done'],
    [false, 'refused'],
  ])('a message of a chat is resolved from the conversation (carried out: %s)', async (isDone, state) => {
    const by = operator()
    const { conversation_id: uuid } = await by.json('conversations start --assistant 1')
    expect(
      (await by.run(['conversations', 'send', uuid, '--message', 'When are you open?'], { through: losing(isDone) }))
        .exitCode,
    ).toBe(12)
    by.wait(minutes(2))
    expect(await by.run('ops reconcile', { through: notParleyServer })).toMatchObject({ exitCode: 0 })
    expect(await states(by)).toEqual([state])
  })

  test('a single message is declared unknown after two minutes, with the command that closes it', async () => {
    const by = operator()
    await by.run('messaging send --sender 1 --template opening_hours --to +14155550111', { through: losing(true) })
    by.wait(minutes(2))
    const { exitCode, stderr } = await by.run('ops reconcile', { through: notParleyServer })
    expect([exitCode, stderr]).toEqual([12, expect.stringContaining('running this command again will not help')])
    expect(stderr).not.toContain('Run this again')
  })

  test('one failed request does not stop the others from being settled', async () => {
    const by = operator()
    await by.run('messaging send --sender 1 --template opening_hours --to +14155550111', { through: losing(true) })
    await by.run(number, { through: losing(true) })
    const through: Through = async (handle, request) =>
      request.url.includes('session-status')
        ? { status: 503, headers: {}, body: '' }
        : request.url.includes('senders')
          ? fails502
          : notParleyServer(handle, request)
    by.wait(minutes(2))
    const { exitCode } = await by.run('ops reconcile', { through })
    expect([exitCode, await states(by)]).toEqual([12, ['done', 'unknown']])
    const broken: Through = async (handle, request) => {
      if (request.url.includes('/phone-numbers/'))
        return { status: 500, headers: {}, body: '{"message":"Server Error"}' }
      return notParleyServer(handle, request)
    }
    const other = operator()
    await other.run(number, { through: losing(true) })
    await other.json('campaigns create --name Reminder --assistant Recall')
    await other.json('leads create --campaign Reminder --phone-number +14155550161')
    await other.run('campaigns start Reminder --yes', { through: losing(true) })
    const run = await other.run('ops reconcile', { through: broken })
    expect([run.exitCode, run.stderr]).toEqual([12, expect.stringContaining('(numbers.buy) could not be checked')])
    expect(await states(other)).toEqual(['done', 'unknown'])
  })
})

describe('ops close', () => {
  test('resolves an entry that no platform can determine, with the reason, and allows the same operation again', async () => {
    const by = operator()
    const line = 'messaging send --sender 1 --template opening_hours --to +14155550111'
    await by.run(line, { through: losing(false) })
    const [{ id }] = await by.json('ops list')
    expect((await by.run(line)).exitCode).toBe(12)
    const closed = await by.run(`ops close ${id.slice(0, 8)} --as refused --reason "Not on the invoice"`)
    expect(closed).toMatchObject({
      exitCode: 0,
      stdout: `Closed entry ${id.slice(0, 8)} (messaging.send) as refused.\n`,
    })
    expect(await by.json(`ops get ${id}`)).toMatchObject({ state: 'refused', detail: { closed: 'Not on the invoice' } })
    expect((await by.run(line)).exitCode).toBe(0)
    expect(await by.run(`ops close ${id} --as done --reason x`)).toMatchObject({ exitCode: 5 })
    expect(await by.run('ops close 0000 --as done --reason x')).toMatchObject({ exitCode: 4 })
  })

  test('requires an outcome and a reason, and prompts for them on a terminal', async () => {
    const by = operator()
    await by.run(number, { through: losing(false) })
    const [{ id }] = await by.json('ops list')
    expect(await by.run(`ops close ${id}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing --as and --reason'),
    })
    expect(await by.run(`ops close ${id} --as maybe --reason x`)).toMatchObject({ exitCode: 2 })
    expect(await by.run(`ops close ${id} --as done --reason ""`)).toMatchObject({ exitCode: 2 })
    const asked = await by.run('ops close', {
      answers: [
        ['Which entry?', 'numbers.buy'],
        ['What happened?', 'refused'],
        ['How do you know?', 'Asked support'],
      ],
    })
    expect(asked).toMatchObject({ exitCode: 0 })
    expect(await states(by)).toEqual(['refused'])
  })
})

test('the marker of a process that died is removed by the next one', async () => {
  const by = operator({ reopens: true })
  await by.run('keys list')
  const mark = join(by.dataDir, `open.${hostname().replace(/[^\w-]/g, '_')}.4194305.abcdef`)
  writeFileSync(mark, '')
  await by.run('keys list')
  expect([existsSync(mark), readdirSync(by.dataDir).filter((it) => it.startsWith('open.'))]).toEqual([false, []])
})
