import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import { branch, http, webhook } from '../../../support/automation-nodes.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { plain } from '../../features/automations/deployments.ts'

const token = 'Bearer very-secret-token-1'
const mask = '••• hidden'

/** A platform that stores whatever it is sent; `shows` says whether it has `include_secrets`. Nothing with a mask may reach it. */
const strict = ({ shows = true } = {}): { readonly options: RunOptions; readonly written: PlainRequest[] } => {
  const written: PlainRequest[] = []
  const through: RunOptions['through'] = async (handle, request) => {
    if (request.method !== 'GET') written.push(request)
    expect(request.body ?? '').not.toContain(mask)
    return handle(shows ? request : { ...request, url: request.url.replace(/\?include_secrets=1$/, '') })
  }
  return { options: { through }, written }
}

const stored = async (by: Operator): Promise<string> => JSON.stringify(await by.json('automate get Secret --unmask'))

async function withSecret(address = 'https://crm.example/?token=abc&x=1'): Promise<Operator> {
  const by = operator()
  // A branch that is never taken, so that no test goes out to the network.
  const never = [[{ firstValue: 'a', operator: 'TEXT_EXACTLY_MATCHES', secondValue: 'b' }]]
  const steps = [
    branch(never, { onSuccessAction: http({ url: address, headers: { authorization: token, accept: 'a/b' } }) }),
  ]
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ name: 'Secret', flow: { trigger: webhook(), steps } }))
  expect((await by.run('automate create --file flow.json')).exitCode).toBe(0)
  return by
}

/** The definition as it is shown, changed by hand. */
async function edited(by: Operator, change: (text: string) => string): Promise<void> {
  const { stdout } = await by.run('automate get Secret -o json')
  const { definition } = JSON.parse(change(stdout))
  const { nextAction, ...trigger } = definition
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger, steps: [nextAction] }))
}

describe('a mask is never sent to a platform', () => {
  test('by an update: the live credential is filled in', async () => {
    const by = await withSecret()
    await edited(by, (text) => text.replace('a/b', 'c/d'))
    const { options, written } = strict()
    expect(await by.run('automate update Secret --file flow.json', options)).toMatchObject({ exitCode: 0 })
    expect(written[0]!.body).toContain(token)
    expect(await stored(by)).toContain(token)
    expect(await stored(by)).toContain('c/d')
  })

  test('by an update that changes the text around the credential', async () => {
    const by = await withSecret()
    await edited(by, (text) => text.replace('crm.example/?', 'crm.example/v2?'))
    expect(readFileSync(join(by.cwd, 'flow.json'), 'utf8')).toContain(`token=${mask}`)
    await by.run('automate update Secret --file flow.json', strict().options)
    expect(await stored(by)).toContain('https://crm.example/v2?token=abc&x=1')
  })

  test('by an update if the platform does not show the credential: refused, with the place and a fix', async () => {
    const by = await withSecret()
    await edited(by, (text) => text.replace('a/b', 'c/d'))
    const { options, written } = strict({ shows: false })
    const { exitCode, stdout, stderr } = await by.run('automate update Secret --file flow.json', options)
    expect({ exitCode, stdout, written }).toEqual({ exitCode: 2, stdout: '', written: [] })
    expect(stderr).toMatch(/flow\.steps\.0\.onSuccessAction\.settings\.input\.headers\.authorization/)
    expect(stderr).toContain('The platform does not show the credential. Nothing was sent.')
    expect(stderr).toContain('parley automate get')
  })

  test('in a step that changed its piece: it gets no credential of another service', async () => {
    const by = await withSecret()
    await edited(by, (text) => text.replace('"send_request"', '"other"'))
    expect(await by.run('automate update Secret --file flow.json', strict().options)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no credential at that path'),
    })
  })

  test('by push, which is refused before anything is sent if the platform does not show the credential', async () => {
    const by = await withSecret()
    await by.run('automate pull')
    const file = join(by.cwd, 'automations/secret.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('a/b', 'c/d'))
    const hiding = strict({ shows: false })
    const refused = await by.run('automate push', hiding.options)
    expect([refused.exitCode, hiding.written]).toEqual([2, []])
    expect(refused.stderr).toMatch(/secret\.yaml: flow\..+\.authorization hold a mask/)
    const { options, written } = strict()
    expect((await by.run('automate push', options)).exitCode).not.toBe(2)
    expect(written[0]!.body).toContain(token)
    expect(await stored(by)).toContain(token)
  })

  test('by an undo', async () => {
    const by = await withSecret()
    await edited(by, (text) => text.replace('a/b', 'c/d'))
    await by.run('automate update Secret --file flow.json')
    const [{ entry }] = await by.json('history list')
    // Restoring the version sends no definition at all.
    const hiding = strict({ shows: false })
    expect(await by.run(`history undo ${entry} --yes`, hiding.options)).toMatchObject({ exitCode: 0 })
    expect(await stored(by)).toContain('a/b')
    expect(await stored(by)).toContain(token)
    // What is older than the previous version is sent, where versions have no numbers.
    for (const [from, to] of [
      ['a/b', 'e/f'],
      ['e/f', 'g/h'],
    ] as const) {
      await edited(by, (it) => it.replace(from, to))
      await by.run('automate update Secret --file flow.json')
    }
    const older = strict({ shows: false })
    const refused = await by.run(`history undo ${entry + 2} --force --yes`, plain(older.options.through))
    expect([refused.exitCode, older.written]).toEqual([2, []])
    const { options, written } = strict()
    await by.run(`history undo ${entry + 2} --force --yes`, plain(options.through))
    expect(written[0]!.body).toContain(token)
    expect(await stored(by)).toContain(token)
  })

  test.each([
    [
      'automate create --name Copy --file flow.json',
      'flow.steps.0.onSuccessAction.settings.input.headers.authorization',
    ],
    ['automate update Secret --file flow.json --dry-run', undefined],
    ["api labels.create --data '{name: ••• hidden}'", 'name'],
    [
      `tools create --name a --description b --endpoint https://a.example --method GET --headers '[{"name":"a","value":"Bearer [hidden]"}]'`,
      'headers.0.value \\(a\\)',
    ],
    ['labels create --name "••• hidden"', 'name'],
    [
      'assistants create --name A --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message Hello --system-prompt Hi --tools \'[{"type":"calendar_integration","cal_a_api_key":"••• hidden"}]\'',
      'tools.0.cal_a_api_key',
    ],
  ])('by %s', async (line, path) => {
    const by = await withSecret()
    await edited(by, (text) => text)
    const { options, written } = strict()
    const { exitCode, stderr } = await by.run(line, options)
    expect([exitCode, written]).toEqual([path === undefined ? 0 : 2, []])
    if (path !== undefined)
      expect(stderr).toMatch(new RegExp(`${path} holds? a mask instead of a credential\\. Nothing was sent\\.`))
  })

  test('but text about hidden values is not a mask', async () => {
    const by = operator()
    expect(
      await by.run('tools update 1 --description "Shows [hidden] where a value is hidden"', strict().options),
    ).toMatchObject({ exitCode: 0 })
  })
})

