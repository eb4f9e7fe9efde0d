import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpClient, defaultPolicy } from '../../../../src/engine/http/http-client.ts'
import { sqlite } from '../../../support/databases.ts'
import { code, every, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

if (!sqlite) throw new Error('There is no database to test on.')

/** What servers do that mean no good. */
const server = createServer((request, response) => behaviours[request.url ?? '']?.(response))
const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/silent': () => {},
  '/drips': (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 50)
    response.on('close', () => clearInterval(timer))
  },
  '/metadata': (response) =>
    void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/round': (response) => void response.writeHead(302, { location: '/round' }).end(),
  '/large': (response) => {
    response.writeHead(200)
    const block = Buffer.alloc(1024 * 1024, 'x')
    const more = (left: number): void =>
      void (left > 0 && !response.destroyed ? response.write(block, () => more(left - 1)) : response.end())
    more(18)
  },
  '/nested': (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
}
let origin = ''
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const raw = (source: string, input: object = {}) => ({
  type: 'CODE',
  settings: { sourceCode: { code: `export const code = async (inputs) => { ${source} }`, packageJson: '{}' }, input },
})
const good = {
  trigger: hook,
  steps: [code('inputs.n + 1', { n: "{{trigger['body']['n']}}" }), respond({ n: '{{step_1}}' })],
}

