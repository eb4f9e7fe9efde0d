import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashJson } from '../../../../src/node/canonical-json.ts'
import { type Operator, operator, type Run } from '../../../support/operator.ts'

const agent = { CLAUDECODE: '1' }
const number = '+15005550006'

/** Returns an operator whose local platform requires approvals of coding agents. */
async function guarded(): Promise<Operator> {
  const by = operator()
  const set = await by.run('profile set local --approvals agents')
  expect(set.exitCode, set.stderr).toBe(0)
  return by
}

/** Runs a command as a coding agent on a terminal, and returns its error. */
async function refused(by: Operator, line: string): Promise<Run & { error: Record<string, string> }> {
  const run = await by.run(line, { terminal: true, env: agent })
  expect(run.exitCode, `${line}\n${run.stderr}`).toBe(10)
  expect(run.asked).toEqual([])
  return { ...run, error: JSON.parse(run.stderr.trim().split('\n').at(-1) as string).error }
}

/** Asks for a purchase, and returns the id of the operation that waits. */
async function asked(by: Operator, line = `numbers buy ${number}`): Promise<string> {
  const { error, requests } = await refused(by, line)
  expect(error.code, error.message).toBe('approval_pending')
  expect(requests.filter((it) => it.startsWith('POST'))).toEqual([])
  return error.operation as string
}

const approve = (by: Operator, id: string): Promise<Run> =>
  by.run(`ops approve ${id}`, { answers: [['Approve this?', true]] })
const stateOf = async (by: Operator, id: string): Promise<string> => (await by.json(`ops get ${id}`)).state
const owned = async (by: Operator): Promise<string[]> =>
  (await by.json('numbers list')).map((it: { phone_number: string }) => it.phone_number)

