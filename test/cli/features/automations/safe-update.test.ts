import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import type { Handle, Operator } from '../../../support/operator.ts'
import { answered, greet, greeting, isRestore, isUpdate, lostAnswer, plain, running } from './deployments.ts'

/** Passes here, where its request is not made, and fails on the platform, which refuses the address. */
const failsThere = {
  trigger: hook,
  steps: [http('GET', 'http://127.0.0.1:9/'), code('inputs.body.id', { body: "{{step_1['body']}}" })],
}

describe('an update that would fail wherever it runs', () => {
  test('is stopped before anything is sent: exit 20 with the step, its input and the error, and production is untouched', async () => {
    const by = await greeting()
    const refused = await by.run('automate update Greeting --file broken.json', plain())
    expect(refused).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('Nothing was sent, and the live version is unchanged.'),
    })
    expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    expect(refused.stderr).toMatch(/step_1: .*undefined/)
    expect(refused.stderr).toContain('input: {"name":"Ada"}')
    expect(refused.stderr).toContain('--skip-local-test')
    expect(await running(by)).toEqual(['enabled', 'Hello'])
    const asJson = await by.run('automate update Greeting --file broken.json --json', plain())
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      outcome: 'not_sent',
      status: 'test_failed',
      failed_steps: [{ name: 'step_1', input: { name: 'Ada' } }],
    })
  })

  test('is stopped for an invalid definition, and names a reference to a step that does not exist', async () => {
    const by = await greeting({
      'invalid.json': { trigger: hook, steps: [{ type: 'CODE', settings: {} }] },
      'wiring.json': { trigger: hook, steps: [code('inputs.x', { x: "{{step_9['body']}}" })] },
    })
    const { exitCode, stderr, requests } = await by.run('automate update Greeting --file invalid.json', plain())
    expect({ exitCode, sent: requests.filter((it) => !it.startsWith('GET')) }).toEqual({ exitCode: 20, sent: [] })
    expect(stderr).toContain('step_1 settings.sourceCode.code')
    const published = await by.run('automate update Greeting --file wiring.json', plain())
    expect(published.exitCode).toBe(0)
    expect(published.stderr).toContain('there is no step named step_9')
  })

  test('uses the newest sample, or the one passed with --sample', async () => {
    const by = await greeting()
    expect(await by.run('automate update Greeting --file bye.json --sample \'{"other": 1}\'', plain())).toMatchObject({
      exitCode: 20,
    })
    const done = await by.run('automate update Greeting --file bye.json', plain())
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Automation updated, tested, and live\. Id: \w+\n$/),
    })
    expect(done.stderr).toMatch(/Tested with the sample of 2026-/)
    expect(await running(by)).toEqual(['enabled', 'Bye'])
  })

  test('lists what could not be judged as not tested, and sends it', async () => {
    const steps = [http('GET', 'http://127.0.0.1:9/'), code('inputs.body.id.x', { body: "{{step_1['body']}}" })]
    const by = await greeting({ 'asks.json': { trigger: hook, steps } })
    const { exitCode, stderr, requests } = await by.run('automate update Greeting --file asks.json', plain())
    expect(stderr).toContain(
      'Not tested locally: step_1 (it sends, calls or queries a service), step_2 (it depends on step_1).',
    )
    expect(requests.filter((it) => it.startsWith('PUT'))).not.toEqual([])
    expect(exitCode).toBe(20)
  })
})

