import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { printJobs } from '../../../../src/cli/nouns/server/clock.ts'
import { type Operator, operator, type Run, today } from '../../../support/operator.ts'
import { verify, webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

const scenario = `steps:
  - message: {sender: 1, from: "+14155550189", text: "Are you open?", name: Clara}
  - call:
      assistant: Front desk
      direction: outbound
      phone_number: "+14155550143"
      turns:
        - customer: Do you have time on Friday?
        - assistant: At ten o'clock.
          after: 3
  - advance: 5m
  - sender: {sender: 1, status: offline}
  - advance: 5m
  - receipt: {status: read}
  - end: {}
`

describe('a scenario', () => {
  test('is simulated step by step, and the jobs that become due are printed', async () => {
    const by = operator()
    const ran = await by.run('server simulate run --file -', { stdin: scenario })
    expect(ran).toMatchObject({ exitCode: 0 })
    expect(ran.stdout.split('\n').map((line) => line.split(':')[0])).toEqual([
      'message',
      'call',
      'advance',
      'sender',
      'advance',
      'receipt',
      'end',
      '',
    ])
    for (const text of ['call ', 'regular check of senders, due']) expect(ran.stderr).toContain(`Done: ${text}`)
    const [call] = await by.json('calls list --limit 1')
    expect(call).toMatchObject({
      client_phone_number: '+14155550143',
      status: 'ended_by_customer',
      transcript: expect.stringContaining("AI: At ten o'clock."),
    })
    expect((await by.json('messaging senders --status all'))[0].status).toBe('offline')
    const kinds = (await by.json('events list')).map((it: { kind: string }) => it.kind)
    for (const kind of ['conversation.started', 'call.ended', 'message.status', 'conversation.ended'])
      expect(kinds).toContain(kind)
  })

  test('with an unknown step, or two at once, is refused before anything happens', async () => {
    const by = operator()
    for (const steps of ['[{"dance": {}}]', '[{"advance": "5m", "payment": {}}]', '[{}]', '[]'])
      expect((await by.run(['server', 'simulate', 'run', '--steps', steps])).exitCode, steps).toBe(6)
    expect(await by.json('events list')).toEqual([])
  })
})

describe('events list', () => {
  test('prints the newest events in chronological order', async () => {
    const by = operator()
    for (let n = 0; n < 5; n++) await by.json(`conversations start --assistant 1`)
    const ids = async (flags: string) => (await by.json(`events list ${flags}`)).map((it: { id: number }) => it.id)
    const all = await ids('--all')
    expect(all).toEqual([...all].sort((a, b) => a - b))
    expect(await ids('--limit 3')).toEqual(all.slice(-3))
    expect(await ids('--limit 1200')).toEqual(all)
    expect(await ids('--most 2')).toEqual(all.slice(-2))
    expect(await by.run('events list --limit 2 -o id')).toMatchObject({ stdout: `${all.slice(-2).join('\n')}\n` })
  })

  test('--follow runs until it is stopped, or with --limit until that many new events happened', async () => {
    const by = operator()
    await by.json('conversations start --assistant 1')
    const before = await by.json('events list')
    const stop = new AbortController()
    let ended = false
    const all = by.run('events list --follow -o ndjson', { interrupt: stop }).finally(() => (ended = true))
    let isLimitReached = false
    const two = by.run('events list --follow --limit 2 -o ndjson').finally(() => (isLimitReached = true))
    // Until both were seen: on a busy machine the first read of the second may come after several events.
    while (!isLimitReached) await by.json('conversations start --assistant 1')
    const limited = await two
    expect(limited.stdout.trim().split('\n')).toHaveLength(2)
    for (const line of limited.stdout.trim().split('\n'))
      expect(before.map((it: { id: number }) => it.id)).not.toContain(JSON.parse(line).id)
    expect(ended).toBe(false)
    stop.abort(130)
    const stopped = await all
    expect(stopped.exitCode).toBe(130)
    expect(stopped.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(before.length)
  })
})

describe('a delivery that is attempted when time is advanced', () => {
  test('is printed as failed with its error, not as done', async () => {
    const by = operator()
    const hooks = await webhookReceiver()
    await by.run(`assistants enable-webhook 1 --event conversation-ended --webhook-url ${hooks.url}/ended`)
    await by.run('events fire conversation-ended --assistant 1')
    const { stderr } = await by.run('server clock until delivery')
    expect(stderr).toMatch(
      /^Failed: delivery 2, attempt 2: Requests to 127\.0\.0\.1 are not allowed: .*private network\. .*--allow-private, due 2026-/,
    )
    expect(stderr).not.toContain('Done: delivery')
  })

  test('is printed with the response to each attempt, in order', async () => {
    const notes: string[] = []
    const tries = [
      { number: 1, status: 500, error: null },
      { number: 2, status: 503, error: null },
      { number: 3, status: 204, error: null },
    ]
    const context = {
      call: async () => ({ data: { tries } }),
      notes: { note: async (text: string) => void notes.push(text) },
    }
    const work = (kind: string) => ({ kind, subject: '2', due_at: 'T' })
    await printJobs(context as never, [work('delivery'), work('call'), work('delivery')])
    expect(notes).toEqual([
      'Failed: delivery 2, attempt 2: HTTP 503, due T',
      'Done: call 2, due T',
      'Done: delivery 2, attempt 3: HTTP 204, due T',
    ])
  })
})

describe('the clock', () => {
  test('advances to a time, to the next due job, or to a job of one kind', async () => {
    const by = operator()
    const { now, done } = await by.json('server clock until subscription')
    expect(done.map((it: { kind: string }) => it.kind)).toContain('subscription')
    expect(Date.parse(now)).toBeGreaterThan(Date.parse('2026-08-04T12:00:00Z'))
    expect((await by.json('server clock until 2027-06-01T09:00:00Z')).now).toBe('2027-06-01T09:00:00.000000Z')
    expect((await by.run('server clock until 2020-01-01T00:00:00Z')).exitCode).toBe(6)
    expect((await by.run('server clock until moon.rise')).exitCode).toBe(5)
  })
})

describe('events fire', () => {
  test('also accepts the names for enabling webhooks, and lists the events for an unknown one', async () => {
    const by = operator()
    await by.run(
      'assistants enable-webhook Recall --event conversation-ended --webhook-url https://hooks.example/ended',
    )
    const fired = await by.json('events fire conversation-ended --assistant Recall')
    expect(fired).toMatchObject({ kind: 'conversation_ended', holder: 'webhook' })
    const { exitCode, stderr } = await by.run('events fire call_over --assistant Recall')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('Events: post_call, inbound, conversation, conversation_ended.'),
    ])
  })

  test('reaches listeners although no automation or webhook receives the event', async () => {
    const by = operator()
    const { ended } = await listens(by, '--print --limit 1 -o ndjson')
    const fired = await by.run('events fire post_call --assistant Recall')
    expect(fired).toMatchObject({ exitCode: 0, stdout: 'No automation or webhook receives this event.\n' })
    expect(JSON.parse((await ended).stdout)).toMatchObject({ kind: 'fired.post_call' })
  })
})