describe('credentials of a tool', () => {
  const headers = JSON.stringify([
    { name: 'Authorization', value: token },
    { name: 'X-Practice', value: 'northwind' },
  ])
  const made = async (): Promise<Operator> => {
    const by = operator()
    await by.run([
      'tools',
      'create',
      '--name',
      'crm',
      '--description',
      'x',
      '--endpoint',
      'https://a.example/?token=abc',
      '--method',
      'GET',
      '--headers',
      headers,
    ])
    return by
  }

  test('are masked in every output, unless --unmask is passed', async () => {
    const by = await made()
    for (const line of ['tools get crm', 'tools get crm --json', 'tools list --json', 'tools get crm -o yaml']) {
      const { stdout } = await by.run(line)
      expect([line, stdout.includes('very-secret'), stdout.includes('token=abc')]).toEqual([line, false, false])
    }
    expect((await by.json('tools get crm')).headers).toEqual([
      { name: 'Authorization', value: mask },
      { name: 'X-Practice', value: 'northwind' },
    ])
    expect((await by.run('tools get crm --unmask')).stdout).toContain('very-secret')
    expect((await by.run('tools list --json --unmask')).stdout).toContain('very-secret')
  })

  test('stay unchanged when the output of get is edited and sent back', async () => {
    const by = await made()
    const { stdout } = await by.run('tools get crm --json')
    writeFileSync(
      join(by.cwd, 'tool.json'),
      stdout.replace('northwind', 'southwind').replace('a.example/?', 'b.example/?'),
    )
    const { options, written } = strict()
    expect(await by.run('tools update crm --file tool.json', options)).toMatchObject({ exitCode: 0 })
    expect(written[0]!.body).toContain(token)
    expect(await by.json('tools get crm --unmask')).toMatchObject({
      endpoint: 'https://b.example/?token=abc',
      headers: [{ value: token }, { value: 'southwind' }],
    })
    const other = JSON.stringify([{ name: 'Proxy-Authorization', value: mask }])
    expect(await by.run(['tools', 'update', 'crm', '--headers', other], options)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('headers.0.value'),
    })
  })
})