describe('an update that fails its test on a deployment that publishes first', () => {
  test('is rolled back through restore and enabled again: exit 20, and the reported live state is right', async () => {
    const by = await greeting({ 'there.json': failsThere })
    const done = await by.run('automate update Greeting --file there.json', plain())
    expect(done).toMatchObject({
      exitCode: 20,
      stdout: expect.stringMatching(
        /^Rolled back: the test failed after publishing\. The previous version is live again.*It is enabled\. Id: \w+\n$/,
      ),
    })
    expect(done.requests.filter((it) => !it.startsWith('GET')).map((it) => it.replace(/\w{21}/, 'X'))).toEqual([
      'PUT /api/user/automate/flows/X',
      'POST /api/user/automate/flows/X/restore',
      'PUT /api/user/automate/flows/X',
    ])
    expect(done.stderr).toMatch(/step_1 failed: /)
    expect(await running(by)).toEqual(['enabled', 'Hello'])
    expect(await by.json('ops list --open')).toEqual([])
    expect(await by.json('history list --noun automate')).toEqual([])
  })

  test('has the same result as JSON', async () => {
    const by = await greeting({ 'there.json': failsThere })
    const { exitCode, stdout } = await by.run('automate update Greeting --file there.json --json', plain())
    expect(exitCode).toBe(20)
    expect(JSON.parse(stdout)).toMatchObject({
      automation_id: by.id,
      outcome: 'rolled_back',
      live: { status: 'enabled' },
      failed_steps: [{ name: 'step_1' }],
    })
  })

  test('stays live with --no-rollback-on-failure, and the output names the command that restores the previous version', async () => {
    const by = await greeting({ 'there.json': failsThere })
    const done = await by.run('automate update Greeting --file there.json --no-rollback-on-failure', plain())
    expect(done).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('The new definition is live. It is disabled.'),
    })
    expect(done.stderr).toContain(`parley automate restore ${by.id}`)
    expect((await running(by))[0]).toBe('disabled')
  })

  test('stays disabled if it was disabled', async () => {
    const by = await greeting({ 'there.json': failsThere })
    await by.json('automate disable Greeting')
    const done = await by.run('automate update Greeting --file there.json', plain())
    expect(done).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('It is disabled.') })
    expect(await running(by)).toEqual(['disabled', 'Hello'])
    expect(await by.run('automate update Greeting --file bye.json', plain())).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('It stays disabled.'),
    })
    expect(await running(by)).toEqual(['disabled', 'Bye'])
  })

  test('whose restore is refused or cut ends with 12 and an entry in the journal, and ops reconcile finishes it', async () => {
    for (const [what, broke] of [
      ['refused', async () => answered(500, { message: 'no' })],
      ['cut', lostAnswer],
    ] as const) {
      const by = await greeting({ 'there.json': failsThere })
      const done = await by.run(
        'automate update Greeting --file there.json',
        plain((handle, request) => (isRestore(request) ? broke() : handle(request))),
      )
      expect(done, what).toMatchObject({
        exitCode: 12,
        stdout: '',
        stderr: expect.stringContaining('parley ops reconcile'),
      })
      expect((await running(by))[0], what).toBe('disabled')
      expect(await by.json('ops list --open'), what).toMatchObject([
        { endpoint: 'automate.update', state: 'unknown', input: { name: 'Greeting' } },
      ])
      expect(await by.run('ops reconcile', plain()), what).toMatchObject({ exitCode: 0 })
      expect(await running(by), what).toEqual(['enabled', 'Hello'])
      expect(await by.json('ops list --open'), what).toEqual([])
    }
  })

  test('whose enabling is cut ends with 12, and ops reconcile finishes it', async () => {
    const by = await greeting({ 'there.json': failsThere })
    let updates = 0
    const done = await by.run(
      'automate update Greeting --file there.json',
      plain((handle, request) => (isUpdate(request) && ++updates === 2 ? lostAnswer() : handle(request))),
    )
    expect(done).toMatchObject({ exitCode: 12, stderr: expect.stringContaining('could not be enabled again') })
    expect(await running(by)).toEqual(['disabled', 'Hello'])
    expect(await by.run('ops reconcile', plain())).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })
})

/** What happens to a request of a rollback, and around it. */
type Interference = (handle: Handle, request: PlainRequest) => Promise<PlainResponse>