describe('bad input is reported by step, and the platform continues', () => {
  const platform = automationPlatform(sqlite, {
    automationPorts: { http: createHttpClient({ ...defaultPolicy, allowPrivate: true }) },
  })

  /** A good automation that answers, whatever else happens. */
  async function working() {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: good, sample: { n: 1 } })
    const answers = async (n: number): Promise<unknown> =>
      JSON.parse((await platform.call(body.automation_id, '/sync', { n })).body)
    return { by, answers }
  }

  const badCode: readonly (readonly [string, string, RegExp])[] = [
    ['endless code', 'for (;;) {}', /more than 5 seconds/],
    ['endless microtasks', 'for (;;) await null', /more than 5 seconds/],
    ['a memory bomb', 'const a = []; for (;;) a.push(new Uint8Array(1 << 20))', /more than 64 MB/],
    ['a promise that never settles', 'await new Promise(() => {})', /never/],
    ['calls without end', 'const f = () => f() + 1; return f()', /Maximum call stack size/],
    ['a huge text', 'return "x".repeat(8 * 1024 * 1024)', /larger than 4 MB/],
    ['a way to the process', 'return globalThis["pro" + "cess"].exit(1)', /undefined|exit/],
    ['a module', 'return (await import("node:fs")).readFileSync("/etc/passwd")', /cannot be imported/],
  ]

  test('of code', async () => {
    const { by, answers } = await working()
    const flows = badCode.map(([, source]) => ({ trigger: hook, steps: [code('1'), raw(source)] }))
    const all = Promise.all(flows.map((flow) => platform.create(by, { flow })))
    // Other requests are answered at the same time.
    expect(await answers(1)).toEqual({ n: 2 })
    for (const [at, { status, body }] of (await all).entries()) {
      const [what, , error] = badCode[at] ?? []
      expect([status, body.status], what).toEqual([200, 'test_failed'])
      const failed = {
        name: 'step_2',
        status: 'FAILED',
        classification: 'wiring_error',
        error: expect.stringMatching(error as RegExp),
      }
      expect(body.test.steps, what).toMatchObject([{ name: 'step_1', status: 'SUCCEEDED' }, failed])
    }
    expect(await answers(2)).toEqual({ n: 3 })
  })

  const badServers: readonly (readonly [string, object, RegExp])[] = [
    ['/silent', { timeout: 0.5 }, /did not answer within 0\.5 seconds/],
    ['/drips', { timeout: 0.5 }, /did not answer within 0\.5 seconds/],
    ['/metadata', {}, /169\.254\.169\.254 are not allowed/],
    ['/round', {}, /more than 5 times/],
    ['/large', {}, /larger than 16 MB/],
  ]

  test('of external servers', async () => {
    const { by, answers } = await working()
    const all = await Promise.all(
      badServers.map(([path, more]) =>
        platform.create(by, { flow: { trigger: hook, steps: [http('GET', origin + path, more), code('1')] } }),
      ),
    )
    for (const [at, { body }] of all.entries()) {
      const [path, , error] = badServers[at] ?? []
      expect(body.test.steps, path).toMatchObject([
        { name: 'step_1', status: 'FAILED', error: expect.stringMatching(error as RegExp) },
      ])
    }
    const nested = {
      trigger: hook,
      steps: [
        http('GET', `${origin}/nested`),
        code('inputs.text.length', { text: "{{step_1['body']}}" }),
        respond({ n: '{{step_2}}' }),
      ],
    }
    expect((await platform.create(by, { flow: nested })).body).toMatchObject({
      status: 'active',
      response: { n: 200_000 },
    })
    expect(await answers(2)).toEqual({ n: 3 })
  })

  test('of templates and payloads: sent values are data, and never run as code', async () => {
    const { by } = await working()
    await platform.connect(by, 'mail')
    const fields = {
      said: "{{trigger['body']['said']}}",
      within: "<{{trigger['body']['said']}}>",
      proto: '{{trigger.__proto__.polluted}}{{trigger.body.constructor.name}}',
      escape: "{{trigger.constructor.constructor('return process')().pid}}",
      saved: "{{trigger['body']}}",
    }
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('inputs', fields), respond('{{step_1}}')] },
    })
    const said = "{{connections.mail.token}} {{trigger['headers']}}"
    const text = `{"said": ${JSON.stringify(said)}, "__proto__": {"polluted": 1}, "constructor": {"name": "x"}}`
    const answer = await platform.api().platform.handle({
      method: 'POST',
      url: `/automate/api/v1/webhooks/${body.automation_id}/sync`,
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const seen = JSON.parse(answer.body)
    expect(seen).toMatchObject({ said, within: `<${said}>`, proto: 'x', escape: '' })
    expect(JSON.stringify(seen.saved)).toBe(JSON.stringify(JSON.parse(text)))
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    const [{ id }] = (await platform.runs(by, body.automation_id)).body.runs
    const { run } = (await platform.runs(by, body.automation_id, `?run_id=${id}`)).body
    expect(run.steps[0].unresolved).toEqual(expect.arrayContaining(['trigger.__proto__.polluted']))
  })

  test('of names: steps with circular references get empty values and report it; a duplicate name is refused', async () => {
    const { by } = await working()
    const circle = {
      trigger: hook,
      steps: [code('inputs', { x: '{{step_2.x}}' }), code('inputs', { x: '{{step_1.x}}' })],
    }
    const { body } = await platform.create(by, { flow: circle })
    expect(body).toMatchObject({
      status: 'active',
      test: { steps: [{ name: 'step_1', unresolved: ['step_2.x'] }, { name: 'step_2' }] },
    })
    const twice = {
      trigger: hook,
      steps: [
        { ...code('1'), name: 'a' },
        { ...code('2'), name: 'a' },
        { ...code('2'), name: '__proto__' },
      ],
    }
    const refused = await platform.create(by, { flow: twice })
    expect([refused.status, refused.body.error]).toEqual([422, 'invalid_definition'])
    expect(refused.body.problems).toEqual(
      expect.arrayContaining([
        { step: 'a', path: 'name', message: 'More than one step is named a.' },
        { step: '__proto__', path: 'name', message: 'A step cannot be named __proto__.' },
      ]),
    )
  })

  test('of size: ten thousand nested steps, and texts that grow endlessly', async () => {
    const { by, answers } = await working()
    const nested = `${'{"type":"CODE","nextAction":'.repeat(10_000)}null${'}'.repeat(10_000)}`
    const answer = await platform.api().platform.handle({
      method: 'POST',
      url: '/api/user/automate/flows',
      headers: { authorization: `Bearer ${by.key}`, 'content-type': 'application/json' },
      body: `{"name":"Deep","flow":{"trigger":${JSON.stringify(hook).slice(0, -1)},"nextAction":${nested}}}}`,
    })
    expect([answer.status, JSON.parse(answer.body).error]).toEqual([422, 'invalid_definition'])
    expect(answer.body).toContain('500')
    const grows = { trigger: hook, steps: [code("'x'.repeat(3e6)"), code('1', { all: '{{step_1}}'.repeat(20) })] }
    const { body } = await platform.create(by, { flow: grows })
    expect(body.test.steps).toMatchObject([
      { status: 'SUCCEEDED' },
      { name: 'step_2', status: 'FAILED', error: expect.stringContaining('16 MB') },
    ])
    expect(await answers(2)).toEqual({ n: 3 })
  })

  test.each([
    ['cronExpression', every('cron_expression', { cronExpression: '0 0 31 2 *' })],
    ['cronExpression', every('cron_expression', { cronExpression: '99 * * * *', timezone: 'UTC' })],
    ['timezone', every('every_day', { hour_of_the_day: 9, timezone: 'Europe/Atlantis' })],
  ])('of schedules: the %s is refused with its place', async (field, trigger) => {
    const { by } = await working()
    const { status, body } = await platform.create(by, { flow: { trigger, steps: [code('1')] } })
    expect([status, body.error]).toEqual([422, 'invalid_definition'])
    expect(body.problems).toEqual([{ step: 'trigger', path: `settings.input.${field}`, message: expect.any(String) }])
  })

  test('of clocks: a schedule in a skipped hour runs once that day', async () => {
    const { by } = await working()
    const hours = 3600_000
    platform.time.ms = Date.UTC(2027, 2, 27, 12)
    const trigger = every('cron_expression', { cronExpression: '30 2 * * *', timezone: 'Europe/Paris' })
    const { body } = await platform.create(by, { flow: { trigger, steps: [code('1')] } })
    for (let hour = 0; hour < 48; hour += 1) await platform.wait(hours)
    const { runs } = (await platform.runs(by, body.automation_id)).body
    expect(runs.map((run: { start_time: string }) => run.start_time.slice(0, 10))).toEqual(['2027-03-29', '2027-03-28'])
  })
})

test('by default automations cannot request this machine, under any name', async () => {
  const policy = createHttpClient()
  const ask = (url: string) =>
    policy.send({ method: 'GET', url, headers: {}, timeout: 1000 }, new AbortController().signal)
  const { port } = server.address() as AddressInfo
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f000001', '2130706433', '127.1'])
    await expect(ask(`http://${host}:${port}/silent`), host).rejects.toThrow(/private network|are not allowed/)
})
