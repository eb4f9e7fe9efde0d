import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scopeFolder } from '../../../../src/cli/program/history/entries.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { greeting } from '../../features/automations/deployments.ts'

const folder = (by: Operator): string => join(by.dataDir, 'history', 'local@embedded_')
const newest = async (by: Operator): Promise<number> => (await by.json('history list'))[0].entry
const undo = async (by: Operator, more = '') => by.run(`history undo ${await newest(by)} ${more}`)

/** Everything the history and the log have on disk, as one text. */
const onDisk = (by: Operator): string =>
  readdirSync(join(by.dataDir, 'history'), { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => readFileSync(join(it.parentPath, it.name), 'utf8'))
    .join('\n')

describe('the history', () => {
  test('has a copy of every changed resource, readable by its owner only, newest first', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    await by.run('numbers update 4 --nickname Desk')
    expect(await by.json('history list')).toMatchObject([
      {
        entry: 2,
        action: 'update',
        noun: 'numbers',
        id: '4',
        fields: ['nickname'],
        command: 'numbers update',
        state: 'done',
        profile: 'local',
      },
      {
        entry: 1,
        action: 'update',
        noun: 'tools',
        id: '2',
        name: 'book_appointment',
        fields: ['timeout'],
        request_id: expect.stringMatching(/./),
      },
    ])
    expect(readdirSync(folder(by)).sort()).toEqual(['1.json', '2.json'])
    expect((statSync(join(folder(by), '1.json')).mode & 0o777).toString(8)).toBe('600')
    expect((statSync(folder(by)).mode & 0o777).toString(8)).toBe('700')
    expect(await by.json('history list --noun tools')).toHaveLength(1)
    expect(await by.json('history list --id 4')).toHaveLength(1)
    expect(await by.json('history list --limit 1')).toHaveLength(1)
    by.wait(3_600_000)
    expect(await by.json('history list --since 30m')).toEqual([])
    expect(await by.json('history list --since 2h')).toHaveLength(2)
    expect(await by.run('history list --since soon')).toMatchObject({ exitCode: 2 })
  })

  test('needs no extra read if the command already read the resource, or if nothing is written', async () => {
    const by = operator()
    expect((await by.run('tools update book_appointment --tool-timeout 9')).requests).toEqual([
      'GET /api/user/tools',
      'PUT /api/user/tools/2',
    ])
    expect(
      (await by.run('labels delete 2 --yes')).requests.filter((it) => it.startsWith('GET /api/user/labels')),
      // Before the deletion, and after it to confirm it.
    ).toHaveLength(2)
    expect((await by.run('tools update 2 --tool-timeout 8', { terminal: true })).requests).toEqual([
      'GET /api/user/tools/2',
      'PUT /api/user/tools/2',
    ])
    await by.run('tools list')
    expect(await by.json('history list')).toHaveLength(3)
  })

  test('has no entry for a refused write or a dry run', async () => {
    const by = operator()
    expect((await by.run('tools update 2 --tool-timeout 900')).exitCode).toBe(6)
    expect((await by.run('tools update 99 --tool-timeout 9')).exitCode).toBe(4)
    expect((await by.run('tools update 2 --tool-timeout 9 --dry-run')).exitCode).toBe(0)
    expect(await by.json('history list')).toEqual([])
  })

  test('saves the copy of a write with an unknown outcome', async () => {
    const by = operator()
    const through: RunOptions['through'] = (handle, request) =>
      request.method === 'PUT'
        ? handle(request).then(() => ({ status: 502, headers: {}, body: 'bad gateway' }))
        : handle(request)
    expect((await by.run('tools update 2 --tool-timeout 20 --retries 0', { through })).exitCode).toBe(8)
    expect(await by.json('history list')).toMatchObject([{ state: 'unknown' }])
    expect(await undo(by)).toMatchObject({ exitCode: 0, stdout: 'Restored tool "book_appointment" (2).\n' })
    expect((await by.json('tools get 2')).timeout).toBe(15)
  })

  test('has one folder for each platform, also without a profile', () => {
    const scope = { profile: 'http://127.0.0.1:4811', baseUrl: 'http://127.0.0.1:4811' }
    const system = { env: { PARLEY_DATA_DIR: '/data' }, home: '/home', os: 'linux' }
    expect(scopeFolder(system as never, scope)).toBe('/data/history/127.0.0.1_4811@127.0.0.1_4811')
  })

  test('is bounded: the newest 500 of 30 days, or less after a purge', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 1')
    for (let n = 2; n <= 499; n++)
      writeFileSync(
        join(folder(by), `${n}.json`),
        readFileSync(join(folder(by), '1.json'), 'utf8').replace('"entry":1', `"entry":${n}`),
      )
    for (const n of [2, 3, 4]) await by.run(`tools update 2 --tool-timeout ${n}`)
    expect(readdirSync(folder(by))).toHaveLength(500)
    expect(await newest(by)).toBe(502)
    by.wait(31 * 86_400_000)
    expect(await by.json('history list')).toEqual([])
    await by.run('tools update 2 --tool-timeout 9')
    expect(readdirSync(folder(by))).toEqual(['503.json'])
    by.wait(60_000)
    expect(await by.json('server purge --older-than 0s --yes')).toMatchObject({ copies: 1, writes: expect.any(Number) })
    expect(await by.json('history list')).toEqual([])
    expect(await by.json('history list --all-writes')).toEqual([])
  })

  test('that cannot be written stops a write before it is sent', async () => {
    const by = operator()
    await by.run('tools list')
    writeFileSync(join(by.dataDir, 'history'), 'in the way')
    const { exitCode, stderr } = await by.run('tools update 2 --tool-timeout 20')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: The previous state of the tool could not be saved in the history: .*history is a file\. Nothing was changed\./,
      ),
    })
  })

  test('never has a secret in plain text, and an undo preserves the current one', async () => {
    const by = operator()
    const headers = (secret: string, kind: string) =>
      JSON.stringify([
        { name: 'Authorization', value: `Bearer ${secret}` },
        { name: 'Accept', value: kind },
      ])
    await by.run([
      'tools',
      'create',
      '--name',
      'crm',
      '--description',
      'x',
      '--endpoint',
      'https://a.example/?token=unmistakable1',
      '--method',
      'GET',
      '--headers',
      headers('unmistakable2', 'a/b'),
    ])
    await by.run(['tools', 'update', 'crm', '--headers', headers('unmistakable3', 'c/d')])
    const { stderr } = await undo(by)
    expect(stderr).toContain('Secrets were not changed: headers.')
    expect((await by.json('tools get crm --unmask')).headers).toEqual(JSON.parse(headers('unmistakable3', 'a/b')))
    await by.run('tools delete crm --yes')
    expect(await undo(by)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing secrets, which the history does not save: endpoint, headers.0.value'),
    })
    const entry = await newest(by)
    expect(
      await by.run([
        'history',
        'undo',
        String(entry),
        '--set',
        'endpoint=https://a.example',
        '--set',
        'headers.0.value=Bearer unmistakable4',
      ]),
    ).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get crm --unmask')).headers[0].value).toBe('Bearer unmistakable4')
    expect(onDisk(by)).not.toContain('unmistakable')
    expect((await by.run('history diff 1 --json')).stdout).not.toContain('unmistakable')
  })
})

