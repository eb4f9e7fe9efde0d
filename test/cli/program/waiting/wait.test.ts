import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { complete } from '../../../../src/cli/reference/completion/complete.ts'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { code, hook } from '../../../support/flow-definitions.ts'
import { type Handle, type Operator, operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const lines = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))

/** Advances the clock of the platform before each read of a path. */
const passing =
  (by: Operator, path: RegExp, step = '15s'): Through =>
  async (handle, request) => {
    if (request.method === 'GET' && path.test(request.url)) await by.run(`server clock advance ${step}`)
    return handle(request)
  }

/** Answers reads of a path with changed fields: those of the n-th entry for the n-th read, and of the last one after that. */
function reading(path: RegExp, answers: readonly ('fails' | Readonly<Record<string, unknown>>)[]): Through {
  let count = 0
  return async (handle, request) => {
    if (request.method !== 'GET' || !path.test(request.url)) return handle(request)
    const answer = answers[Math.min(count++, answers.length - 1)] as (typeof answers)[number]
    if (answer === 'fails') return { status: 503, headers: {}, body: '{"message":"Down for maintenance."}' }
    const reply = await handle(request)
    const body = JSON.parse(String(reply.body))
    const changed = Array.isArray(body.data)
      ? { ...body, data: body.data.map((it: object) => ({ ...it, ...answer })) }
      : body.data
        ? { ...body, data: { ...body.data, ...answer } }
        : { ...body, ...answer }
    return { ...reply, body: JSON.stringify(changed) }
  }
}

/** Lets the channel deliver the queued messages before each read of a path. */
const delivering =
  (by: Operator, path: RegExp, status = 'delivered'): Through =>
  async (handle, request) => {
    if (path.test(request.url))
      for (const { message_sid } of await by.json('messaging list --status queued'))
        await by.run(`server simulate receipt --message-sid ${message_sid} --status ${status}`)
    return handle(request)
  }

const to = '+14155550142'
const start = `calls start ${to} --assistant 2 --yes`