/** Starts `events listen`; resolves once it hears what happens from now on. */
async function listens(
  by: Operator,
  flags: string,
  interrupt = new AbortController(),
): Promise<{ readonly ended: Promise<Run> }> {
  let hears: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    hears = resolve
  })
  const ended = by.run(`events listen ${flags}`, {
    interrupt,
    through: async (handle, request) => {
      const answer = await handle(request)
      // The first page tells where the events of before end.
      if (request.url.includes('/events/signed')) hears()
      return answer
    },
  })
  await Promise.race([ready, ended])
  return { ended }
}

describe('events listen', () => {
  test('prints new events with a checked signature', async () => {
    const by = operator({ clock: 'real' })
    await by.run('server simulate message --sender 1 --from +14155550142 --text before')
    const listening = await listens(by, '--print --limit 1 --kind conversation.ended')
    const [chat] = await by.json('conversations list --type widget --limit 1')
    expect((await by.run(`server simulate end --conversation ${chat.id}`)).exitCode).toBe(0)
    const ran = await listening.ended
    expect(ran.exitCode).toBe(0)
    expect(ran.stdout).toMatch(new RegExp(`^conversation\\.ended {2}signature valid {2}.*${chat.id}.*\\n$`))
  })

  test('ends with 130 on Ctrl-C, as other commands that follow', async () => {
    const interrupt = new AbortController()
    const { ended } = await listens(operator(), '--print', interrupt)
    interrupt.abort(130)
    expect((await ended).exitCode).toBe(130)
  })

  test('forwards each event with a signature that any receiver can check', async () => {
    const { url, received } = await webhookReceiver()
    const by = operator({ clock: 'real' })
    const listening = await listens(by, `--forward-to ${url}/hooks --limit 1 -o ndjson --kind call.ended`)
    await by.run(
      'server simulate call --phone-number +14155550142 --assistant Recall --direction outbound --status busy',
    )
    await by.run('server clock advance 5m')
    const ran = await listening.ended
    expect(JSON.parse(ran.stdout)).toMatchObject({
      kind: 'call.ended',
      genuine: true,
      status: 200,
      payload: { status: 'busy' },
    })
    const { secret } = await by.json('server webhooks secret')
    expect(received[0]?.path).toBe('/hooks')
    expect(verify(secret, received[0] as never, today)).toMatchObject({ status: 'busy' })
  })

  test.each(['', '--forward-to nowhere'])('is refused with missing or conflicting flags (%j)', async (flags) => {
    const { exitCode, stderr } = await operator().run(`events listen ${flags}`)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(flags === '' ? 'Missing --print, --forward-to or --record.' : 'Invalid --forward-to URL')
  })
})

