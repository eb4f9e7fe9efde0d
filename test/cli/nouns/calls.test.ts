import { describe, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../src/contract/endpoint/http-message.ts'
import { type Handle, operator } from '../../support/operator.ts'

test('a call shows its length and its costs in the same format in a list and alone', async () => {
  const { run, json } = operator()
  const [call] = (await json('calls list')).filter((it: { duration: number }) => it.duration > 60)
  const length = `${Math.floor(call.duration / 60)}:${String(call.duration % 60).padStart(2, '0')}`
  const alone = (await run(`calls get ${call.id} --no-color`, { terminal: true })).stdout
  expect(alone).toMatch(new RegExp(`^Duration +${length}$`, 'm'))
  expect(alone).toMatch(/^Carrier cost +\d+\.\d+ USD$/m)
  expect(alone).toMatch(/^Cost +\d+\.\d+ USD$/m)
  expect((await run('calls list --no-color', { terminal: true, columns: 160 })).stdout).toContain(` ${length} `)
  expect(await json(`calls get ${call.id}`)).toMatchObject({ duration: call.duration, carrier_cost: call.carrier_cost })
})

test('campaigns call their assistants by name, for people', async () => {
  const { run, json } = operator()
  await json('campaigns create --name Spring --assistant Recall')
  const people = await run('campaigns list --no-color', { terminal: true, columns: 140 })
  expect(people.stdout).toMatch(/Spring +call +draft +Recall /)
  expect((await run('campaigns list')).stdout).toContain('Recall')
  expect((await run('campaigns get Spring --no-color', { terminal: true })).stdout).toMatch(
    /^Assistant +Recall \(2\)$/m,
  )
  expect(await json('campaigns get Spring')).toMatchObject({ assistant_id: 2 })
  expect((await run('campaigns list --json')).requests).toEqual(['GET /api/user/campaigns'])
  const refused = await run('campaigns list --no-color', {
    terminal: true,
    columns: 140,
    through: (handle, request) =>
      request.url.startsWith('/api/user/assistants')
        ? Promise.resolve({ status: 404, headers: {}, body: '{"message":"Not Found"}' })
        : handle(request),
  })
  expect(refused).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Spring +call +draft +2 /) })
})

const to = '+14155550142'

describe('calls start', () => {
  test('requires confirmation, calls once, and prints the call from the list', async () => {
    const by = operator()
    const refused = await by.run(`calls start ${to} --assistant Recall`)
    expect(refused).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(`A call to ${to} is charged to the balance and requires confirmation.`),
    })
    expect(refused.requests.filter((it) => it.startsWith('POST'))).toEqual([])
    const started = await by.run(`calls start ${to} --assistant Recall --var first_name=Anna --yes`)
    expect(started).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Started call to \+14155550142: /) })
    expect(started.requests.filter((it) => it === 'POST /api/user/make_call')).toHaveLength(1)
    const [call] = await by.json('calls list --limit 1')
    expect(started.stdout).toContain(`Id: ${call.id}`)
    expect(call).toMatchObject({ client_phone_number: to, assistant_name: 'Recall', variables: { first_name: 'Anna' } })
  })

  test('asks on a terminal for what is missing, with the balance, and No changes nothing', async () => {
    const by = operator()
    const before = await by.json('whoami')
    const run = await by.run('calls start', {
      answers: [
        ['Which assistant', 'Recall'],
        ['Number to call', to],
        ['Call', false],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('Cancelled') })
    expect(run.asked.join('\n')).toContain(
      `Price: 0.10 USD per minute, length unknown, charged to your balance of ${before.total_balance.toFixed(2)} USD. Call ${to} with the assistant "Recall" (2)?`,
    )
    expect((await by.json('whoami')).total_balance).toBe(before.total_balance)
  })

  test('of two calls to one number at the same moment, each prints its own or none twice', async () => {
    const by = operator()
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await by.json(`calls start ${to} --assistant 2 --yes`)).id)
    expect(new Set(ids).size).toBe(3)
  })

  test('does not claim a call that the list does not have', async () => {
    const by = operator()
    const run = await by.run(`calls start ${to} --assistant 2 --yes`, {
      through: async (handle, request) =>
        request.url.startsWith('/api/user/calls')
          ? { status: 200, headers: {}, body: '{"current_page":1,"data":[],"per_page":5,"total":0,"last_page":1}' }
          : handle(request),
    })
    expect(run).toMatchObject({
      exitCode: 20,
      stdout: '',
      stderr: expect.stringContaining('The platform accepted the call but does not list it'),
    })
  })

  test('exits with 12 when the started call cannot be read, so that a script does not start it again', async () => {
    const by = operator()
    let isStarted = false
    const run = await by.run(`calls start ${to} --assistant 2 --yes --retries 0`, {
      through: async (handle, request) => {
        if (isStarted) return { status: 500, headers: {}, body: '{"message":"Server Error"}' }
        isStarted = request.method === 'POST'
        return handle(request)
      },
    })
    expect(run).toMatchObject({ exitCode: 12, stderr: expect.stringContaining('Do not start it again.') })
  })

  test('reads the call by the id in the answer, where a platform returns it', async () => {
    const by = operator()
    const { id } = await by.json(`calls start ${to} --assistant 2 --yes`)
    const run = await by.run(`calls start ${to} --assistant 2 --yes --json`, {
      through: async (handle, request) => {
        const answer = await handle(request)
        if (request.method !== 'POST') return answer
        return { ...answer, body: JSON.stringify({ ...JSON.parse(String(answer.body)), call_id: id }) }
      },
    })
    expect(JSON.parse(run.stdout).id).toBe(id)
    expect(run.requests.at(-1)).toBe(`GET /api/user/calls/${id}`)
  })

  test.each([
    ['calls start', 2, 'Missing number'],
    [`calls start ${to}`, 2, 'Missing --assistant'],
    [`calls start ${to} --assistant Nobody --yes`, 4, 'No assistant "Nobody" found'],
    ['calls start 12 --assistant 2 --yes', 6, 'Invalid phone number'],
  ])('%s is refused', async (line, exitCode, message) => {
    expect(await operator().run(line)).toMatchObject({ exitCode, stderr: expect.stringContaining(message) })
  })

  test('is in the journal, and its lost answer is found by "ops reconcile"', async () => {
    const by = operator()
    const lost = await by.run(`calls start ${to} --assistant 2 --yes`, {
      through: async (handle, request) => {
        const answer = await handle(request)
        if (request.method === 'POST') throw new Error('socket hang up')
        return answer
      },
    })
    expect(lost.exitCode).toBe(12)
    expect((await by.run('ops reconcile')).exitCode).toBe(0)
    expect((await by.json('ops list'))[0]).toMatchObject({ state: 'done' })
    expect((await by.json(`calls list --phone-number ${to}`)).length).toBeGreaterThan(0)
  })
})