describe('--wait', () => {
  test('prints what a command has started as one record at its end, and exits with 0 when the condition is reached', async () => {
    const by = operator()
    const { exitCode, stdout } = await by.run(`${start} --wait --json`, {
      through: reading(/calls\/\d+$/, [{ status: 'ringing' }, { status: 'in-progress' }, { status: 'completed' }]),
    })
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ status: 'completed' })])
  })

  test('tells people first what was started, then how it ended', async () => {
    const by = operator()
    const { exitCode, stdout } = await by.run(`${start} --wait=answered`, {
      through: reading(/calls\/\d+$/, [{ status: 'ringing' }, { status: 'in-progress' }]),
    })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Started call to .+ Id: (\d+)\nCall \1 is in progress after \d+ s\.\n$/)
  })

  test('exits with 20 and says why when the condition cannot be reached any more', async () => {
    const by = operator()
    const { exitCode, stdout, stderr } = await by.run(`${start} --wait --json`, {
      through: reading(/calls\/\d+$/, [{ status: 'ringing' }, { status: 'no-answer' }]),
    })
    expect([exitCode, JSON.parse(stdout).status]).toEqual([20, 'no-answer'])
    expect(stderr).toContain('is no answer. That ends the wait for "ended".')
  })

  test('exits with 14 when the time is over, with the record, what is missing, and how to wait again', async () => {
    const by = operator()
    await by.run('campaigns create --name Calls --assistant Recall --allowed-days sunday')
    const { id } = await by.json('campaigns get Calls')
    for (const n of [1, 2]) await by.run(`leads create --campaign ${id} --phone-number +1415555016${n}`)
    const { exitCode, stdout, stderr } = await by.run(`campaigns start Calls --yes --wait --wait-timeout 5s --json`)
    expect([exitCode, JSON.parse(stdout)]).toEqual([14, expect.objectContaining({ id, status: 'in-progress' })])
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'timed_out',
      message: `Campaign ${id} did not reach "completed" within 5 s. It is in progress, 2 of 2 leads are not finished.`,
      next: [`parley campaigns get ${id} --wait=completed`],
    })
    expect((await by.json('campaigns get Calls')).status).toBe('in-progress')
  })

  test('says once that the clock of the platform does not move, and how it continues', async () => {
    const by = operator()
    await by.run('campaigns create --name Calls --assistant Recall --allowed-days sunday')
    await by.run('leads create --campaign Calls --phone-number +14155550161')
    await by.run('campaigns start Calls --yes')
    const through: Through = async (handle, request) => {
      by.wait(4000)
      return handle(request)
    }
    const moving = await by.run('campaigns get Calls --wait --wait-timeout 30s', { through })
    expect(moving).toMatchObject({ exitCode: 14, stderr: expect.not.stringContaining('does not move') })
    await by.run('server clock freeze')
    const { exitCode, stderr } = await by.run('campaigns get Calls --wait --wait-timeout 30s', { through })
    expect(exitCode).toBe(14)
    expect(stderr.match(/clock of the platform does not move.*parley server clock resume/g)).toHaveLength(1)
  })

  test('on a campaign that runs already is refused with the command that waits for it', async () => {
    const by = operator()
    await by.run('campaigns create --name Calls --assistant Recall --allowed-days sunday')
    await by.run('leads create --campaign Calls --phone-number +14155550161')
    await by.run('campaigns start Calls --yes')
    const { exitCode, stderr } = await by.run('campaigns start Calls --yes --wait')
    expect(exitCode).toBe(5)
    expect(stderr).toContain('To wait for the end of one that runs: parley campaigns get <id> --wait.')
  })

  test.each(['campaigns start', 'campaigns get', 'numbers buy', 'knowledge documents create'])(
    'the help of %s has the exit codes of a wait',
    async (words) => {
      const { stdout } = await operator().run(`${words} --help`)
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('With --wait, the exit code is 20 if the condition cannot')
      expect(stdout).toContain('14 after')
    },
  )

  test('reads once more after the last pause, at growing intervals', async () => {
    const by = operator()
    await by.run(start)
    const [{ id }] = await by.json('calls list --limit 1')
    const { exitCode, requests } = await by.run(`calls get ${id} --wait --wait-timeout 60s`, {
      through: reading(/calls\/\d+$/, [{ status: 'ringing' }]),
    })
    expect(exitCode).toBe(14)
    // 0.5 + 0.75 + ... up to 10 s: a poll every half a second would need 120 reads.
    expect(requests.filter((it) => it === `GET /api/user/calls/${id}`).length).toBeLessThan(18)
  })

  test('continues while the platform is away, says so once, and ends when it answers again', async () => {
    const by = operator()
    const { exitCode, stderr } = await by.run(`${start} --wait --retries 0`, {
      through: reading(/calls\/\d+$/, [{ status: 'ringing' }, 'fails', 'fails', 'fails', { status: 'completed' }]),
    })
    expect(exitCode).toBe(0)
    expect(stderr.match(/Still waiting\./g)).toHaveLength(1)
  })

  test('does not hide what was started when the key is rejected during the wait', async () => {
    const by = operator()
    let isRejected = false
    const through: Through = async (handle, request) => {
      if (isRejected) return { status: 401, headers: {}, body: '{"message":"Unauthenticated."}' }
      isRejected = /calls\/\d+$/.test(request.url)
      return handle(request)
    }
    // The first read of the call is that of the command itself, or the first one of the wait.
    const people = await by.run(`${start} --wait`, { through })
    expect([people.exitCode, people.stdout]).toEqual([3, expect.stringMatching(/^Started call [^\n]+ Id: \d+\n$/)])
    isRejected = false
    const program = await by.run(`${start} --wait --json`, { through })
    expect([program.exitCode, JSON.parse(program.stdout)]).toEqual([
      3,
      expect.objectContaining({ id: expect.any(Number) }),
    ])
  })

  test('names the last failure when the platform stays away until the time is over', async () => {
    const by = operator()
    const { exitCode, stderr } = await by.run(`${start} --wait --wait-timeout 20s --retries 0 --json`, {
      through: reading(/calls\/\d+$/, ['fails']),
    })
    expect(exitCode).toBe(14)
    expect(JSON.parse(stderr).error.message).toMatch(/within 20 s\. The last read failed: Down for maintenance\.$/)
  })

  test('sends no request before the time that Retry-After asks for', async () => {
    const by = operator()
    await by.run(start)
    const [{ id }] = await by.json('calls list --limit 1')
    let reads = 0
    const { exitCode, requests } = await by.run(`calls get ${id} --wait --wait-timeout 20s --retries 0`, {
      through: async (handle, request) =>
        ++reads === 1
          ? handle(request)
          : { status: 429, headers: { 'retry-after': '600' }, body: '{"message":"Too Many Attempts."}' },
    })
    expect([exitCode, requests.length]).toEqual([14, 2])
  })

  test('ends with 130 on Ctrl-C, prints the record, and says that the work continues', async () => {
    const by = operator()
    const interrupt = new AbortController()
    const { exitCode, stdout, stderr } = await by.run(`${start} --wait --json`, {
      interrupt,
      through: async (handle, request) => {
        const reply = await handle(request)
        if (/calls\/\d+$/.test(request.url)) interrupt.abort(130)
        return reply
      },
    })
    const { id } = JSON.parse(stdout)
    expect(exitCode).toBe(130)
    expect(stderr).toBe(`Stopped waiting. The call continues. Wait again: parley calls get ${id} --wait=ended\n`)
  })

  test('with -o ndjson each change of the state is a line, and the end is the last one', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'Parking.txt'), 'Parking is free behind the house.')
    const { exitCode, stdout } = await by.run('knowledge documents create 1 --upload Parking.txt --wait -o ndjson', {
      through: reading(/documents\/\d+$/, [{ status: 'processing' }, { status: 'processing' }, { status: 'active' }]),
    })
    const [first, ...others] = lines(stdout)
    expect(exitCode).toBe(0)
    expect(first).toMatchObject({ type: 'state', resource: 'document', state: 'processing', detail: null })
    expect(others).toEqual([
      expect.objectContaining({ type: 'end', outcome: 'reached', condition: 'active', state: 'active' }),
    ])
  })

  test('changes neither --dry-run nor refusals of the command', async () => {
    const by = operator()
    expect(await by.run(`${start.replace(' --yes', '')} --wait`)).toMatchObject({ exitCode: 10 })
    expect(await by.run(`${start} --wait --dry-run`)).toMatchObject({ exitCode: 0 })
    expect(await by.run('campaigns get Nobody --wait')).toMatchObject({ exitCode: 4 })
    expect(await by.run('numbers buy +15005550000 --yes --wait')).toMatchObject({ exitCode: 5 })
  })

  test.each([
    ['--wait=nothing', 'Invalid value "nothing" for --wait. Allowed values: ended, answered.'],
    ['--wait ended', 'To wait for a condition, write --wait=ended.'],
    ['--wait-timeout 5m', '--wait-timeout requires --wait.'],
    ['--wait --wait-timeout 0s', 'Invalid --wait-timeout "0s".'],
    ['--wait --wait-timeout soon', 'Invalid --wait-timeout "soon".'],
  ])('%s is refused before anything is sent', async (flags, message) => {
    const { exitCode, stderr, requests } = await operator().run(`${start} ${flags}`)
    expect([exitCode, requests]).toEqual([2, []])
    expect(stderr).toContain(message)
  })

  test('is a text where a flag expects one, and takes no word after it', async () => {
    const by = operator()
    const sent = await by.run(['messaging', 'send', '--sender', '1', '--to', to, '--text', '--wait', '--json'])
    expect(sent.exitCode).toBe(0)
    expect((await by.json('messaging list --limit 1'))[0].body).toBe('--wait')
    const ended = (await by.json('calls list --all')).find((it: { duration: number }) => it.duration > 0)
    expect((await by.run(`calls get --wait ${ended.id}`)).exitCode).toBe(0)
  })

  test('completes its conditions after "=" only', () => {
    expect(complete(['campaigns', 'get', '1', '--wait='])).toEqual(['--wait=completed', '--wait=started'])
    expect(complete(['campaigns', 'get', '1', '--wai']).map((it) => it.split('\t')[0])).toEqual([
      '--wait',
      '--wait-timeout',
    ])
    expect(complete(['calls', 'start', '--wait', ''])).toEqual([])
  })
})