/** Sends a change of the automation of a request as someone else. */
async function publish(handle: Handle, { headers, url }: PlainRequest, change: object): Promise<void> {
  const { authorization = '' } = headers
  const { status } = await handle({
    method: 'PUT',
    url: url.replace(/\/restore$/, ''),
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  expect(status).toBe(200)
}
/** Someone else changes the automation right after a request. */
const afterwards =
  (change: object): Interference =>
  async (handle, request) => {
    const answer = await handle(request)
    await publish(handle, request, change)
    return answer
  }
const publishedBye = { flow: greet('Bye'), sample: { name: 'Ada' } }
const refuse: Interference = async () => answered(403, { message: 'no' })
/** Shows a binding to an assistant, or none. */
const bound =
  (binding: object | null): Interference =>
  async (handle, request) => {
    const answer = await handle(request)
    const body = JSON.parse(answer.body)
    return { ...answer, body: JSON.stringify({ ...body, data: { ...body.data, binding } }) }
  }

describe('a rollback that does not reach the previous state ends with 12, and says what is live', () => {
  type Part = 'readBefore' | 'restore' | 'readRestored' | 'enable' | 'readEnabled'

  test.each<readonly [message: string, parts: Partial<Record<Part, Interference>>]>([
    ['the live version after the rollback could not be read: ', { readRestored: refuse }],
    [
      'The previous version of "Greeting" was restored, but another definition is live. It is enabled. Someone else may have published it.',
      { restore: afterwards(publishedBye) },
    ],
    ['its state after the rollback could not be read: ', { readEnabled: refuse }],
    [
      'The previous version of "Greeting" is live, but the platform did not enable it again.',
      { enable: afterwards({ enabled: false }) },
    ],
    [
      'The previous version of "Greeting" was restored and enabled, but another definition is live. Someone else may have published it.',
      { enable: afterwards(publishedBye) },
    ],
    [
      'The previous version of "Greeting" is live and enabled, but no longer bound to its assistant.',
      { readBefore: bound({ type: 'post_call', assistant_id: 1, assistant_name: 'Front desk' }) },
    ],
  ])('%s', async (message, parts) => {
    const by = await greeting({ 'there.json': failsThere })
    let [updates, isRestored] = [0, false]
    const partOf = (request: PlainRequest): Part | undefined => {
      if (isRestore(request)) {
        isRestored = true
        return 'restore'
      }
      if (isUpdate(request)) return ++updates === 2 ? 'enable' : undefined
      if (request.method !== 'GET' || !/\/flows\/\w+(?:\?|$)/.test(request.url)) return undefined
      return updates === 2 ? 'readEnabled' : isRestored ? 'readRestored' : updates === 0 ? 'readBefore' : undefined
    }
    const done = await by.run(
      'automate update Greeting --file there.json',
      plain((handle, request) => {
        const part = partOf(request)
        return (part && parts[part])?.(handle, request) ?? handle(request)
      }),
    )
    expect(done).toMatchObject({ exitCode: 12, stdout: '', stderr: expect.stringContaining(message) })
    expect(await by.json('ops list --open')).toMatchObject([{ endpoint: 'automate.update', state: 'unknown' }])
  })
})

test('a rollback does not replace what someone else has published since', async () => {
  const by = await greeting({ 'there.json': failsThere })
  const done = await by.run('automate update Greeting --file there.json', {
    // A platform that knows the version of an automation, and publishes before it tests.
    async through(handle, request) {
      const { 'parley-publish': _, ...headers } = request.headers
      if (isRestore(request)) await publish(handle, request, publishedBye)
      return handle({ ...request, headers })
    },
  })
  expect(done).toMatchObject({ exitCode: 12, stderr: expect.stringContaining('could not be restored') })
  expect(await running(by)).toEqual(['enabled', 'Bye'])
})

describe('what ops reconcile finishes', () => {
  const interrupted = async () => {
    const by = await greeting({ 'there.json': failsThere })
    await by.run(
      'automate update Greeting --file there.json',
      plain((handle, request) => (isRestore(request) ? lostAnswer() : handle(request))),
    )
    expect((await running(by))[0]).toBe('disabled')
    return by
  }

  test('requires confirmation in a protected profile and is refused in a read-only one: nothing is written, and the entry stays open', async () => {
    const by = await interrupted()
    await by.run('profile set local --protected')
    const asked = await by.run('ops reconcile', plain())
    expect(asked).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('--confirm local') })
    await by.run('profile set local --no-protected --read-only')
    const refused = await by.run('ops reconcile', plain())
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is read-only') })
    expect([...asked.requests, ...refused.requests].filter((it) => !it.startsWith('GET'))).toEqual([])
    expect(await by.json('ops list --open')).toMatchObject([{ state: 'unknown' }])
    await by.run('profile set local --protected --no-read-only')
    expect(await by.run('ops reconcile --confirm local', plain())).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })
})

