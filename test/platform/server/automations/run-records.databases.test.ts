import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, delay, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const loop = (items: string, first: object) => ({
  type: 'LOOP_ON_ITEMS',
  displayName: 'Each',
  settings: { items },
  firstLoopAction: first,
})
const router = (children: object[]) => ({
  type: 'ROUTER',
  displayName: 'Which',
  settings: {
    executionType: 'EXECUTE_FIRST_MATCH',
    branches: [
      {
        branchType: 'CONDITION',
        branchName: 'Large',
        conditions: [
          [{ firstValue: "{{trigger['body']['size']}}", operator: 'NUMBER_IS_GREATER_THAN', secondValue: '10' }],
        ],
      },
      { branchType: 'FALLBACK', branchName: 'Small' },
    ],
  },
  children,
})

describe.each(databases)('runs of all automations on $name', (database) => {
  const platform = automationPlatform(database)
  const list = ({ key }: Owner, query = '') => platform.api().ask('GET', `/api/user/automate/runs${query}`, { key })
  const get = async ({ key }: Owner, run: string, query = '') =>
    (await platform.api().ask('GET', `/api/user/automate/runs/${run}${query}`, { key })).body.data
  const failing = { trigger: hook, steps: [code('inputs.a.b.c', { a: "{{trigger['body']['x']}}" })] }

  async function called(id: string, body: object, suffix = ''): Promise<string> {
    const { headers } = await platform.call(id, suffix, body)
    await platform.wait(0)
    return headers['x-webhook-id'] as string
  }

  test('are summed up in the list of automations: the newest live run, and how many failed', async () => {
    const by = await platform.owner()
    const created = async (name: string, flow: object): Promise<string> =>
      (await platform.create(by, { name, flow, sample: { x: { b: 1 } } })).body.automation_id
    const never = await created('Never', failing)
    const good = await created('Good', { trigger: hook, steps: [respond({ a: 1 })] })
    const bad = await created('Bad', failing)
    for (const id of [good, bad, bad]) await called(id, {})
    const run = await called(bad, { x: { b: 1 } })
    const last = await called(bad, {})
    const listed = async (headers: Record<string, string>) =>
      (await platform.api().ask('GET', '/api/user/automate/flows', { key: by.key, headers })).body.data
    const rows = await listed({ 'parley-details': 'full' })
    const rowOf = (id: string) => rows.find((row: { id: string }) => row.id === id)
    expect([never, good, bad].map((id) => [rowOf(id).recent_failures, rowOf(id).recent_runs])).toEqual([
      [0, 0],
      [0, 1],
      [3, 4],
    ])
    expect(rowOf(bad).last_run).toMatchObject({
      id: last,
      status: 'FAILED',
      error: expect.stringContaining('TypeError'),
    })
    expect(rowOf(never).last_run).toBeNull()
    expect(run).not.toBe(last)
    for (const row of await listed({})) expect(Object.keys(row)).toEqual(['id', 'name', 'status', 'binding'])
  })

  test('are listed newest first, with filters and pages', async () => {
    const by = await platform.owner()
    const good = (await platform.create(by, { name: 'Good', flow: { trigger: hook, steps: [respond({ a: 1 })] } })).body
      .automation_id
    platform.time.ms += 60_000
    const bad = (await platform.create(by, { name: 'Bad', flow: failing, sample: { x: { b: 1 } } })).body.automation_id
    const since = new Date(platform.time.ms + 1000).toISOString()
    platform.time.ms += 60_000
    const [first, second] = [await called(good, {}), await called(bad, {})]
    const { status, body } = await list(by)
    expect(status).toBe(200)
    expect(
      body.data.map((run: { automation_name: string; testing: boolean; status: string }) => [
        run.automation_name,
        run.testing,
        run.status,
      ]),
    ).toEqual([
      ['Bad', false, 'FAILED'],
      ['Good', false, 'SUCCEEDED'],
      ['Bad', true, 'SUCCEEDED'],
      ['Good', true, 'SUCCEEDED'],
    ])
    expect(body.data[0]).toMatchObject({
      id: second,
      automation_id: bad,
      version: 1,
      error: expect.stringContaining('TypeError'),
      duration_ms: expect.any(Number),
    })
    expect(body.next_cursor).toBeNull()
    const ids = async (query: string) => (await list(by, query)).body.data.map((run: { id: string }) => run.id)
    expect(await ids('?test=false')).toEqual([second, first])
    expect(await ids(`?automation_id=${good}&test=false`)).toEqual([first])
    expect(await ids('?status=FAILED')).toEqual([second])
    expect(await ids(`?since=${since}`)).toEqual([second, first])
    expect(await ids(`?until=${since}`)).toHaveLength(2)
    const page = (await list(by, '?limit=3')).body
    expect(page.data).toHaveLength(3)
    expect(await ids(`?limit=3&cursor=${page.next_cursor}`)).toEqual([body.data[3].id])
    expect((await list(by, '?since=yesterday')).status).toBe(422)
    expect((await list(await platform.owner())).body.data).toEqual([])
  })

  test('have input and output of each step, and the line of code that failed', async () => {
    const by = await platform.owner()
    const source = 'export const code = async (inputs) => {\n  const a = inputs.a\n  return a.missing.field\n}'
    const broken = {
      type: 'CODE',
      displayName: 'Compute',
      settings: { sourceCode: { code: source, packageJson: '{}' }, input: { a: "{{trigger['body']}}" } },
    }
    const id = (
      await platform.create(by, {
        flow: { trigger: hook, steps: [code('inputs.n + 1', { n: "{{trigger['body']['n']}}" }), broken] },
        sample: { n: 1 },
      })
    ).body.automation_id
    await platform.update(by, id, { enabled: true })
    const run = await get(by, await called(id, { n: 41 }))
    expect(run).toMatchObject({
      automation_name: 'Flow',
      status: 'FAILED',
      testing: false,
      version: 1,
      trigger: { body: { n: 41 } },
      response: null,
      shortened: false,
    })
    expect(run.steps).toMatchObject([
      {
        name: 'step_1',
        path: 'step_1',
        type: 'CODE',
        status: 'SUCCEEDED',
        attempts: 1,
        input: { n: 41 },
        output: 42,
        error: null,
        duration_ms: expect.any(Number),
      },
      {
        name: 'step_2',
        status: 'FAILED',
        input: { a: { n: 41 } },
        output: null,
        error_line: { number: 3, text: 'return a.missing.field' },
      },
    ])
    expect((await get(by, run.id, '?step=step_2')).steps).toMatchObject([{ name: 'step_2' }])
    const other = await platform.owner()
    expect((await platform.api().ask('GET', `/api/user/automate/runs/${run.id}`, { key: other.key })).body).toEqual({
      message: 'Run not found',
    })
  })

  test('have the branch of a router, the items of a loop, and when a waiting step continues', async () => {
    const by = await platform.owner()
    const steps = [
      { ...router([code('"large"'), code('"small"')]), name: 'which' },
      {
        ...loop("{{trigger['body']['items']}}", {
          ...code('inputs.item * 2', { item: "{{each['item']}}" }),
          name: 'double',
        }),
        name: 'each',
      },
      { ...delay({ unit: 'hours', delayFor: 1 }), name: 'wait' },
    ]
    const id = (await platform.create(by, { flow: { trigger: hook, steps }, sample: { size: 1, items: [] } })).body
      .automation_id
    const run = await get(by, await called(id, { size: 20, items: [3, 4] }))
    const step = (path: string) => run.steps.find((one: { path: string }) => one.path === path)
    expect(run.status).toBe('PAUSED')
    expect(step('which')).toMatchObject({ branches: ['Large'] })
    expect(step('each').iterations).toEqual([
      { index: 1, item: 3, status: 'SUCCEEDED' },
      { index: 2, item: 4, status: 'SUCCEEDED' },
    ])
    expect(step('each[2]/double')).toMatchObject({ input: { item: 4 }, output: 8 })
    expect(step('wait')).toMatchObject({
      status: 'PAUSED',
      wakes_at: new Date(platform.time.ms + 3600_000).toISOString(),
      duration_ms: null,
    })
  })

  test('show no secret from any source', async () => {
    const by = await platform.owner()
    await platform.api().control('POST', `/control/accounts/${by.id}/connections`, {
      kind: 'mail',
      secret: { token: 'connected-secret-1' },
    })
    platform.answers.set('https://a.test/echo', {
      status: 200,
      body: { said: 'Bearer header-secret-1 and connected-secret-1', password: 'other-secret-1' },
    })
    const steps = [
      http('GET', 'https://a.test/echo', {
        headers: { Authorization: 'Bearer header-secret-1', 'x-other': "{{connections['mail']['token']}}" },
      }),
      code('(console.log(inputs.all), { again: inputs.all })', {
        all: "{{step_1['body']['said']}}",
        from: "{{connections['mail']['token']}}",
      }),
      respond({ given: "{{step_1['body']['said']}}" }),
    ]
    const id = (await platform.create(by, { flow: { trigger: hook, steps } })).body.automation_id
    const run = await called(id, { api_key: 'caller-secret-1' })
    for (const query of ['', '?full=true']) {
      const text = JSON.stringify(await get(by, run, query))
      expect(text).toContain('••• hidden')
      expect(text).not.toMatch(/header-secret-1|connected-secret-1|other-secret-1|caller-secret-1/)
    }
    const stored = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select(['input', 'shown', 'log'])
      .where('account_id', '=', by.id)
      .execute()
    expect(JSON.stringify(stored)).not.toMatch(/header-secret-1|connected-secret-1/)
  })

  test('have the errors of earlier attempts, without secrets, after a retry that succeeded', async () => {
    const by = await platform.owner()
    const url = `https://a.test/${by.id}`
    const answer = (status: number, said: string) => platform.answers.set(url, { status, body: said })
    answer(200, 'fine')
    const settings = (step: ReturnType<typeof http>) => ({
      ...step,
      settings: { ...step.settings, errorHandlingOptions: { retryOnFailure: { value: true } } },
    })
    const steps = [settings(http('GET', url, { headers: { Authorization: 'Bearer header-secret-2' } }))]
    const id = (await platform.create(by, { flow: { trigger: hook, steps } })).body.automation_id
    await platform.update(by, id, { enabled: true })
    answer(503, 'down, header-secret-2')
    const run = await called(id, {})
    for (const seconds of [6, 12, 24]) await platform.wait(seconds * 1000)
    const [failed] = (await get(by, run)).steps
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 4, error: expect.stringContaining('503') })
    expect(failed.earlier_errors).toMatchObject([1, 2, 3].map((attempt) => ({ attempt })))
    const lastFailure = new Date(platform.time.ms).toISOString()
    platform.time.ms += 12 * 3600_000
    answer(429, 'slow down')
    await platform.retry(by, id, run)
    platform.time.ms += 60_000
    answer(200, 'fine')
    await platform.wait(0)
    const [step] = (await get(by, run)).steps
    expect(step).toMatchObject({ status: 'SUCCEEDED', attempts: 6, error: null })
    expect(step.earlier_errors.map((one: { attempt: number }) => one.attempt)).toEqual([1, 2, 3, 4, 5])
    expect(step.earlier_errors[3]).toEqual({
      attempt: 4,
      failed_at: lastFailure,
      error: expect.stringMatching(/503.*down, ••• hidden/),
    })
    expect(step.earlier_errors[4].error).toContain('429')
    expect(JSON.stringify(step)).not.toContain('header-secret-2')
  })

  test('have the first ten errors of a step that is retried often, each shortened, and its last one', async () => {
    const by = await platform.owner()
    const url = `https://a.test/long/${by.id}`
    platform.answers.set(url, { status: 200, body: 1 })
    const id = (await platform.create(by, { flow: { trigger: hook, steps: [http('GET', url)] } })).body.automation_id
    await platform.update(by, id, { enabled: true })
    const fail = (n: number) =>
      platform.answers.set(url, { status: 500, body: `try ${n} \u001e\n1 ${'x'.repeat(5000)}` })
    fail(1)
    const run = await called(id, {})
    for (let n = 2; n <= 13; n++) {
      fail(n)
      await platform.retry(by, id, run)
    }
    const [step] = (await get(by, run, '?full=true')).steps
    expect(step.attempts).toBe(13)
    expect(step.error).toContain('try 13 ')
    expect(step.earlier_errors.map((one: { attempt: number }) => one.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    step.earlier_errors.forEach((one: { error: string }, n: number) => {
      expect(one.error).toContain(`try ${n + 1} `)
      expect(one.error.length).toBeLessThanOrEqual(1000)
    })
  })

  test('shorten long values and long runs, and show them in full when asked', async () => {
    const by = await platform.owner()
    const steps = [
      code(`({ text: 'x'.repeat(5000), list: [...Array(80).keys()] })`, { long: "{{trigger['body']['long']}}" }),
    ]
    const id = (await platform.create(by, { flow: { trigger: hook, steps } })).body.automation_id
    const run = await called(id, { long: 'y'.repeat(100_000) })
    const [short] = (await get(by, run)).steps
    expect(short.output.text).toBe(`${'x'.repeat(2000)}… (3000 more characters)`)
    expect(short.output.list.at(-1)).toBe('… (30 more items)')
    expect((await get(by, run)).shortened).toBe(true)
    const whole = await get(by, run, '?full=true')
    expect(whole).toMatchObject({ shortened: false, trigger: { body: { long: 'y'.repeat(100_000) } } })
    expect(whole.steps[0].output.text).toHaveLength(5000)
    // What a step was given is stored up to a size only.
    expect(whole.steps[0].input).toMatchObject({ omitted: expect.stringContaining('100011 characters') })
  })

  test('the run of a test is named in the response, with its steps', async () => {
    const by = await platform.owner()
    const { headers, body } = await platform.create(by, { flow: failing, sample: { x: 5 } })
    expect(body.status).toBe('test_failed')
    expect(await get(by, headers['parley-run'] as string)).toMatchObject({
      testing: true,
      steps: [{ input: { a: 5 }, status: 'FAILED' }],
    })
  })

  test('the run of a draft that failed its test is shown after another update, and can be retried', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: { trigger: hook, steps: [respond({})] } })
    const staged = { 'parley-publish': 'when-tested' }
    const { headers } = await platform.update(by, body.automation_id, { flow: failing, sample: { x: 5 } }, staged)
    await platform.update(by, body.automation_id, { flow: { trigger: hook, steps: [respond({ a: 1 })] } }, staged)
    const run = headers['parley-run'] as string
    expect(await get(by, run)).toMatchObject({
      version: null,
      status: 'FAILED',
      steps: [{ display_name: 'Compute', error_line: { number: 1 } }],
    })
    expect((await platform.retry(by, body.automation_id, run)).body.status).toBe('FAILED')
    platform.time.ms += 31 * 24 * 3600_000
    await platform.api().control('POST', '/control/purge', {})
    const left = await platform
      .tables()
      .read.selectFrom('automation_version')
      .select('position')
      .where('automation_id', '=', body.automation_id)
      .execute()
    expect(left.map((row) => row.position).sort()).toEqual([1, 2])
  })

  test('a failed live run is an event; a test and a successful run are not', async () => {
    const by = await platform.owner()
    const id = (await platform.create(by, { flow: failing, sample: { x: { b: 1 } } })).body.automation_id
    await platform.update(by, id, { flow: failing, sample: { x: 1 } })
    await platform.update(by, id, { enabled: true })
    await called(id, { x: { b: 1 } })
    const run = await called(id, {})
    const events = (await platform.api().control('GET', `/control/events?account=${by.id}&kind=automation.run_failed`))
      .body.data
    expect(events).toMatchObject([
      {
        kind: 'automation.run_failed',
        subject: `run ${run}`,
        payload: {
          automation_id: id,
          automation_name: 'Flow',
          version: 2,
          run_id: run,
          status: 'FAILED',
          error: expect.stringContaining('TypeError'),
        },
      },
    ])
  })

  test('are stored for 30 days after they ended, and purged with events', async () => {
    const by = await platform.owner()
    const id = (await platform.create(by, { flow: { trigger: hook, steps: [respond({})] } })).body.automation_id
    const waiting = (
      await platform.create(by, { flow: { trigger: hook, steps: [delay({ unit: 'days', delayFor: 60 })] } })
    ).body.automation_id
    const [old, parked] = [await called(id, {}), await called(waiting, {})]
    platform.time.ms += 31 * 24 * 3600_000
    const young = await called(id, {})
    const purged = (await platform.api().control('POST', '/control/purge', {})).body
    expect(purged.runs).toBeGreaterThan(0)
    const left = (await list(by, '?limit=100')).body.data.map((run: { id: string }) => run.id)
    expect(left).toEqual([young, parked])
    expect(left).not.toContain(old)
    const steps = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select('run')
      .where('account_id', '=', by.id)
      .execute()
    expect(steps).toHaveLength(2)
  })
})