test('what cannot be stored for approval is refused, with the command for a person', async () => {
  const by = await guarded()
  const { error } = await refused(by, 'server reset --yes')
  expect(error.message).toMatch(/^Delete all data of the platform in [^(]+\?\nA person must run this command/)
  expect(error.hint).toContain('parley server reset')
})

describe('a purchase of a coding agent', () => {
  test('waits for a person, also with --yes, and names the commands that decide and continue', async () => {
    const by = await guarded()
    for (const yes of ['', ' --yes']) {
      const { error } = await refused(by, `numbers buy ${number}${yes}`)
      expect(error.message).toContain(`Buy ${number} for`)
      expect(error.message).toContain('Maximum cost: 1.15 USD.')
      expect(error.hint).toContain('parley ops approve')
    }
    expect(await owned(by)).not.toContain(number)
  })

  test('is run once after a person has approved it at a terminal', async () => {
    const by = await guarded()
    const id = await asked(by)
    const approved = await approve(by, id)
    expect(approved.exitCode, approved.stderr).toBe(0)
    expect(approved.asked[0]).toContain('Approve this?')
    expect(approved.stderr).toContain(`{"phone_number":"${number}"}`)
    expect(approved.stderr).toContain('Asked by: Claude Code')
    const run = await by.run(`ops run ${id}`, { env: agent })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.requests.filter((it) => it.startsWith('POST'))).toEqual(['POST /api/user/phone-numbers/purchase'])
    expect(await owned(by)).toContain(number)
    expect(await stateOf(by, id)).toBe('done')
    const second = await by.run(`ops run ${id}`, { env: agent })
    expect([second.exitCode, second.requests]).toEqual([5, []])
  })

  test('that waits for its end too is done when the time to wait is over, and is not run again', async () => {
    const by = await guarded()
    const to = '+14155550111'
    const line = `messaging send --sender 1 --template opening_hours --to ${to} --wait --wait-timeout 1s`
    const id = await asked(by, line)
    await approve(by, id)
    const run = await by.run(`ops run ${id}`, { env: agent })
    expect(run.exitCode, run.stderr).toBe(14)
    expect(await stateOf(by, id)).toBe('done')
    expect((await by.run(`ops run ${id}`, { env: agent })).exitCode).toBe(5)
    expect(await by.json(`messaging list --recipient-phone ${to}`)).toHaveLength(1)
  })

  test('that was decided already is refused before a person reads it and is asked', async () => {
    const by = await guarded()
    const id = await asked(by)
    await by.run(`ops decline ${id}`)
    const again = await by.run(`ops approve ${id}`, { terminal: true })
    expect([again.exitCode, again.asked], again.stderr).toEqual([5, []])
    expect(again.stderr).toContain('it was declined')
  })

  test('is not run before a decision, nor after it was declined', async () => {
    const by = await guarded()
    const id = await asked(by)
    expect((await by.run(`ops run ${id}`, { env: agent })).exitCode).toBe(10)
    await by.run(`ops decline ${id} --reason "Too expensive"`)
    const run = await by.run(`ops run ${id}`, { env: agent })
    expect(run.exitCode).toBe(5)
    expect(run.stderr).toContain('it was declined')
    expect((await by.run(`ops wait ${id}`, { env: agent })).exitCode).toBe(5)
    expect((await approve(by, id).catch((error) => error)).exitCode ?? 5).toBe(5)
    expect(await owned(by)).not.toContain(number)
  })

  test('is not sent for a higher price than approved, and is for a lower one', async () => {
    for (const [factor, exit] of [
      [2, 5],
      [0.5, 20],
    ] as const) {
      const by = await guarded()
      const id = await asked(by)
      await approve(by, id)
      const run = await by.run(`ops run ${id}`, {
        env: agent,
        async through(handle, request) {
          const response = await handle(request)
          if (!request.url.includes('/phone-numbers/search')) return response
          const body = JSON.parse(String(response.body))
          for (const offer of body.data ?? body) offer.price *= factor
          return { ...response, body: JSON.stringify(body) }
        },
      })
      expect(run.exitCode, run.stderr).toBe(exit)
      expect((await owned(by)).includes(number)).toBe(exit !== 5)
      if (exit === 5) expect(await stateOf(by, id)).toBe('changed')
    }
  })

  test('that repeats one that waits is the same operation', async () => {
    const by = await guarded()
    expect(await asked(by)).toBe(await asked(by))
    expect(await by.json('ops list --pending')).toHaveLength(1)
  })

  test('expires after an hour, and when the clock was set back', async () => {
    const by = await guarded()
    const id = await asked(by)
    await approve(by, id)
    by.wait(61 * 60_000)
    expect(await stateOf(by, id)).toBe('expired')
    expect((await by.run(`ops run ${id}`, { env: agent })).exitCode).toBe(5)
    by.wait(-3 * 60 * 60_000)
    expect(await stateOf(by, id)).toBe('expired')
    const late = await by.run(`ops run ${id}`, { env: agent })
    expect([late.exitCode, late.requests.filter((it) => !it.startsWith('GET'))]).toEqual([5, []])
    expect(await owned(by)).not.toContain(number)
  })

  test('is refused when plan or approval were edited in the file', async () => {
    const by = await guarded()
    const id = await asked(by)
    const file = join(by.dataDir, 'spends.ndjson')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replaceAll(number, '+15005550007'))
    expect(await stateOf(by, id)).toBe('damaged')
    expect((await by.run(`ops run ${id}`, { env: agent })).exitCode).toBe(5)
    writeFileSync(file, text)
    appendFileSync(file, `{"approval":"${id}","event":"approved","at":"2026-08-04T12:00:00.000Z","hash":"00"}\n`)
    expect(await stateOf(by, id)).toBe('damaged')
    expect(await owned(by)).not.toContain(number)
  })

  test('is not approved when its plan was edited while the person read it', async () => {
    const by = await guarded()
    const id = await asked(by)
    const file = join(by.dataDir, 'spends.ndjson')
    const edit = (): boolean => {
      const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
      const record = JSON.parse(lines[0] as string)
      record.plan.requests[0].body = '{"phone_number":"+15005550007"}'
      writeFileSync(file, `${JSON.stringify({ ...record, hash: hashJson(record.plan) })}\n`)
      return true
    }
    const run = await by.run(`ops approve ${id}`, { answers: [['Approve this?', edit]] })
    expect([run.exitCode, await stateOf(by, id)], run.stderr).toEqual([5, 'pending'])
  })

  test('has one decision: of two people who decide at once, the second is refused', async () => {
    const by = await guarded()
    const id = await asked(by)
    const decline = async (): Promise<true> => {
      expect((await by.run(`ops decline ${id}`)).exitCode).toBe(0)
      return true
    }
    const second = await by.run(`ops approve ${id}`, { answers: [['Approve this?', decline]] })
    expect([second.exitCode, second.stderr], second.stderr).toEqual([5, expect.stringContaining('it was declined')])
    expect((await by.run(`ops run ${id}`, { env: agent })).exitCode).toBe(5)
    expect(await owned(by)).not.toContain(number)
  })

  test('that was answered before it was interrupted is not sent again', async () => {
    const by = await guarded()
    const id = await asked(by)
    await approve(by, id)
    let sent = 0
    const lost = await by.run(`ops run ${id} --retries 0`, {
      env: agent,
      async through(handle, request) {
        const response = await handle(request)
        if (request.method !== 'POST') return response
        sent += 1
        throw new Error('the connection was reset')
      },
    })
    expect(lost.exitCode).not.toBe(0)
    expect(await stateOf(by, id)).toBe('interrupted')
    const again = await by.run(`ops run ${id}`, { env: agent })
    expect(again.exitCode, again.stderr).toBe(0)
    expect(sent).toBe(1)
    expect((await owned(by)).filter((it) => it === number)).toHaveLength(1)
    expect((await by.json('ops list')).every((it: { state: string }) => ['done', 'replayed'].includes(it.state))).toBe(
      true,
    )
  })
})