describe('history undo of an update', () => {
  test.each([
    ['tools update 2 --tool-timeout 20 --description x', 'tools get 2'],
    ['assistants update 1 --max-duration 300 --add-tool 4', 'assistants get 1'],
    ['assistants update 1 --mode dualplex --multimodal-model-id 41', 'assistants get 1'],
    ['assistants enable-webhook 1 --event inbound --webhook-url https://h.example', 'assistants get 1'],
    ['assistants enable-webhook 1 --event post-call --webhook-url https://h.example', 'assistants get 1'],
    ['numbers update 4 --nickname null', 'numbers list'],
    ['sip-trunks update 5 --inbound-authorization-type auth', 'sip-trunks get 5'],
    ['labels update 1 --name x', 'labels list'],
    ['folders update 1 --name x --folder-color null', 'folders list'],
    ['knowledge update 1 --name x', 'knowledge get 1'],
    ['knowledge documents update 1 --knowledge 1 --name x', 'knowledge documents get 1 --knowledge 1'],
    ['leads update 1 --var first_name=Zed', 'leads list'],
    ['automate update "Opening hours" --name x --no-enabled', 'automate list'],
  ])('%s restores the previous values, and an undo of that reverts it', async (line, look) => {
    const by = operator()
    const seen = async (): Promise<unknown> =>
      JSON.parse(JSON.stringify(await by.json(look), (key, it) => (/_at$|_trunk_id$/.test(key) ? undefined : it)))
    const before = await seen()
    expect((await by.run(line)).exitCode).toBe(0)
    const after = await seen()
    expect(after).not.toEqual(before)
    expect(await undo(by)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Restored /) })
    expect(await seen()).toEqual(before)
    if (line.includes('multimodal')) return
    expect((await undo(by)).exitCode).toBe(0)
    expect(await seen()).toEqual(after)
  })

  test('sends only what differs, shows it beforehand, and does nothing twice', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    expect(JSON.parse((await by.run('history undo 1 --dry-run --json')).stdout)).toEqual({
      method: 'PUT',
      path: '/api/user/tools/2',
      body: { timeout: 15 },
    })
    expect(await by.json('history undo 1')).toEqual({
      entry: 1,
      noun: 'tools',
      id: '2',
      done: 'restored',
      fields: ['timeout'],
      undo: 2,
    })
    expect(await by.json('history undo 1')).toMatchObject({ done: 'nothing', undo: null })
    expect((await by.run('history undo 1')).requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test('leaves fields that others changed, and refuses if they changed the same ones', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    await by.run('tools update 2 --description Other')
    expect((await by.run('history undo 1')).exitCode).toBe(0)
    expect(await by.json('tools get 2')).toMatchObject({ timeout: 15, description: 'Other' })
    await by.run('tools update 2 --tool-timeout 20')
    const entry = await newest(by)
    await by.run('tools update 2 --tool-timeout 25')
    expect(await by.run(`history undo ${entry}`)).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringContaining('was changed since: timeout. Nothing was restored.'),
    })
    expect((await by.json('tools get 2')).timeout).toBe(25)
    expect(await by.run(`history undo ${entry} --force`)).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get 2')).timeout).toBe(15)
  })

  test('follows the rules of read-only and protected profiles', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    await by.run('profile set local --protected')
    expect(await by.run('history undo 1')).toMatchObject({ exitCode: 10 })
    expect(await by.run('history undo 1 --confirm local')).toMatchObject({ exitCode: 0 })
  })
})