describe('server requests', () => {
  test('shows the requests to a server with secrets masked, filtered, as curl, and until they are cleared', async () => {
    const by = operator({ clock: 'real' })
    const interrupt = new AbortController()
    const serving = by.run('server start --port 0', { interrupt })
    await expect.poll(async () => (await by.run('server status --json')).stdout.includes('"url": "http')).toBe(true)
    await by.run('tools get 99')
    const headers = '[{"name":"X-Api-Key","value":"hush-hush"}]'
    await by.run(
      `tools create --name weather --description "Tell it" --endpoint https://weather.example --method GET --headers '${headers}'`,
    )
    // The log is written beside the answers.
    await expect.poll(async () => (await by.run('server requests --method POST --json')).stdout).toContain('201')
    const all = await by.json('server requests')
    expect(all.map((it: { method: string; status: number }) => `${it.method} ${it.status}`)).toEqual(
      expect.arrayContaining(['POST 201']),
    )
    expect(JSON.stringify(all)).not.toMatch(/hush-hush|Bearer \d+\|/)
    expect(all.every((it: { path: string }) => it.path.startsWith('/api/'))).toBe(true)
    for (const request of await by.json('server requests --status 4xx')) expect(request.status).toBe(404)
    const newest = async (flags: string): Promise<number[]> =>
      (await by.json(`server requests --path /tools ${flags}`)).map((it: { id: number }) => it.id)
    const tools = await newest('')
    expect(tools.length).toBeGreaterThan(1)
    expect(await newest('--limit 1')).toEqual(tools.slice(-1))
    expect(await newest('--most 1')).toEqual(tools.slice(-1))
    expect(await by.run('server requests --limit 1001')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Invalid --limit "1001". The maximum is 1000.'),
    })
    expect((await by.run('server requests --method POST --curl')).stdout).toMatch(
      /^curl -X POST .*\/api\/user\/tools' \\\n.*\$PARLEY_API_KEY/,
    )
    const following = by.run('server requests --follow --path /user/me --limit 1')
    await by.run('whoami')
    expect((await following).stdout).toMatch(/GET \/api\/user\/me {2}200/)
    expect((await by.run('messaging send --sender 1 --template opening_hours --to +14155550142 --yes')).exitCode).toBe(
      0,
    )
    await expect
      .poll(async () => (await by.run('server requests --path messaging/send --json')).stdout)
      .toContain('142')
    const shown = (await by.run('server requests --path messaging/send --json')).stdout
    expect([shown.includes('+14…142'), shown.includes('14155550142')]).toEqual([true, false])
    expect((await by.run('server requests --path messaging/send --unmask --json')).stdout).toContain('+14155550142')
    expect(statSync(join(by.dataDir, 'requests.ndjson')).mode & 0o777).toBe(0o600)
    const purged = await by.json('server purge --older-than 0s --yes')
    expect(purged.requests).toBeGreaterThan(1)
    expect((await by.json('server requests')).length).toBeLessThan(purged.requests)
    interrupt.abort(143)
    await serving
  })
})

describe('server purge', () => {
  test('asks for confirmation, and deletes everything older than the given age', async () => {
    const by = operator()
    await by.run('numbers buy +15005550006 --yes')
    await by.run('assistants enable-webhook Recall --event post-call --webhook-url https://hooks.invalid')
    await by.run('events fire post_call --assistant Recall')
    for (const time of ['30s', '60s', '120s']) await by.run(`server clock advance ${time}`)
    expect(await by.json('server deliveries list --failed')).toHaveLength(2)
    expect((await by.run('server purge')).exitCode).toBe(10)
    // The failed delivery of the sample data is three hours old.
    expect(await by.json('server purge --older-than 1h --yes')).toMatchObject({ deliveries: 1, spends: 0 })
    expect(await by.json('server purge --older-than 1h --yes')).toMatchObject({ deliveries: 0, spends: 0 })
    by.wait(3_700_000)
    expect(await by.json('server purge --older-than 1h --yes')).toMatchObject({ deliveries: 1, spends: 1 })
    expect(await by.json('server deliveries list')).toEqual([])
    expect(await by.json('ops list')).toEqual([])
  })
})

test('numbers are shortened in the output of --debug', async () => {
  const { stderr } = await operator().run(
    'messaging send --sender 1 --template opening_hours --to +14155550142 --debug',
  )
  const shown = stderr.split('\n').filter((line) => /^[<>]/.test(line))
  expect(shown.join('\n')).toContain('+14…142')
  expect(shown.join('\n')).not.toContain('14155550142')
})
