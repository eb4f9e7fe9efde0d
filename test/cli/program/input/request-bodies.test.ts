import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

/** What a command would send. */
async function sent(by: Operator, line: string, options?: RunOptions): Promise<Record<string, unknown>> {
  const { body } = await by.json(`${line} --dry-run`, options)
  return body
}

function withFile(name: string, text: string): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, name), text)
  return by
}

describe('a field', () => {
  test('that is passed in several ways is taken from the flag, then --set, then --file, then --data', async () => {
    const by = withFile(
      'tool.yaml',
      'name: from_file\ndescription: from file\nendpoint: https://file.example\nmethod: POST\n',
    )
    const data = `--data '{"name":"from_data","description":"from data","endpoint":"https://data.example","method":"GET","body_format":"form"}'`
    const all = `tools create --description "from flag" --set description="from set" --set endpoint=https://set.example --file tool.yaml ${data}`
    expect(await sent(by, all)).toEqual({
      description: 'from flag',
      endpoint: 'https://set.example',
      name: 'from_file',
      method: 'POST',
      body_format: 'form',
    })
  })

  test('that was not passed is not sent', async () => {
    const by = operator()
    expect(await sent(by, 'tools update 1 --tool-timeout 20')).toEqual({ timeout: 20 })
    expect(await sent(by, 'tools update 1 --set name=x')).toEqual({ name: 'x' })
    expect(await by.run('tools update 1')).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('Missing fields to change.'),
    })
    expect(await by.run('numbers update 1')).toMatchObject({ exitCode: 2, requests: [] })
    expect(await by.run('server accounts update 1')).toMatchObject({ exitCode: 2, requests: [] })
  })

  test('set with --set is text, and with --set-json any JSON value, also inside lists', async () => {
    const by = operator()
    expect(
      await sent(
        by,
        "tools update 1 --set name=20 --set-json timeout=20 --set headers.0.name=X-A --set headers.0.value=1 --set-json 'schema=[]'",
      ),
    ).toEqual({
      name: '20',
      timeout: 20,
      headers: [{ name: 'X-A', value: '1' }],
      schema: [],
    })
    expect(await sent(by, 'tools update 1 --set description=a=b --set name=')).toEqual({ description: 'a=b', name: '' })
  })

  test('is cleared by --unset and by the word null if it can be cleared', async () => {
    const by = operator()
    expect(await sent(by, 'numbers update 4 --unset nickname')).toEqual({ nickname: null })
    expect(await sent(by, 'numbers update 4 --nickname null')).toEqual({ nickname: null })
    expect(await sent(by, 'server accounts update 1 --payment-method null')).toEqual({ payment_method: null })
    expect(
      await sent(by, 'tools create --description null --name x --endpoint https://x.example --method GET'),
    ).toMatchObject({ description: 'null' })
    expect(await sent(by, 'tools update 1 --set description=null')).toEqual({ description: 'null' })
  })

  test.each([
    ['tools update 1 --description null', '--description cannot be cleared', '--set description=null'],
    ['sip-trunks update 4 --phone-number null', '--phone-number cannot be cleared', '--set phone_number=null'],
    ['tools update 1 --tool-timeout null', '--tool-timeout cannot be cleared', 'Omit the flag'],
    ['tools update 1 --headers null', '--headers cannot be cleared', "--headers '[]'"],
  ])('that cannot be cleared is not cleared by the word null: %s', async (line, sentence, way) => {
    const { exitCode, stderr, requests } = await operator().run(line)
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
    expect(stderr).toContain(sentence)
    expect(stderr).toContain(way)
  })

  test('that is a list of simple values can be passed with commas', async () => {
    const by = operator()
    const ips = ['203.0.113.7', '2001:db8::/32', '198.51.100.0/24']
    expect(await sent(by, `sip-trunks update Reception --allowed-inbound-ips "${ips.join(', ')}"`)).toEqual({
      allowed_inbound_ips: ips,
    })
    expect(await sent(by, 'sip-trunks update Reception --allowed-inbound-ips 203.0.113.7')).toEqual({
      allowed_inbound_ips: ['203.0.113.7'],
    })
    expect(await sent(by, `sip-trunks update Reception --allowed-inbound-ips '["203.0.113.7"]'`)).toEqual({
      allowed_inbound_ips: ['203.0.113.7'],
    })
    expect(await sent(by, 'assistants update 1 --tool-ids 1,2')).toEqual({ tool_ids: [1, 2] })
    expect((await by.run('tools update 1 --headers x,y')).stderr).toContain("'[…]' for a list")
  })

  test('that is unknown is refused in a flag, and sent in a document for the platform to check', async () => {
    const by = operator()
    const named = await by.run('tools update 1 --set colour=red')
    expect(named).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('Unknown field "colour"'),
    })
    expect(await sent(by, "tools update 1 --data '{colour: red}'")).toEqual({ colour: 'red' })
    const { exitCode, stderr } = await by.run("tools update 1 --data '{colour: red}'")
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('colour: The colour field is not recognized.'),
    })
  })

  test.each([
    ['--set name', 'Invalid --set "name". Use path=value.'],
    ['--set =x', 'Invalid --set "=x". Use path=value.'],
    ['--data \'{"description": }\'', '"description" has no value at line 1, column 15'],
    ["--data '{description}'", '"description" has no value at line 1, column 13'],
    ["--data '{headers: [{name: , value: x}]}'", '"name" has no value'],
    ["--headers '[{name: a, value: }]'", '"value" has no value'],
    ['--set-json timeout=x', '--set-json timeout is not valid JSON'],
    ['--set __proto__.x=1', 'Invalid field path'],
    ['--set a..b=1', 'Invalid field path'],
    ['--set headers.1.value=x', 'Invalid field path "headers.1.value": "headers" has no entry 0.'],
    [
      '--set headers.0.name=X-A --set headers.name=X-B',
      'Invalid field path "headers.name": "headers" is a list. Its entries have numbers, such as headers.0.',
    ],
    ['--set name=x --set name.y=1', 'is not an object or a list'],
    ['--data 5', '--data must contain an object with fields.'],
    ["--data '[1]'", '--data must contain an object with fields.'],
    ["--data '{a: [}'", '--data is not valid JSON or YAML'],
    ["--data ''", '--data is empty.'],
    ['--file nowhere.yaml', '--file: Could not read nowhere.yaml'],
    ['--headers @nowhere.yaml', '--headers: Could not read nowhere.yaml'],
    ['--headers text', '--headers must contain a list or an object.'],
    ["--headers '[{name: a'", '--headers is not valid JSON or YAML'],
  ])('that cannot be read exits with 2 before any request: %s', async (flags, sentence) => {
    const { exitCode, stdout, stderr, requests } = await operator().run(`tools update 1 ${flags}`)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
    expect(stderr).toContain(sentence)
  })

  test('that is not YAML is reported with its position', async () => {
    const by = withFile('.parley.yaml', 'profile: [')
    for (const [command, line] of [
      [operator(), "tools update 1 --data '{a: [}'"],
      [operator(), "tools update 1 --headers '[{name: a'"],
      [by, 'tools list'],
    ] as const) {
      const { exitCode, stderr } = await command.run(line)
      expect({ line, exitCode, stderr }).toEqual({
        line,
        exitCode: 2,
        stderr: expect.stringMatching(/at line 1, column \d+:[\s\S]*\^\n$/),
      })
    }
  })

  test.each([
    ['tool.json', '{"description": }', 'line 1, column 15'],
    ['tool.yaml', 'name: x\nheaders:\n  - {"name": X-A, "value": }\n', 'line 3, column 26'],
  ])('without a value between braces is refused with its position: %s', async (name, text, place) => {
    const { exitCode, stdout, stderr, requests } = await withFile(name, text).run(`tools update 1 --file ${name}`)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
    expect(stderr).toContain(place)
  })

  test('with a YAML alias bomb does not crash the program', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((it, n) => `${it}: &${it} [${`*${'abcdefg'[n]},`.repeat(9)}]`),
    ].join('\n')
    const { exitCode, stdout } = await withFile('bomb.yaml', bomb).run('tools update 1 --file bomb.yaml')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  })
})