describe('an update that is refused', () => {
  test('keeps its own exit code and leaves no open journal entry', async () => {
    const by = await greeting({ 'there.json': greet('Other') })
    const done = await by.run(
      'automate update Greeting --file there.json',
      plain(async (handle, request) =>
        isUpdate(request)
          ? answered(422, { message: 'The definition was rejected.', error: 'import_failed' })
          : handle(request),
      ),
    )
    expect(done).toMatchObject({ exitCode: 6 })
    expect(await by.json('ops list --open')).toEqual([])
  })

  const calls = (host: string) => ({
    trigger: hook,
    steps: [code('inputs.url', { url: `https://ada:unmistakable@${host}/` })],
  })

  test.each([
    ['hello.json', 'bye.json', 'step_2 settings.input.fields.body.text'],
    ['one.json', 'two.json', 'step_1 settings.input.url'],
  ])('exits 20 if the platform accepted it but runs another definition: %s, %s', async (first, second, path) => {
    const by = await greeting({ 'one.json': calls('one.example'), 'two.json': calls('two.example') })
    await by.run(`automate update Greeting --file ${first}`)
    const done = await by.run(
      `automate update Greeting --file ${second}`,
      plain(async (handle, request) =>
        isUpdate(request)
          ? answered(200, {
              automation_id: by.id,
              status: 'active',
              test: { run_status: 'SUCCEEDED', steps: [] },
              response: null,
              binding: null,
            })
          : handle(request),
      ),
    )
    expect(done).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining(`the live version differs from what was sent: ${path}`),
    })
  })
})

describe('a push of a definition that fails', () => {
  const file = (by: Operator): string => join(by.cwd, 'automations', 'greeting.yaml')

  test('sends nothing if the local check fails, rolls back if the remote test fails, and sends the file again the next time', async () => {
    const by = await greeting()
    await by.run('automate pull', plain())
    const good = readFileSync(file(by), 'utf8')
    writeFileSync(file(by), good.replace('inputs.name ?', 'inputs.name.first.last ?'))
    const stopped = await by.run('automate push --json', plain())
    expect(stopped.exitCode).toBe(20)
    expect(stopped.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    expect(JSON.parse(stopped.stdout)).toMatchObject([
      { file: 'greeting.yaml', done: 'test_failed', remark: expect.stringContaining('Nothing was sent') },
    ])
    for (const again of [1, 2]) {
      const done = await by.run('automate push --skip-local-test', plain())
      expect({ again, exitCode: done.exitCode }).toEqual({ again, exitCode: 20 })
      expect(done.stdout).toContain('The previous version is live again')
      expect(await running(by)).toEqual(['enabled', 'Hello'])
    }
    writeFileSync(file(by), good.replace('Hello', 'Welcome'))
    expect(await by.run('automate push', plain())).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Welcome'])
  })
})

describe('an update where the platform tests before it publishes', () => {
  test('publishes nothing when the test fails: exit 20, one request, and nothing to undo', async () => {
    const by = await greeting({ 'there.json': failsThere })
    const done = await by.run('automate update Greeting --file there.json')
    expect(done).toMatchObject({
      exitCode: 20,
      stdout: expect.stringMatching(
        /^Not updated: the test failed, and nothing was published\..*It is enabled\. Id: \w+\n$/,
      ),
    })
    expect(done.requests.filter((it) => !it.startsWith('GET')).map((it) => it.split(' ')[0])).toEqual(['PUT'])
    expect(done.stderr).toMatch(/step_1 failed: /)
    expect(await running(by)).toEqual(['enabled', 'Hello'])
    expect(await by.json('history list --noun automate')).toEqual([])
    expect(JSON.parse((await by.run('automate update Greeting --file there.json --json')).stdout)).toMatchObject({
      outcome: 'not_published',
      live: { status: 'enabled', version_id: expect.any(String) },
    })
  })

  test('shows what the failed step received on the platform, when no local check could know', async () => {
    const request = http('GET', 'http://127.0.0.1:9/')
    const goesOn = {
      ...request,
      settings: { ...request.settings, errorHandlingOptions: { continueOnFailure: { value: true } } },
    }
    const read = code('inputs.none.at', { name: "{{trigger['body']['name']}}", answer: "{{step_1['body']}}" })
    const by = await greeting({ 'reads.json': { trigger: hook, steps: [goesOn, read] } })
    const { stdout } = await by.run('automate update Greeting --file reads.json --json')
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'not_published',
      not_tested: expect.arrayContaining([expect.objectContaining({ step: 'step_2' })]),
      failed_steps: [
        { name: 'step_1', input: { url: 'http://127.0.0.1:9/' } },
        { name: 'step_2', input: { name: 'Ada', answer: '' } },
      ],
    })
  })

  test('publishes a definition that passes; with --no-rollback-on-failure also one that fails', async () => {
    const by = await greeting({ 'there.json': failsThere })
    expect(await by.run('automate update Greeting --file bye.json')).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    expect(await by.run('automate update Greeting --file there.json --no-rollback-on-failure')).toMatchObject({
      exitCode: 20,
    })
    expect((await running(by))[0]).toBe('disabled')
  })
})