describe('calls follow', () => {
  /** Lets the call continue between two reads of it. */
  const advancing =
    (by: ReturnType<typeof operator>, url: RegExp) =>
    async (handle: Handle, request: PlainRequest): Promise<PlainResponse> => {
      if (url.test(request.url)) await by.run('server clock advance 15s')
      return handle(request)
    }

  test('prints status changes, the transcript, duration and cost until the call has ended', async () => {
    const by = operator()
    const { id } = await by.json(`calls start ${to} --assistant 2 --yes`)
    const followed = await by.run(`calls follow ${id}`, { through: advancing(by, /calls\/\d+$/) })
    const call = await by.json(`calls get ${id}`)
    expect(followed.exitCode).toBe(call.answered_by === null ? 20 : 0)
    expect(followed.stdout).toContain(`Call ${id} ended after ${call.duration} s. Cost: `)
    expect(followed.stdout).toContain(call.status)
    if (call.transcript) expect(followed.stdout).toContain(call.transcript.trim().split('\n')[0])
  })

  test('lets the call continue while no server is running', async () => {
    // A server runs its due jobs itself.
    const by = operator({ supports: 'neutral' })
    const { id } = await by.json(`calls start ${to} --assistant 2 --yes`)
    const followed = await by.run(`calls follow ${id}`, {
      through: (handle, request) => {
        by.wait(15_000)
        return handle(request)
      },
    })
    expect(followed.stdout).toMatch(new RegExp(`^Call ${id} ended after \\d+ s\\. Cost: `, 'm'))
    expect(followed.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+\d\d:\d\d {2}in-progress$/m)
  })

  test('prints the ended call alone for programs; --follow of start does the same', async () => {
    const by = operator()
    const run = await by.run(`calls start ${to} --assistant 2 --yes --follow --json`, {
      through: advancing(by, /calls\/\d+$/),
    })
    const call = JSON.parse(run.stdout)
    expect(call).toEqual(await by.json(`calls get ${call.id}`))
    expect(['initiated', 'ringing', 'in-progress']).not.toContain(call.status)
  })

  test('exits with 20 when the customer was not reached', async () => {
    const by = operator()
    const { id } = await by.json(`calls start ${to} --assistant 2 --yes`)
    const run = await by.run(`calls follow ${id}`, {
      through: async (handle, request) => {
        const answer = await handle(request)
        return { ...answer, body: (answer.body as string).replace(/"status":"[^"]+"/, '"status":"no-answer"') }
      },
    })
    expect(run).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('no-answer') })
  })

  test.each(['', ' --json'])('ends with Ctrl-C and says that the call continues:%s', async (form) => {
    const by = operator()
    const { id } = await by.json(`calls start ${to} --assistant 2 --yes`)
    const stop = new AbortController()
    let reads = 0
    const run = await by.run(`calls follow ${id}${form}`, {
      interrupt: stop,
      through: async (handle, request) => {
        const answer = await handle(request)
        if (++reads === 2) stop.abort(130)
        return answer
      },
    })
    expect(run).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining(`The call continues. Follow it again: parley calls follow ${id}`),
    })
  })

  test('after Ctrl-C, a call that questions have started is not offered to be started again', async () => {
    const by = operator()
    const stop = new AbortController()
    let reads = 0
    const run = await by.run(`calls start ${to} --assistant 2 --follow`, {
      interrupt: stop,
      answers: [[/Call/, true]],
      through: async (handle, request) => {
        const answer = await handle(request)
        if (/calls\/\d+$/.test(request.url) && ++reads === 2) stop.abort(130)
        return answer
      },
    })
    expect(run.exitCode, run.stderr).toBe(130)
    expect(run.stderr).toMatch(/The call continues\. Follow it again: parley calls follow \d+\n/)
    expect(run.stderr).not.toContain('Equivalent command')
  })
})

test('calls delete asks, deletes the call with its transcript, and says what is lost', async () => {
  const by = operator()
  expect(await by.run('calls delete 1')).toMatchObject({ exitCode: 10 })
  const asked = await by.run('calls delete 1', { answers: [['Delete call', true]] })
  expect(asked.asked.join()).toContain('with its transcript? This cannot be undone.')
  expect(asked.exitCode).toBe(0)
  expect((await by.run('calls get 1')).exitCode).toBe(4)
  expect((await by.run('calls delete 1 --yes')).exitCode).toBe(4)
})