describe('history undo of a deletion', () => {
  test('recreates the resource, reports its new id and the references to the old one, and can be undone', async () => {
    const by = operator()
    const { id: _, created_at: __, updated_at: ___, ...tool } = await by.json('tools get 1')
    await by.run('tools delete 1 --confirm lookup_patient')
    const made = await undo(by)
    expect(made).toMatchObject({ exitCode: 0, stdout: 'Recreated tool "lookup_patient" (1) with id 5.\n' })
    expect(made.stderr).toContain(
      'Update these references to the old id: assistants 1 "Front desk" (tool_ids). The new id is 5.',
    )
    expect(await by.json('tools get 5')).toMatchObject(tool)
    expect(await undo(by)).toMatchObject({ exitCode: 10 })
    expect(await undo(by, '--yes')).toMatchObject({ exitCode: 0, stdout: 'Deleted the tool "lookup_patient" (5).\n' })
    expect(await by.run('tools get 5')).toMatchObject({ exitCode: 4 })
  })

  test.each([
    ['assistants delete 1 --confirm "Front desk"', 'assistants list'],
    ['labels delete 1 --yes', 'labels list'],
    ['folders delete 1 --yes', 'folders list'],
    ['knowledge delete 1 --confirm "Practice handbook"', 'knowledge list'],
    ['campaigns delete 1 --yes', 'campaigns list'],
    ['leads delete 1 --yes', 'leads list'],
    ['automate delete "Weekly count" --yes', 'automate list'],
  ])('%s', async (line, look) => {
    const by = operator()
    const before = (await by.json(look)).length
    expect((await by.run(line)).exitCode).toBe(0)
    expect(await undo(by, '--yes')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Recreated /) })
    expect(await by.json(look)).toHaveLength(before)
  })

  test('names what cannot be created again', async () => {
    const by = operator()
    await by.run('sip-trunks delete 1 --yes')
    expect(await undo(by)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not save: sip_password') })
    expect(await undo(by, '--set sip_password=unmistakable')).toMatchObject({ exitCode: 0 })
    await by.run('knowledge documents delete 1 --knowledge 1 --yes')
    expect(await undo(by)).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('cannot be created again') })
    await by.run('numbers release 4 --confirm "Front desk"')
    expect(await undo(by)).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringMatching(
        /The release of number .* cannot be undone: its subscription ends on .*A released number goes back to the provider/s,
      ),
    })
  })
})