describe('what can be waited for', () => {
  test('a campaign, until it is completed, and 20 when it is a draft', async () => {
    const by = operator()
    expect(await by.run('campaigns get 2 --wait')).toMatchObject({
      exitCode: 20,
      stderr: expect.stringContaining('Campaign 2 is draft'),
    })
    const run = await by.run('campaigns start 2 --yes --wait', { through: passing(by, /campaign\/2$/, '1h') })
    expect([run.exitCode, run.stdout], run.stderr).toEqual([
      0,
      expect.stringMatching(/\nCampaign 2 is completed after /),
    ])
  })

  test('a message, until it is delivered, and 20 when the channel refused it', async () => {
    const by = operator()
    const send = `messaging send --sender 1 --to ${to} --text Hello`
    const run = await by.run(`${send} --wait --json`, { through: delivering(by, /messaging\/messages/) })
    expect([run.exitCode, JSON.parse(run.stdout)], run.stderr).toEqual([
      0,
      expect.objectContaining({ status: 'delivered', recipient_phone: to }),
    ])
    const { id } = JSON.parse(run.stdout)
    expect(await by.json(`messaging get ${id} --sender 1 --wait=sent`)).toMatchObject({ id, body: 'Hello' })
    const failed = await by.run(`${send} --wait --json`, {
      through: reading(/messaging\/messages/, [
        { status: 'queued' },
        { status: 'undelivered', error: 'Not reachable' },
      ]),
    })
    expect(failed).toMatchObject({ exitCode: 20, stderr: expect.stringContaining('undelivered, Not reachable') })
  })

  test('a message of the local platform that nothing delivers: the command that does is named', async () => {
    const by = operator()
    const send = `messaging send --sender 1 --to ${to} --text Hello`
    const run = await by.run(`${send} --wait --wait-timeout 1s`)
    const [{ id, message_sid }] = await by.json('messaging list --limit 1')
    const receipt = `parley server simulate receipt --message-sid ${message_sid} --status delivered`
    expect([run.exitCode, run.stderr]).toEqual([
      14,
      expect.stringContaining(`It is queued, which it stays on the local platform until: ${receipt}`),
    ])
    expect((await by.run(`messaging get ${id}`)).stderr).toContain(
      `On the local platform, it stays queued until: ${receipt}`,
    )
    expect((await by.run(`messaging get ${id} --json`)).stderr).toBe('')
    await by.run(receipt.replace('parley ', ''))
    expect((await by.run(`messaging get ${id}`)).stderr).not.toContain('simulate')
    writeFileSync(join(by.cwd, 'people.csv'), 'phone,1,2\n+14155550111,Anna,Monday\n')
    const file = 'messaging send --sender 1 --template appointment_reminder --file people.csv --yes'
    expect((await by.run(`${file} --wait --wait-timeout 1s`)).stderr).toContain(
      '1 queued, which they stay on the local platform until: parley server simulate receipt',
    )
  })

  test('a platform that does not list messages cannot, so nothing is sent', async () => {
    const by = operator({ supports: 'neutral' })
    const run = await by.run(`messaging send --sender 1 --to ${to} --text Hello --wait`, { through: notParleyServer })
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('which --wait of "parley messaging send"'),
    })
    expect(run.requests.filter((it) => it.startsWith('POST'))).toEqual([])
  })

  test('the messages of a file, until all were delivered, also when the same command is run again', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'people.csv'), 'phone,1,2\n+14155550111,Anna,Monday\n+14155550112,Bob,Tuesday\n')
    const line = 'messaging send --sender 1 --template appointment_reminder --file people.csv --yes --wait --json'
    const run = await by.run(line, { through: delivering(by, /messaging\/messages.*status=sending/) })
    expect([run.exitCode, JSON.parse(run.stdout)], run.stderr).toEqual([
      0,
      expect.objectContaining({ done: 2, deliveries: expect.objectContaining({ queued: 0, sent: 0, failed: 0 }) }),
    ])
    const again = await by.run(line, {
      through: reading(/status=failed/, [{}]),
    })
    expect([again.exitCode, JSON.parse(again.stdout).done_before]).toEqual([0, 2])
  })

  test('a message of a file that failed ends the wait with 20 after the others were delivered', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'people.csv'), 'phone,1,2\n+14155550111,Anna,Monday\n+14155550112,Bob,Tuesday\n')
    let reads = 0
    const through = async (handle: Handle, request: Parameters<Through>[1]) => {
      if (request.url.includes('messaging/messages') && ++reads === 2) {
        const { stdout } = await by.run('messaging list --limit 1 --json')
        const [{ message_sid }] = JSON.parse(stdout)
        await by.run(`server simulate receipt --message-sid ${message_sid} --status failed --error-code 63024`)
      }
      return reads < 20 ? handle(request) : delivering(by, /status=sending/)(handle, request)
    }
    const run = await by.run(
      'messaging send --sender 1 --template appointment_reminder --file people.csv --yes --wait --json',
      { through },
    )
    expect([run.exitCode, JSON.parse(run.stdout).deliveries], run.stderr).toEqual([
      20,
      { sending: 0, queued: 0, sent: 0, delivered: 1, failed: 1, undelivered: 0 },
    ])
    expect(run.stderr).toContain('1 delivered, 1 failed')
  })

  test('a template, until the channel approves it', async () => {
    const by = operator()
    const pending = (await by.json('messaging templates 1 --status all')).find(
      (it: { status: string }) => it.status === 'pending',
    )
    expect(await by.json(`messaging get-template ${pending.name} --sender 1`)).toEqual(pending)
    const get = `messaging get-template ${pending.id} --sender 1 --wait --json`
    const approved = await by.run(get, { through: reading(/templates/, [{}, {}, { status: 'approved' }]) })
    expect([approved.exitCode, JSON.parse(approved.stdout).id]).toEqual([0, pending.id])
    const rejected = await by.run(get, { through: reading(/templates/, [{}, {}, { status: 'rejected' }]) })
    expect(rejected.exitCode).toBe(20)
  })

  test('a knowledge base, until its documents are processed', async () => {
    const by = operator()
    await by.run('knowledge create --name Prices')
    expect((await by.run('knowledge get Prices --wait')).exitCode).toBe(20)
    await by.run('knowledge documents create Prices --name Fees --url https://northwind.example/fees')
    const run = await by.run('knowledge get Prices --wait --json', { through: passing(by, /knowledgebases\/\d+$/) })
    expect([run.exitCode, JSON.parse(run.stdout).status], run.stderr).toEqual([0, 'active'])
  })

  test('a number, until it is active, and until its release', async () => {
    const by = operator()
    const bought = await by.run('numbers buy +15005550006 --yes --wait --json')
    expect([bought.exitCode, JSON.parse(bought.stdout)]).toEqual([
      0,
      expect.objectContaining({ phone_number: '+15005550006', has_active_subscription: true }),
    ])
    const { id } = JSON.parse(bought.stdout)
    expect((await by.run(`numbers get ${id} --wait=released`)).exitCode).toBe(20)
    await by.run(`numbers release ${id} --yes`)
    expect((await by.run(`numbers get ${id} --wait`)).exitCode).toBe(20)
    const gone = await by.run(`numbers get ${id} --wait=released`, {
      through: passing(by, /phone-numbers\/all$/, '20d'),
    })
    expect([gone.exitCode, gone.stdout], gone.stderr).toEqual([
      0,
      expect.stringMatching(/^Number \d+ is (not found|ended) after/),
    ])
  })

  test('a SIP trunk, until it has both directions', async () => {
    const by = operator()
    const half = reading(/sip-trunks\/1$/, [{ outbound_trunk_id: '' }])
    expect((await by.run('sip-trunks get 1 --wait')).exitCode).toBe(0)
    expect(await by.run('sip-trunks get 1 --wait --wait-timeout 3s', { through: half })).toMatchObject({
      exitCode: 14,
      stderr: expect.stringContaining('It is provisioning, missing: outbound.'),
    })
  })

  test('a run, until it has succeeded or ended', async () => {
    const by = operator()
    const flow = { trigger: hook, steps: [code('1')] }
    await by.run(['automate', 'create', '--name', 'One', '--flow', JSON.stringify(flow)])
    const run = await by.run('automate runs get last --wait --json', {
      through: reading(/automate\/runs\/[^/?]+$/, [{}, { status: 'RUNNING' }, { status: 'SUCCEEDED' }]),
    })
    expect([run.exitCode, JSON.parse(run.stdout).status], run.stderr).toEqual([0, 'SUCCEEDED'])
    const failed = reading(/automate\/runs\/[^/?]+$/, [{}, { status: 'FAILED', error: 'No such step' }])
    expect(await by.run('automate runs get last --wait', { through: failed })).toMatchObject({
      exitCode: 20,
      stderr: expect.stringContaining('is failed, No such step'),
    })
    expect((await by.run('automate runs get last --wait=ended', { through: failed })).exitCode).toBe(0)
    expect((await by.json('automate runs rerun last --wait')).status).toBe('SUCCEEDED')
  })
})
