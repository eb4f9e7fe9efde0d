import { describe, expect, test } from 'vitest'
import type { AutomationPorts } from '../../../../src/engine/pieces/ports.ts'
import type { SheetRow } from '../../../../src/engine/ports.ts'
import { databases, sqlite } from '../../../support/databases.ts'
import { code, delay, event, every, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const echo = { trigger: hook, steps: [respond('{{trigger}}')] }
const minute = 60_000

describe.each(databases)('triggers of automations on $name', (database) => {
  const sheet: SheetRow[] = [{ number: 2, values: { phone: '+1' } }]
  const sheets = {
    rows: async (_: number, __: unknown, after: number, limit: number) =>
      sheet.filter((row) => row.number > after).slice(0, limit),
  }
  const platform = automationPlatform(database, {
    automationPorts: { sheets: sheets as unknown as AutomationPorts['sheets'] },
  })

  const newest = async (by: { id: number; key: string }, id: string) => (await platform.runs(by, id)).body.runs[0]

  test('a webhook starts a run, with every method and body format', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: echo })
    const id = body.automation_id
    const answer = await platform.call(id, '/sync?a=1', { x: [1] }, { method: 'PUT', headers: { 'x-one': 'two' } })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({
      method: 'PUT',
      queryParams: { a: '1' },
      headers: { 'x-one': 'two' },
      body: { x: [1] },
    })
    expect(answer.headers['x-webhook-id']).toMatch(/^\w{21}$/)
    for (const method of ['GET', 'DELETE', 'PATCH'])
      expect(JSON.parse((await platform.call(id, '/sync', undefined, { method })).body)).toMatchObject({
        method,
        body: {},
      })
    const raw = (type: string, text: string) =>
      platform.api().platform.handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${id}/sync`,
        headers: { 'content-type': type },
        body: text,
      })
    expect(JSON.parse((await raw('application/x-www-form-urlencoded', 'a=1&b=x+y')).body).body).toEqual({
      a: '1',
      b: 'x y',
    })
    expect(JSON.parse((await raw('text/plain', 'hello')).body).body).toBe('hello')
    expect((await raw('application/json', '{broken')).status).toBe(400)
  })

  test('an asynchronous webhook call is saved before the response', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 1 })] },
    })
    const { status, headers, body: text } = await platform.call(body.automation_id, '', { x: 1 })
    expect([status, text]).toEqual([200, '{}'])
    expect((await platform.runs(by, body.automation_id, `?run_id=${headers['x-webhook-id']}`)).body.run).toMatchObject({
      id: headers['x-webhook-id'],
      testing: false,
    })
  })

  test('the same webhook call with an Idempotency-Key starts one run', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: echo })
    const send = (key: string) => platform.call(body.automation_id, '', {}, { headers: { 'idempotency-key': key } })
    const [first, again, other] = [await send('a'), await send('a'), await send('b')]
    expect(again.headers['x-webhook-id']).toBe(first.headers['x-webhook-id'])
    expect(other.headers['x-webhook-id']).not.toBe(first.headers['x-webhook-id'])
  })

  test('unknown webhook URLs are not found, and too many requests are refused', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: echo })
    expect((await platform.call('nobody')).status).toBe(410)
    expect((await platform.call(body.automation_id, '/other')).status).toBe(404)
    expect((await platform.call('/automate/api/v1/elsewhere')).status).toBe(404)
    expect((await platform.call(body.automation_id, '', 'x'.repeat(5 * 1024 * 1024))).status).toBe(413)
    await platform.update(by, body.automation_id, { enabled: false })
    expect((await platform.call(body.automation_id, '/sync')).status).toBe(404)
  })

  test('a flow without a response is reported as such, a failed one as failed', async () => {
    const by = await platform.owner()
    const silent = await platform.create(by, { flow: { trigger: hook, steps: [code('1')] } })
    expect(await platform.call(silent.body.automation_id, '/sync')).toMatchObject({ status: 204, body: '' })
    const failing = await platform.create(by, {
      flow: { trigger: hook, steps: [code('inputs.x.length', { x: "{{trigger['body']['x']}}" })] },
      sample: { x: 'a' },
    })
    expect(failing.body.status).toBe('active')
    await platform.update(by, failing.body.automation_id, {
      flow: {
        trigger: hook,
        steps: [code("inputs.x === 'fail' ? nothing.at.all : 1", { x: "{{trigger['body']['x']}}" })],
      },
    })
    expect((await platform.call(failing.body.automation_id, '/sync', { x: 'fail' })).status).toBe(500)
  })

  test.each([
    [
      'basic',
      { username: 'ada', password: 'pw' },
      { authorization: `Basic ${Buffer.from('ada:pw').toString('base64')}` },
    ],
    ['header', { headerName: 'X-Token', headerValue: 'let-me-in' }, { 'x-token': 'let-me-in' }],
  ])('a webhook with %s credentials refuses calls without them', async (authType, authFields, headers) => {
    const by = await platform.owner()
    const trigger = { ...hook, settings: { ...hook.settings, input: { authType, authFields } } }
    const { body } = await platform.create(by, { flow: { trigger, steps: [respond({ ok: true })] } })
    expect(body.status).toBe('active')
    expect((await platform.call(body.automation_id, '/sync')).status).toBe(401)
    expect((await platform.call(body.automation_id, '')).status).toBe(401)
    expect((await platform.call(body.automation_id, '/sync', {}, { headers })).status).toBe(200)
    expect((await platform.runs(by, body.automation_id)).body.runs).toHaveLength(2)
  })

  test('a payload sent to the test URL is the sample of later tests', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: echo })
    expect((await platform.call(body.automation_id, '/test', { saved: true })).status).toBe(200)
    expect((await platform.update(by, body.automation_id, { flow: echo })).body.response).toMatchObject({
      body: { saved: true },
    })
  })

  test('a run that responds and waits for a callback resumes once with its payload', async () => {
    const by = await platform.owner()
    const ask = {
      ...respond({ say: 'call me' }),
      settings: { ...respond({ say: 'call me' }).settings, actionName: 'return_response_and_wait_for_next_webhook' },
    }
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [ask, respond({ got: "{{step_1['body']['n']}}" })] },
    })
    expect(body.test.run_status).toBe('PAUSED')
    const first = await platform.call(body.automation_id, '/sync', {})
    expect(JSON.parse(first.body)).toEqual({ say: 'call me' })
    const url = new URL(first.headers['x-engine-resume-webhook-url'] ?? '')
    const second = await platform.call(`${url.pathname}/sync`, '', { n: 7 })
    expect(JSON.parse(second.body)).toEqual({ got: 7 })
    const again = await platform.call(url.pathname, '', { n: 8 })
    expect([again.status, JSON.parse(again.body).message]).toEqual([
      409,
      'This resume URL has already been used. Each URL resumes its run once.',
    ])
    expect(
      (await platform.runs(by, body.automation_id, `?run_id=${first.headers['x-webhook-id']}`)).body.run.status,
    ).toBe('SUCCEEDED')
  })

  test('an event of the bound assistant starts a run, with its payload', async () => {
    const by = await platform.owner({ variables: { first_name: 'Ada' } })
    const flow = (source: string) => ({
      trigger: event('phoneCallEnded'),
      steps: [
        code(source, { of: "{{trigger['customer_phone']}}", name: "{{trigger['input_variables']['first_name']}}" }),
      ],
    })
    const { body } = await platform.create(by, { flow: flow('inputs'), assistant_id: by.assistant })
    const tested = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select('output')
      .where('account_id', '=', by.id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(tested.output ?? '')).toEqual({ of: expect.stringMatching(/^\+/), name: 'Ada' })
    const fired = await platform.fire(by, 'post_call', by.assistant, {
      payload: { customer_phone: '+15005550177', input_variables: {} },
      key: 'call-1',
    })
    expect(fired.body.data).toEqual({
      kind: 'post_call',
      assistant_id: by.assistant,
      holder: 'automation',
      target: body.automation_id,
      run_id: expect.any(String),
      variables: null,
    })
    expect((await platform.fire(by, 'post_call', by.assistant, { key: 'call-1' })).body.data.run_id).toBeNull()
    expect((await platform.fire(by, 'conversation', by.assistant)).body.data.holder).toBeNull()
    await platform.update(by, body.automation_id, { enabled: false })
    expect((await platform.fire(by, 'post_call', by.assistant)).body.data).toMatchObject({
      holder: 'automation',
      run_id: null,
    })
  })

  test('the end of a conversation starts a run with the payload of the webhook', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('inputs.id', { id: "{{trigger['body']['conversation_id']}}" })] },
      bind_webhook: 'conversation_ended',
      assistant_id: by.assistant,
    })
    const { body: fired } = await platform.fire(by, 'conversation_ended', by.assistant, {
      payload: { conversation_id: 'c-1' },
    })
    expect(fired.data.target).toBe(body.automation_id)
    await platform.api().platform.due.drain()
    const rows = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select('output')
      .where('account_id', '=', by.id)
      .orderBy('run', 'desc')
      .execute()
    expect(rows[0]?.output).toBe('"c-1"')
  })

  test('a schedule runs at its times in its zone only', async () => {
    const by = await platform.owner()
    platform.time.ms = Date.UTC(2027, 2, 27, 6)
    const { body } = await platform.create(by, {
      flow: {
        trigger: every('every_day', { hour_of_the_day: 9, timezone: 'Europe/Paris', run_on_weekends: true }),
        steps: [code('inputs', { zone: '{{trigger.timezone}}' })],
      },
    })
    const id = body.automation_id
    await platform.wait(2 * 3600_000 - 1)
    expect(await newest(by, id)).toBeUndefined()
    await platform.wait(1)
    expect(await newest(by, id)).toMatchObject({ status: 'SUCCEEDED', start_time: '2027-03-27T08:00:00.000Z' })
    // The clocks go forward that night: nine in the morning comes an hour earlier.
    await platform.wait(23 * 3600_000)
    expect(await newest(by, id)).toMatchObject({ start_time: '2027-03-28T07:00:00.000Z' })
    // Missed times are skipped.
    await platform.wait(10 * 24 * 3600_000)
    expect((await platform.runs(by, id)).body.runs).toHaveLength(3)
  })

  describe.each(['freeze', 'resume'])('a schedule while time is advanced (%s)', (how) => {
    const turned = async (by: { id: number; key: string }, trigger: object, more: object) => {
      await platform.api().control('POST', `/control/clock/${how}`, {})
      const { body } = await platform.create(by as never, { flow: { trigger, steps: [code('1')] } })
      const answer = await platform.api().control('POST', '/control/clock/advance', more)
      const done = (answer.body.done ?? []).filter(
        (one: { kind: string; subject: string }) =>
          one.kind === 'automation.schedule' && one.subject === body.automation_id,
      )
      await platform.update(by as never, body.automation_id, { enabled: false })
      const { runs } = (await platform.runs(by as never, body.automation_id, '?limit=20')).body
      await platform.api().control('POST', '/control/clock/resume', {})
      return {
        status: answer.status,
        message: answer.body.message,
        due: done.map((one: { due_at: string }) => one.due_at),
        runs,
      }
    }

    test('starts a run for each period that passed, in order and at its own time', async () => {
      const by = await platform.owner()
      const { due, runs } = await turned(by, every('every_x_minutes', { minutes: 5 }), { by: '1h' })
      expect(due).toHaveLength(12)
      expect(due).toEqual([...due].sort())
      expect(runs.map((one: { start_time: string }) => one.start_time)).toEqual(
        due.map((one: string) => one.replace(/\d{3}Z$/, 'Z')).reverse(),
      )
      expect(new Set(runs.map((one: { status: string }) => one.status))).toEqual(new Set(['SUCCEEDED']))
    })

    test('runs once a day if it is daily', async () => {
      const by = await platform.owner()
      const daily = every('every_day', { hour_of_the_day: 9, timezone: 'Europe/Paris', run_on_weekends: true })
      expect((await turned(by, daily, { by: '3d' })).runs).toHaveLength(3)
    })

    test('runs once for all missed times with coalesce', async () => {
      const by = await platform.owner()
      expect(
        (await turned(by, every('every_x_minutes', { minutes: 5 }), { by: '30d', coalesce: true })).runs,
      ).toHaveLength(1)
    })

    test('is refused more than a thousand runs, and nothing runs', async () => {
      const by = await platform.owner()
      const { status, message, runs } = await turned(by, every('every_x_minutes', { minutes: 1 }), { by: '30d' })
      expect([status, message]).toEqual([422, 'Advancing this far would start more than 1000 scheduled runs.'])
      expect(runs).toEqual([])
    })
  })

  test('a schedule that was replaced or disabled does not run again', async () => {
    const by = await platform.owner()
    const flow = (minutes: number) => ({ trigger: every('every_x_minutes', { minutes }), steps: [code('1')] })
    const { body } = await platform.create(by, { flow: flow(1) })
    const id = body.automation_id
    await platform.wait(minute)
    await platform.update(by, id, { flow: flow(30) })
    await platform.wait(minute)
    await platform.wait(minute)
    expect((await platform.runs(by, id)).body.runs).toHaveLength(1)
    await platform.update(by, id, { enabled: false })
    await platform.wait(60 * minute)
    expect((await platform.runs(by, id)).body.runs).toHaveLength(1)
  })

  test('a polling trigger starts one run per new item, and none for earlier items', async () => {
    const by = await platform.owner()
    await platform.connect(by, 'spreadsheet')
    const trigger = {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: {
        pieceName: '@engine/piece-spreadsheet',
        triggerName: 'new_row_added',
        input: { spreadsheet_id: 's' },
      },
    }
    const { body } = await platform.create(by, {
      flow: { trigger, steps: [code('inputs.phone', { phone: '{{trigger.values.phone}}' })] },
    })
    const id = body.automation_id
    await platform.wait(minute)
    sheet.push({ number: 3, values: { phone: '+2' } }, { number: 4, values: { phone: '+3' } })
    await platform.wait(5 * minute)
    await platform.wait(5 * minute)
    const rows = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select('output')
      .where('account_id', '=', by.id)
      .orderBy('run')
      .execute()
    expect(rows.map((row) => row.output)).toEqual(['"+2"', '"+3"'])
    expect((await platform.runs(by, id)).body.runs).toHaveLength(2)
  })

  test('retrying a run that failed in a loop continues in that iteration, with the outputs of the other iterations', async () => {
    const by = await platform.owner()
    const asks = { ...http('POST', "https://retry.test/{{each['item']}}"), name: 'ask' }
    const loop = {
      type: 'LOOP_ON_ITEMS',
      name: 'each',
      settings: { items: "{{trigger['body']['list']}}" },
      firstLoopAction: asks,
    }
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [loop, code('inputs.turns.length', { turns: '{{each.iterations}}' })] },
      sample: { list: [] },
      confirm_side_effects: true,
    })
    platform.answers.set('https://retry.test/b', { status: 503, body: {} })
    const { headers } = await platform.call(body.automation_id, '/sync', { list: ['a', 'b', 'c'] })
    const run = headers['x-webhook-id'] ?? ''
    const failed = (await platform.runs(by, body.automation_id, `?run_id=${run}`)).body.run
    expect(failed.status).toBe('FAILED')
    expect(failed.steps[0]).toMatchObject({
      name: 'each',
      status: 'FAILED',
      error: expect.stringContaining('Item 2 of 3 failed.'),
    })
    platform.answers.delete('https://retry.test/b')
    platform.requests.length = 0
    expect((await platform.retry(by, body.automation_id, run)).body).toMatchObject({ status: 'SUCCEEDED' })
    expect(platform.requests.map((one) => one.url)).toEqual(['https://retry.test/b', 'https://retry.test/c'])
    const done = (await platform.runs(by, body.automation_id, `?run_id=${run}`)).body.run
    expect(done.steps.map((one: { name: string; status: string }) => `${one.name} ${one.status}`)).toEqual([
      'each SUCCEEDED',
      'ask SUCCEEDED',
      'ask SUCCEEDED',
      'ask SUCCEEDED',
      'step_1 SUCCEEDED',
    ])
  })

  test('retrying a run that failed continues at that step, under a new key', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('inputs', { n: 1 }), http('POST', 'https://retry.test/note'), code('3')] },
      confirm_side_effects: true,
    })
    const id = body.automation_id
    platform.answers.set('https://retry.test/note', { status: 503, body: {} })
    const { headers } = await platform.call(id, '/sync', {})
    const run = headers['x-webhook-id'] ?? ''
    const failed = (await platform.runs(by, id, `?run_id=${run}`)).body.run
    expect(failed).toMatchObject({
      status: 'FAILED',
      steps: [{ status: 'SUCCEEDED' }, { name: 'step_2', status: 'FAILED', classification: 'wiring_error' }],
    })
    platform.answers.delete('https://retry.test/note')
    const { status, body: retried } = await platform.retry(by, id, run)
    expect([status, retried]).toEqual([
      200,
      { run_id: run, status: 'SUCCEEDED', note: 'The run resumed at the failed step and succeeded.' },
    ])
    const sent = platform.requests
      .filter((one) => one.url === 'https://retry.test/note')
      .map((one) => one.headers['Idempotency-Key'] ?? one.headers['idempotency-key'])
    expect(new Set(sent).size).toBe(3)
    expect((await platform.runs(by, id, `?run_id=${run}`)).body.run.steps).toMatchObject([
      { attempts: 1 },
      { attempts: 2, status: 'SUCCEEDED' },
      { attempts: 1 },
    ])
    expect((await platform.retry(by, id, run)).body.error).toBe('retry_no_op')
    expect((await platform.retry(by, id, 'nothing')).body).toEqual({
      message: 'Run not found for this automation',
      error: 'not_found',
    })
    await platform.fault('engine.retry', 'automate.retry_failed')
    expect((await platform.retry(by, id, run)).body.error).toBe('retry_failed')
    expect((await platform.runs(by, id, '?run_id=nothing')).body).toEqual({
      message: 'Run not found for this automation',
    })
  })
})

test('a platform that is reset with its seed runs the new definitions, although ids are reused', async () => {
  if (!sqlite) throw new Error('There is no database to test on.')
  const now = Date.UTC(2027, 2, 1, 12)
  const api = await fresh(sqlite, { seed: 7, wall: () => now })
  const build = async (key: string, said: string): Promise<string> => {
    const body = { name: 'Says', flow: { trigger: hook, steps: [respond({ said })] } }
    return (await api.ask('POST', '/api/user/automate/flows', { key, body })).body.automation_id
  }
  const call = async (id: string): Promise<string> =>
    (
      await api.platform.handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${id}/sync`,
        headers: { host: '127.0.0.1:1' },
      })
    ).body
  const first = await build((await api.control('POST', '/control/reset', { seed: 7 })).body.token, 'before')
  expect(await call(first)).toBe('{"said":"before"}')
  const again = await build((await api.control('POST', '/control/reset', { seed: 7 })).body.token, 'after')
  expect([again, await call(again)]).toEqual([first, '{"said":"after"}'])
})