test('an automation gets its previous definition back after an update, a restore, and an undo of either', async () => {
  const by = operator()
  const coded = async (): Promise<string> => JSON.stringify((await by.json('automate get Note')).definition)
  for (const [name, text] of Object.entries({ one: '1', two: '2' }))
    writeFileSync(join(by.cwd, `${name}.json`), JSON.stringify({ trigger: hook, steps: [code(text)] }))
  await by.run('automate create --name Note --file one.json')
  const one = await coded()
  await by.run('automate update Note --file two.json')
  const two = await coded()
  expect((await undo(by, '--yes')).exitCode).toBe(0)
  expect(await coded()).toBe(one)
  await by.run('automate restore Note --yes')
  expect(await coded()).toBe(two)
  expect(await undo(by)).toMatchObject({ exitCode: 10 })
  expect(await undo(by, '--yes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Restored automation "Note"/),
  })
  expect(await coded()).toBe(one)
})

test('the log lists every write by name and without its content, also refused ones', async () => {
  const by = operator()
  await by.run('keys create --name unmistakable')
  await by.run('tools update 2 --tool-timeout 900')
  await by.run('tools update 2 --tool-timeout 20')
  await by.run('tools list')
  expect(await by.json('history list --all-writes')).toMatchObject([
    {
      command: 'tools update',
      endpoint: 'tools.update',
      id: '2',
      fields: ['timeout'],
      status: 200,
      outcome: 'done',
      entry: 1,
      request_id: expect.stringMatching(/./),
    },
    { command: 'tools update', status: 422, outcome: 'refused', entry: null },
    {
      command: 'keys create',
      endpoint: 'keys.create',
      id: null,
      fields: ['name'],
      status: 201,
      profile: 'local',
      host: 'embedded:',
    },
  ])
  const file = join(by.dataDir, 'history', 'writes.ndjson')
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  expect(onDisk(by)).not.toContain('unmistakable')
  expect(await by.json('history list --all-writes --noun tools --limit 1')).toHaveLength(1)
  writeFileSync(file, `{"at":"2026-08-04T11:00:00.000Z","pad":"${'x'.repeat(4 * 1024 * 1024)}"}\n{"torn`)
  await by.run('tools update 2 --tool-timeout 21')
  await by.run('tools update 2 --tool-timeout 22')
  expect(await by.json('history list --all-writes --limit 2')).toMatchObject([
    { command: 'tools update' },
    { command: 'tools update' },
  ])
})