describe('a document', () => {
  test('can be JSON or YAML, in a file, inline or piped', async () => {
    const wanted = { name: 'x', timeout: 20, headers: [{ name: 'X-A', value: '1' }] }
    const json = JSON.stringify(wanted)
    const yaml = 'name: x\ntimeout: 20\nheaders:\n  - name: X-A\n    value: 1\n'
    for (const text of [json, yaml, `\uFEFF${json}`, `# a remark\n${yaml}`]) {
      const by = withFile('tool.txt', text)
      expect(await sent(by, 'tools update 1 --file tool.txt')).toEqual(wanted)
      expect(await sent(by, 'tools update 1 -f -', { stdin: text.replace('\uFEFF', '') })).toEqual(wanted)
      expect(await sent(by, `tools update 1 -f ${join(by.cwd, 'tool.txt')}`)).toEqual(wanted)
    }
    const by = operator()
    expect(await sent(by, `tools update 1 --data '${json}'`)).toEqual(wanted)
    expect(await sent(by, "tools update 1 --data 'name: x'")).toEqual({ name: 'x' })
  })

  test('keeps numbers with a plus or leading zeros, and text that looks like another type, unchanged', async () => {
    const yaml = [
      'name: 0044207',
      'description: +14155550123',
      'endpoint: 2026-01-31',
      'method: NO',
      'timeout: 0x10',
      'static_fields: [{key: phone, value: +14155550123}, {key: local, value: 0044207}, {key: hex, value: 0x1F}, {key: yes, value: on}, {key: none, value: null}, {key: float, value: 1e3}]',
    ].join('\n')
    expect(await sent(withFile('tool.yaml', yaml), 'tools update 1 -f tool.yaml')).toEqual({
      name: '0044207',
      description: '+14155550123',
      endpoint: '2026-01-31',
      method: 'NO',
      timeout: '0x10',
      static_fields: [
        { key: 'phone', value: '+14155550123' },
        { key: 'local', value: '0044207' },
        { key: 'hex', value: '0x1F' },
        { key: 'yes', value: 'on' },
        { key: 'none', value: null },
        { key: 'float', value: '1e3' },
      ],
    })
  })

  test('with a phone number keeps the plus sign in a purchase', async () => {
    const by = withFile('number.yaml', 'phone_number: +15005550006\n')
    expect(await by.json('numbers buy --file number.yaml --yes')).toMatchObject({ phone_number: '+15005550006' })
    const api = operator()
    expect((await api.json("api numbers.buy --data '{phone_number: +15005550006}' --yes")).data.phone_number).toBe(
      '+15005550006',
    )
    expect(await api.run("api numbers.buy --data '{phone_number: 0015005550006}' --yes")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('Unable to parse phone number. Please provide a valid E.164 format number.'),
    })
  })

  test('of a list is accepted in its flag as JSON, as YAML, in a file and from standard input', async () => {
    const wanted = { headers: [{ name: 'X-A', value: '0044' }] }
    const by = withFile('headers.yaml', '- name: X-A\n  value: 0044\n')
    for (const flag of [
      `'[{"name":"X-A","value":"0044"}]'`,
      "'[{name: X-A, value: 0044}]'",
      '@headers.yaml',
      `@${join(by.cwd, 'headers.yaml')}`,
    ]) {
      expect(await sent(by, `tools update 1 --headers ${flag}`), flag).toEqual(wanted)
    }
    expect(await sent(by, 'tools update 1 --headers @-', { stdin: '- {name: X-A, value: 0044}' })).toEqual(wanted)
  })
})