describe('an update with an unknown piece', () => {
  const slack = {
    type: 'PIECE',
    displayName: 'Tell the team',
    settings: { pieceName: '@engine/piece-slack', actionName: 'send_message', input: { text: 'x' } },
  }

  test('is judged by its other steps; steps that depend on the piece are listed as not tested', async () => {
    const by = await greeting({
      'bad.json': { trigger: hook, steps: [slack, code('inputs.none.at', {})] },
      'good.json': { trigger: hook, steps: [slack, code('inputs.sent.ts.at', { sent: '{{step_1}}' })] },
    })
    const stopped = await by.run('automate update Greeting --file bad.json', plain())
    expect(stopped).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('Nothing was sent') })
    expect(stopped.stderr).toContain('step_2: ')
    const sent = await by.run('automate update Greeting --file good.json', plain())
    expect(sent.stderr).toMatch(/Not tested locally: step_1 \(.*slack.*\), step_2 \(it depends on step_1\)\./)
    expect(sent).toMatchObject({ exitCode: 6 })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })
})

test('samples are readable by their owner only, never contain secrets, and are purged', async () => {
  const by = await greeting()
  await by.json(
    'automate update Greeting --file bye.json --sample \'{"name": "Ada", "api_key": "sk-abcdefghijklmnop1234"}\'',
  )
  const folder = join(by.dataDir, 'history', 'local@embedded_', 'samples')
  const file = join(folder, `${by.id}.json`)
  const saved = (): { sample: object }[] => JSON.parse(readFileSync(file, 'utf8'))
  expect(saved().map((it) => it.sample)).toEqual([{ name: 'Ada' }])
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  by.wait(1000)
  writeFileSync(join(folder, 'notes.txt'), 'Mine.')
  mkdirSync(join(folder, 'old.json'))
  await by.json('server purge --older-than 0s --yes')
  expect(existsSync(file)).toBe(false)
  expect(readdirSync(folder).sort()).toEqual(['notes.txt', 'old.json'])
})

test('an update with --if-unchanged fails with 5 when another user publishes between its check and its arrival', async () => {
  const by = await greeting()
  writeFileSync(join(by.cwd, 'read.json'), (await by.run('automate get Greeting -o json')).stdout)
  const late = await by.run('automate update Greeting --file bye.json --if-unchanged read.json', {
    through: async (handle, request) => {
      if (isUpdate(request)) await by.json('automate update Greeting --file hello.json --name Renamed')
      return handle(request)
    },
  })
  expect(late).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('Another version is live now') })
  expect(await running(by)).toEqual(['enabled', 'Hello'])
})

test('of two updates at once, the second fails with 5 and changes nothing', async () => {
  const by = await greeting()
  const late = await by.run('automate update Greeting --file bye.json', {
    through: async (handle, request) => {
      if (isUpdate(request)) await by.json('automate update Greeting --file hello.json --name Renamed')
      return handle(request)
    },
  })
  expect(late).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('Another version is live now') })
  expect(late.stderr).toContain(`parley automate diff ${by.id}`)
  expect(await running(by)).toEqual(['enabled', 'Hello'])
  expect(await by.json('ops list --open')).toEqual([])
})

test('an update names the version that is live, and the command that restores the replaced one', async () => {
  const by = await greeting()
  const done = await by.run('automate update Greeting --file bye.json')
  expect(done).toMatchObject({
    exitCode: 0,
    stdout: `Automation updated, tested, and live (version 2). Id: ${by.id}\n`,
    stderr: expect.stringContaining(`Undo: parley automate restore ${by.id} --to 1\n`),
  })
  expect(await by.run(`automate restore ${by.id} --to 1 --yes`)).toMatchObject({ exitCode: 0 })
  expect(await running(by)).toEqual(['enabled', 'Hello'])
  expect((await by.run('automate update Greeting --file bye.json', plain())).stderr).toContain(
    `Undo: parley automate restore ${by.id}\n`,
  )
})