describe('--if-unchanged', () => {
  const saved = async (by: Operator, form: 'json' | 'yaml'): Promise<string> => {
    writeFileSync(join(by.cwd, `tool.${form}`), (await by.run(`tools get 2 -o ${form}`)).stdout)
    return `--if-unchanged tool.${form}`
  }

  test.each(['json', 'yaml'] as const)('accepts the output of get as %s, and refuses after a change', async (form) => {
    const by = operator()
    const flag = await saved(by, form)
    expect(await by.run(`tools update 2 --tool-timeout 20 ${flag}`)).toMatchObject({ exitCode: 0 })
    by.wait(1000)
    await by.run('tools update 2 --description Other')
    const refused = await by.run(`tools update 2 --tool-timeout 25 ${flag} --json`)
    expect(refused).toMatchObject({ exitCode: 5, stdout: '' })
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'changed_since',
      details: expect.arrayContaining([
        { path: 'timeout', message: '15 -> 20' },
        expect.objectContaining({ path: 'description' }),
      ]),
    })
    expect(refused.requests.filter((it) => it.startsWith('PUT'))).toEqual([])
  })

  test('accepts the time of the last change, or the resource on standard input', async () => {
    const by = operator()
    const { updated_at: at } = await by.json('tools get 2')
    expect(await by.run(`tools update 2 --tool-timeout 20 --if-unchanged ${at}`)).toMatchObject({ exitCode: 0 })
    expect(await by.run(`tools update 2 --tool-timeout 21 --if-unchanged ${at}`)).toMatchObject({ exitCode: 5 })
    const { stdout } = await by.run('tools get 2 --json')
    expect(await by.run('tools update 2 --tool-timeout 21 --if-unchanged -', { stdin: stdout })).toMatchObject({
      exitCode: 0,
    })
  })

  test('treats a mask as equal to any value', async () => {
    const by = operator()
    const tools = '[{"type":"calendar_integration","cal_a_api_key":"cal_unmistakable","cal_a_event_slug":"visit"}]'
    await by.run(['assistants', 'update', '2', '--tools', tools])
    writeFileSync(join(by.cwd, 'a.json'), (await by.run('assistants get 2 --json')).stdout)
    expect(readFileSync(join(by.cwd, 'a.json'), 'utf8')).not.toContain('unmistakable')
    expect(await by.run('assistants update 2 --max-duration 300 --if-unchanged a.json')).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['a password in a URL', 'https://ada:unmistakable@one.example/', 'https://ada:unmistakable@two.example/'],
    [
      'a parameter of a URL',
      'https://one.example/?api_key=unmistakable&day=1',
      'https://one.example/?api_key=unmistakable&day=2',
    ],
    [
      'another password before the same host',
      'https://ada:unmistakable@one.example/',
      'https://ada:unmistakable2@one.example/',
      0,
    ],
  ])('compares what is visible around a mask: %s', async (_, endpoint, changed, exitCode = 5) => {
    const by = operator()
    await by.run(['tools', 'update', '2', '--endpoint', endpoint])
    const fields = await by.json('tools get 2')
    expect(fields.endpoint).toContain('hidden')
    expect(fields.endpoint).not.toContain('unmistakable')
    // On a platform without times of changes, the fields alone decide.
    const { updated_at: _at, ...shown } = fields
    writeFileSync(join(by.cwd, 'tool.json'), JSON.stringify(shown))
    const update = 'tools update 2 --tool-timeout 25 --if-unchanged tool.json'
    expect(await by.run(`${update} --dry-run`)).toMatchObject({ exitCode: 0 })
    await by.run(['tools', 'update', '2', '--endpoint', changed])
    const run = await by.run(update)
    expect(run).toMatchObject({ exitCode })
    expect(run.stderr.includes('since it was read: endpoint.')).toBe(exitCode === 5)
    expect(run.stderr).not.toContain('unmistakable')
  })

  test('compares what is visible around a mask in the definition of an automation', async () => {
    const by = await greeting()
    const define = (host: string) => {
      const steps = [code('inputs.url', { url: `https://ada:unmistakable@${host}/` }), respond({ text: 'Hello' })]
      writeFileSync(join(by.cwd, `${host}.json`), JSON.stringify({ flow: { trigger: hook, steps } }))
      return by.run(`automate update Greeting --file ${host}.json`)
    }
    await define('one.example')
    const { definition } = await by.json('automate get Greeting')
    expect(JSON.stringify(definition)).toContain('hidden@one.example')
    writeFileSync(join(by.cwd, 'read.json'), JSON.stringify({ definition }))
    const rename = 'automate update Greeting --name Renamed --if-unchanged read.json'
    expect(await by.run(`${rename} --dry-run`)).toMatchObject({ exitCode: 0 })
    await define('two.example')
    const refused = await by.run(rename)
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('two.example') })
    expect(refused.stderr).not.toContain('unmistakable')
  })

  test.each([
    ['tools update 2 --tool-timeout 9 --if-unchanged nowhere.json', 'Could not read nowhere.json'],
    ['tools update 2 --tool-timeout 9 --if-unchanged empty.json', 'does not contain a tool'],
    ['numbers update 4 --nickname x --if-unchanged 2026-01-01T00:00:00Z', 'has no time of its last change'],
  ])('refuses before anything is sent: %s', async (line, text) => {
    const by = operator()
    writeFileSync(join(by.cwd, 'empty.json'), '{}')
    const { exitCode, stderr, requests } = await by.run(line)
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) })
    expect(requests.filter((it) => it.startsWith('PUT'))).toEqual([])
  })
})