/** A line of every command that writes through an endpoint. */
const writes = [
  'keys create --name x',
  'keys delete 2 --yes',
  'tools create --name weather --description d --endpoint https://weather.example --method GET',
  'tools update 1 --tool-timeout 20',
  'tools delete 1 --yes',
  'numbers buy +15005550006 --yes',
  'numbers buy --country GB --max-price 5 --yes',
  'numbers update 4 --nickname x',
  'numbers release 3 --yes',
  'server accounts create --name Second',
  'server accounts update 1 --top-up 5',
  'server clock freeze',
  'server clock advance 31d',
  'server clock resume',
  'server seed',
  'server reset --yes',
  'api keys.delete --data {id:\\ 2} --yes',
] as const

const state = async ({ json }: Operator): Promise<unknown> =>
  Promise.all(
    [
      'keys list --fields id,name',
      'tools list',
      'numbers list',
      'server accounts list',
      'server accounts ledger 1',
      'server clock get',
      'ops list',
    ].map((it) => json(it)),
  )

describe.each(['--dry-run', '--print-curl'])('with %s', (flag) => {
  test.each(writes)('nothing changes: %s', async (line) => {
    const by = operator()
    const before = await state(by)
    const { exitCode, stdout, requests } = await by.run(`${line} ${flag}`)
    expect(exitCode).toBe(0)
    expect(stdout).not.toBe('')
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    expect(await state(by)).toEqual(before)
  })

  test('a write that is not a valid request is refused', async () => {
    const by = operator()
    await by.run('profile set staging --url https://platform.example')
    const before = await by.json('profile list')
    for (const line of [
      'profile set other --url https://other.example',
      'profile use staging',
      'profile delete staging --yes',
      'server stop',
      'server start --port 0',
    ]) {
      expect(await by.run(`${line} ${flag}`), line).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('Nothing was done.'),
      })
    }
    expect(await by.json('profile list')).toEqual(before)
  })
})