describe('what a person must do', () => {
  test.each([
    'ops approve 1234',
    'ops close 1234 --as refused --reason x',
    'ops close 1234 --as refused --reason x --dry-run',
    'profile use local',
    'profile set local --approvals off',
    'profile delete staging --yes',
    'login --url https://assistants.example',
    'keys create --name ci',
    'keys delete 1 --yes',
    "api keys.create --data '{name: ci}'",
    'server accounts create --name Other',
    'server accounts key 1',
    'doctor --conformance --writes',
    'server clock advance 1d',
    'server faults create tools.list --status 500',
  ])('%s is refused to a coding agent, with the command for the person', async (line) => {
    const by = await guarded()
    const { error, requests } = await refused(by, line)
    expect(error.code).toBe('consent')
    expect(error.hint).toContain('parley ')
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test('PARLEY_AGENT=0 changes the output only', async () => {
    const by = await guarded()
    const run = await by.run(`numbers buy ${number} --yes`, { env: { ...agent, PARLEY_AGENT: '0' } })
    expect(run.exitCode).toBe(10)
    expect(run.stderr).toContain('error: ')
  })

  test('approving needs a terminal', async () => {
    const by = await guarded()
    const id = await asked(by)
    expect((await by.run(`ops approve ${id} --yes`)).exitCode).toBe(10)
    expect(await stateOf(by, id)).toBe('pending')
  })

  test('approvals are turned off at a terminal only', async () => {
    const by = await guarded()
    expect((await by.run('profile set local --approvals off')).exitCode).toBe(10)
    expect((await by.run('profile set local --approvals off', { terminal: true })).exitCode).toBe(0)
    expect((await by.run(`numbers buy ${number} --yes`, { env: agent })).exitCode).toBe(0)
  })
})

describe('what else waits for a person', () => {
  test.each([
    ['tools delete 1', 'tools.delete'],
    ['assistants delete 1', 'assistants.delete'],
    ['sms send --from 1 --to +14155550142 --body Hello', 'sms.send'],
    [
      'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday',
      'messaging.send',
    ],
    ['api tools.delete --data "{id: 1}" --yes', 'tools.delete'],
  ])('%s', async (line, endpoint) => {
    const by = await guarded()
    const id = await asked(by, line)
    const [request] = (await by.json(`ops get ${id}`)).requests
    expect(request.endpoint).toBe(endpoint)
  })

  test('a deletion is not carried out when what it says has changed since it was approved', async () => {
    const by = await guarded()
    const id = await asked(by, 'labels delete 1')
    await approve(by, id)
    await by.run('labels update 1 --name "In use now"')
    const run = await by.run(`ops run ${id}`, { env: agent })
    expect([run.exitCode, run.requests.filter((it) => it.startsWith('DELETE'))], run.stderr).toEqual([5, []])
    expect(run.stderr).toContain('In use now')
    expect(await stateOf(by, id)).toBe('changed')
  })

  test('a message from a protected profile says what is sent', async () => {
    const by = await guarded()
    await by.run('profile set local --protected')
    const { error } = await refused(by, 'sms send --from 1 --to +14155550142 --body Hello')
    expect(error.message).toContain('to "+14155550142", body "Hello"')
  })

  test('control characters in a plan cannot hide what a person approves', async () => {
    const by = await guarded()
    const line = ['sms', 'send', '--from', '1', '--to', '+14155550142', '--body', 'Hello\u001b[2K\u001b[1A']
    const { operation } = JSON.parse((await by.run(line, { env: agent })).stderr).error
    const shown = await by.run(`ops approve ${operation}`, { answers: [['Approve this?', false]] })
    const listed = await by.run('ops list --pending', { terminal: true })
    for (const text of [shown.stderr, listed.stdout])
      expect(['\u001b[2K', '\u001b[1A'].filter((code) => text.includes(code))).toEqual([])
    expect([shown.exitCode, await stateOf(by, operation)]).toEqual([10, 'pending'])
  })

  test('enabling an automation', async () => {
    const by = await guarded()
    const [{ id }] = await by.json('automate list --filter status=enabled')
    await by.run(`automate disable ${id} --yes`)
    const operation = await asked(by, `automate enable ${id}`)
    await approve(by, operation)
    const run = await by.run(`ops run ${operation}`, { env: agent })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(await by.json(`automate get ${id}`)).toMatchObject({ status: 'enabled' })
  })

  test('what only stops something runs at once', async () => {
    const by = await guarded()
    const [automation] = await by.json('automate list --filter status=enabled')
    const run = await by.run(`automate disable ${automation.id} --yes`, { env: agent })
    expect(run.exitCode, run.stderr).toBe(0)
  })

  test('a file of messages is one operation with its content and maximum cost', async () => {
    const by = await guarded()
    writeFileSync(join(by.cwd, 'rows.csv'), 'phone,name\n+14155550111,Anna\n+14155550112,Ben\n')
    const line =
      'messaging send --sender 1 --template appointment_reminder --file rows.csv --var 1=Anna --var appointment_day=Monday --yes'
    const id = await asked(by, line)
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect((await by.json(`ops get ${id}`)).steps.content).toMatchObject({ sha256, requests_sha256: sha256 })
    await approve(by, id)
    writeFileSync(join(by.cwd, 'rows.csv'), 'phone,name\n+14155550111,Anna\n+14155550113,Cleo\n')
    const changed = await by.run(`ops run ${id}`, { env: agent })
    expect([changed.exitCode, changed.requests.filter((it) => it.startsWith('POST'))], changed.stderr).toEqual([5, []])
    const other = await asked(by, line)
    await approve(by, other)
    const run = await by.run(`ops run ${other}`, { env: agent })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.requests.filter((it) => it.startsWith('POST'))).toHaveLength(2)
  })

  test('a deletion whose answer was lost is reconciled, not repeated', async () => {
    const by = await guarded()
    const id = await asked(by, 'labels delete 1')
    await approve(by, id)
    const lost = await by.run(`ops run ${id} --retries 0`, {
      env: agent,
      async through(handle, request) {
        const response = await handle(request)
        if (request.method === 'DELETE') throw new Error('the connection was reset')
        return response
      },
    })
    expect(lost.exitCode).not.toBe(0)
    const again = await by.run(`ops run ${id}`, { env: agent })
    expect(again.exitCode, again.stderr).toBe(0)
    expect(await stateOf(by, id)).toBe('done')
  })

  test('a secret is not stored for approval', async () => {
    const by = await guarded()
    const flow = JSON.stringify({
      name: 'x',
      flow: { trigger: { name: 'trigger', type: 'EMPTY', settings: { auth: { api_key: 'sk-abcdefghijklmnopq' } } } },
    })
    const run = await by.run(['api', 'automate.create', '--data', flow, '--yes'], { env: agent })
    expect([run.exitCode, JSON.parse(run.stderr).error.code], run.stderr).toEqual([2, 'secret_in_plan'])
    expect(readFileSync(join(by.dataDir, 'spends.ndjson'), { encoding: 'utf8', flag: 'a+' })).not.toContain('sk-abc')
  })

  test('required: also people are asked through an operation', async () => {
    const by = operator()
    await by.run('profile set local --approvals required')
    const run = await by.run('tools delete 1 --yes')
    expect([run.exitCode, run.requests.filter((it) => it.startsWith('DELETE'))]).toEqual([10, []])
  })
})