test('a dry run checks --if-unchanged as well', async () => {
  const by = operator()
  const { updated_at: at } = await by.json('tools get 2')
  by.wait(1000)
  expect(await by.run(`tools update 2 --tool-timeout 20 --if-unchanged ${at} --dry-run`)).toMatchObject({ exitCode: 0 })
  await by.run('tools update 2 --description Other')
  expect(await by.run(`tools update 2 --tool-timeout 20 --if-unchanged ${at} --dry-run`)).toMatchObject({
    exitCode: 5,
    stdout: '',
  })
})

test('entries of another account are neither listed nor undone, but those of another key of the same account are', async () => {
  const by = operator()
  const second = {
    env: {
      PARLEY_API_KEY: (
        await by.run('server accounts create --name Second --payment-method pm_card_visa -o id -q')
      ).stdout.trim(),
    },
  }
  await by.run('labels create --name Theirs', second)
  await by.run('labels update Theirs --name Other', second)
  await by.run('tools update 2 --description Mine')
  const [entry] = await by.json('history list', second)
  expect(entry).toMatchObject({ noun: 'labels' })
  expect(await by.json('history list')).toMatchObject([{ noun: 'tools' }])
  expect((await by.run('history list')).stderr).toContain('Not shown: 1 entry made with another API key')
  expect(await by.run(`history undo ${entry.entry}`)).toMatchObject({
    exitCode: 5,
    stdout: '',
    stderr: expect.stringContaining('another API key'),
  })
  const same = { env: { PARLEY_API_KEY: JSON.parse((await by.run('server accounts key 1 --json')).stdout).key } }
  expect(await by.json('history list', same)).toEqual([])
  for (const system of [same, {}]) await by.run('whoami', system)
  expect(await by.json('history list', same)).toMatchObject([{ noun: 'tools' }])
})

describe('an undo of a change that was followed by others', () => {
  test('restores only the entry of a list that it changed, and with --force prints what is lost', async () => {
    const by = operator()
    const { schema } = await by.json('tools get 2')
    const described = (name: string, description: string, all: readonly { name: string }[]): string =>
      JSON.stringify(all.map((it) => (it.name === name ? { ...it, description } : it)))
    await by.run(['tools', 'update', '2', '--schema', described('day', 'Mine', schema)])
    const [own] = await by.json<{ entry: number }[]>('history list --noun tools')
    const changed = (await by.json('tools get 2')).schema
    await by.run(['tools', 'update', '2', '--schema', described('time', 'Theirs', changed)])
    expect(await by.run(`history undo ${own?.entry}`)).toMatchObject({ exitCode: 0 })
    const [day, time] = (await by.json('tools get 2')).schema
    expect([day.description, time.description]).toEqual([schema[0].description, 'Theirs'])

    await by.run('tools update 2 --tool-timeout 20')
    const [last] = await by.json<{ entry: number }[]>('history list --noun tools')
    await by.run('tools update 2 --tool-timeout 25')
    const refused = await by.run(`history undo ${last?.entry}`)
    expect(refused).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('timeout: changed to 20; now 25; before 15'),
    })
    const forced = await by.run(`history undo ${last?.entry} --force -q`)
    expect(forced).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('timeout: 25 becomes 15') })
  })
})

test('an empty history does not say that nothing was changed, and leads to the paid operations', async () => {
  const by = operator()
  await by.run('sms send --from "Front desk" --to +14155550142 --body Hello')
  expect(await by.run('history list')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'No changes of resources in the history. Purchases and paid messages: parley ops list\n',
  })
  // The log has the message.
  expect((await by.run('history list --all-writes --since 1h --noun tools')).stderr).toBe(
    'No writes in the log match.\n',
  )
  await by.run('tools update 2 --tool-timeout 20')
  for (const filter of ['--noun labels', '--id 77', '--noun tools --id 77'])
    expect((await by.run(`history list ${filter}`)).stderr, filter).toBe(
      'No changes in the history match. All: parley history list\n',
    )
})