test('--dry-run shows method, path and body in every format, also without the required confirmation', async () => {
  const by = operator()
  expect(await by.json('keys delete 2 --dry-run')).toEqual({
    method: 'DELETE',
    path: '/api/user/api-keys/2',
    body: null,
  })
  expect(await by.run('numbers buy +15005550006 --dry-run')).toMatchObject({
    stdout: 'Method\tPOST\nPath\t/api/user/phone-numbers/purchase\nBody phone number\t+15005550006\n',
    stderr: 'Dry run. Nothing was sent.\n',
  })
  expect((await by.run('keys create --name x --dry-run -o id')).stdout).toBe('/api/user/api-keys\n')
  expect(await by.run('keys list --dry-run -o id')).toMatchObject({ exitCode: 0, stdout: '1\n2\n3\n' })
})

test('--print-curl prints a command line for a shell, with the key as $PARLEY_API_KEY', async () => {
  const by = operator()
  const env = { PARLEY_API_KEY: '9|SecretSecretSecretSecret', PARLEY_BASE_URL: 'https://platform.example/prefix' }
  const { exitCode, stdout, requests } = await by.run(`tools update 1 --description "It's open" --print-curl`, { env })
  expect({ exitCode, requests }).toEqual({ exitCode: 0, requests: [] })
  expect(stdout).toBe(
    [
      "curl -X PUT 'https://platform.example/prefix/api/user/tools/1'",
      '-H "Authorization: Bearer $PARLEY_API_KEY"',
      "-H 'Accept: application/json'",
      "-H 'Content-Type: application/json'",
      `--data-raw '{"description":"It'\\''s open"}'\n`,
    ].join(' \\\n  '),
  )
  expect((await by.run('keys list --print-curl', { env })).stdout).not.toContain('Secret')
  expect((await by.run('server clock get --print-curl')).stdout).toContain('-H "Parley-Control: $PARLEY_CONTROL_TOKEN"')
})

test('--verbose and --debug print no secret', async () => {
  const by = operator()
  const env = { PARLEY_API_KEY: (await by.json('keys create --name debug')).token }
  const { stdout, stderr, exitCode } = await by.run('keys create --name another --json --debug', { env })
  expect(exitCode).toBe(0)
  const { token } = JSON.parse(stdout)
  for (const secret of [env.PARLEY_API_KEY, token]) expect(stderr).not.toContain(secret.slice(secret.indexOf('|') + 1))
  expect(stderr).toContain('> POST embedded:/api/user/api-keys')
  expect((await by.run('tools list --verbose', { env })).stderr).toMatch(/^GET \/api\/user\/tools 200 \d+ ms\n$/)
})

test('errors of the platform name the line of a file or the flag', async () => {
  const by = operator()
  writeFileSync(
    join(by.cwd, 'tool.yaml'),
    'name: weather\ndescription: Tell the weather.\nendpoint: https://weather.example\nmethod: GET\ntimeout: 99\nschema:\n  - name: town\n    type: city\n    description: Name of the town\n',
  )
  const { exitCode, stderr } = await by.run('tools create --file tool.yaml --method FETCH')
  expect(exitCode).toBe(6)
  expect(stderr).toContain('  tool.yaml:5 (timeout): The timeout field must be between 1 and 30.\n')
  expect(stderr).toContain('  tool.yaml:8 (schema.0.type): The selected schema.0.type is invalid.\n')
  expect(stderr).toContain(
    '  --method: The selected method is invalid. Allowed values: GET, POST, PUT, PATCH, DELETE.\n',
  )
})
