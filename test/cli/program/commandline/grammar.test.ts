import { describe, expect, test } from 'vitest'
import { tree } from '../../../../src/cli/tree.ts'
import { operator } from '../../../support/operator.ts'
import { ctrlC } from '../../../support/scripted-prompts.ts'

describe('words', () => {
  test.each([
    ['key ls -o id', 'keys list -o id'],
    ['keys rm 2 --yes', 'keys delete 2 --yes'],
    ['keys remove 2 --yes', 'keys delete 2 --yes'],
    ['tool ls -o id', 'tools list -o id'],
    ['number ls -o id', 'numbers list -o id'],
    ['profiles ls -o id', 'profile list -o id'],
    ['server account ls -o id', 'server accounts list -o id'],
    ['op ls', 'ops list'],
  ])('%s is %s', async (alias, full) => {
    const [a, b] = [await operator().run(alias), await operator().run(full)]
    expect(a).toEqual(b)
    expect(a.exitCode).toBe(0)
  })

  test('of an older form run the new verb: automate versions <id>', async () => {
    for (const flags of ['--json', '--limit 3']) {
      const [old, now] = [
        await operator().run(`automate versions ${flags} "Opening hours"`),
        await operator().run(`automate versions list ${flags} "Opening hours"`),
      ]
      expect(old).toEqual(now)
      expect(old).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/./) })
    }
    expect(await operator().run('automate versions')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Usage: parley automate versions <verb>'),
    })
  })

  test('cannot be abbreviated', async () => {
    for (const line of ['num list', 'numbers li', 'key li', 'tools upd 1'])
      expect(await operator().run(line), line).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
  })

  test.each([
    ['kyes list', 'Did you mean "parley keys"?'],
    ['keys lst', 'Did you mean "parley keys list"?'],
    ['server clock advnace 1h', 'Did you mean "parley server clock advance"?'],
    ['numbers buyy', 'Did you mean "parley numbers buy"?'],
    ['help number-s', 'Did you mean "numbers"?'],
    ['api tools.updat', 'Did you mean tools.update?'],
    ['keys list --jsno', 'Did you mean --json?'],
    ['keys list --colour', 'Did you mean --color?'],
    ['tools update 1 --tool-timeuot 3', 'Did you mean --tool-timeout?'],
    ['tools update 1 --tool-header x', 'Did you mean --headers?'],
    ['conversations send 1 Hello', 'Takes one argument. Pass other values with flags.'],
    ['assistants update 1 --foldr x', 'Did you mean --folder?'],
    ['campaigns create --messaging-sendr-id 1', 'Did you mean --messaging-sender-id?'],
    ['numbers search --contry GB', 'Did you mean --country?'],
    ['assistants enable-webhook 1 --url https://x.example', 'Did you mean --webhook-url?'],
    ['conversations enable-webhook 1', 'Did you mean "parley assistants enable-webhook"?'],
    ['keys list --profile lcoal', 'Did you mean "local"?', 4],
  ])('%s is reported: %s', async (line, guess, code = 2) => {
    const { exitCode, stdout, stderr, requests } = await operator().run(line)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: code, stdout: '', requests: [] })
    expect(stderr).toContain(guess)
  })

  test.each([
    ['xyzzy', 'Unknown command "xyzzy".'],
    ['keys xyzzy', 'Unknown command "keys xyzzy".'],
    ['keys list xyzzy', 'Too many arguments: expected 0, got 1.'],
    ['tools get 1 2', 'Too many arguments'],
    ['automate lint a.json', 'expected 0, got 1.\nhint: To read a file: parley automate lint --file a.json\n'],
    ['leads import leads.csv --dry-run', 'hint: To read a file: parley leads import --file leads.csv\n'],
    ['keys list --xyzzy', 'Unknown flag "--xyzzy".'],
    ['keys list --output', 'Missing value for --output.'],
    ['keys list -o xml', 'Invalid value "xml" for --output. Allowed values: table, json, ndjson, yaml, tsv, csv, id.'],
    ['login --name staging', 'Unknown flag "--name".\nhint: Pass the name as an argument: parley login <name>.'],
    ['keys list --json -o yaml', '--json and --output yaml cannot be combined.'],
    ['--nope', 'Unknown flag "--nope" in "parley".'],
    ['--json', 'Missing command in'],
    ['keys list --base-url 127.0.0.1:4010', 'Include the scheme, for example http://127.0.0.1:4010'],
    ['--api-key x keys list', 'Unknown flag "--api-key" in "parley".'],
    ['--api-key x keys list', 'Set PARLEY_API_KEY'],
    ['keys --api-key x list', 'Unknown flag "--api-key" in "parley keys".'],
    ['keys list --api-key x', 'Set PARLEY_API_KEY'],
    ['keys list --url http://localhost:4010', '--base-url <url>'],
    ['--name x keys create', 'Put the flags of a command after it'],
    ['--proflie x keys list', 'Did you mean --profile?'],
    ['automate restore Greeting --version 1', 'Unknown flag "--version".'],
    ['keys list -V', 'Unknown flag "-V".'],
    ['--version keys list', 'Unknown flag "--version".'],
    ['--version --json', 'run: parley --version'],
    ['keys --nope', 'Unknown flag "--nope" in "parley keys".'],
    ['keys --version', 'Unknown flag "--version" in "parley keys".'],
    ['keys --help --nope', 'Unknown flag "--nope" in "parley keys".'],
    ['--help --nope', 'Unknown flag "--nope" in "parley".'],
    ['profile use', 'Missing profile. Pass its name.'],
    ['server clock advance', 'Missing duration.'],
    ['server clock advance 5', 'Invalid duration "5".'],
    ['keys list --timeout soon', '--timeout must be a number of seconds from 0.01 to 86400, not "soon".'],
    ['keys list --timeout 0', '--timeout must be a number of seconds from 0.01 to 86400, not "0".'],
    ['keys list --timeout 1e9', '--timeout must be a number of seconds from 0.01 to 86400, not "1e9".'],
    ['keys list --retries 1.5', '--retries must be a whole number from 0 to 100, not "1.5".'],
    ['keys list --retries -1', '--retries must be a whole number from 0 to 100, not "-1".'],
    ['keys list --limit 0', 'Invalid --limit "0". Use a whole number from 1 to 999999999.'],
    ['numbers buy --max-price -1', 'Invalid --max-price "-1". Use an amount in USD of at least 0, or "any".'],
    ['help xyzzy', 'Unknown command or topic "xyzzy".'],
    ['help keys crate', 'Unknown command "keys crate". Did you mean "create"?'],
    ['help server clock advanse', 'Unknown command "server clock advanse". Did you mean "advance"?'],
    ['help keys create more', 'Unknown command "keys create more".'],
  ])('%s is refused: %s', async (line, sentence) => {
    const { exitCode, stdout, stderr, requests } = await operator().run(line)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
    expect(stderr).toContain(sentence)
  })
})

describe('help', () => {
  test('without any word is short and on stdout', async () => {
    const { exitCode, stdout, stderr } = await operator().run('')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(9)
    for (const word of ['parley demo', 'parley --help']) expect(stdout).toContain(word)
  })

  test('of a noun goes to stderr when a verb is missing, and to stdout on request', async () => {
    for (const noun of Object.keys(tree).filter((it) => !tree[it]?.load)) {
      const bare = await operator().run(noun)
      const asked = await operator().run(`${noun} --help`)
      expect(bare, noun).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('Verbs:') })
      expect(asked, noun).toMatchObject({ exitCode: 0, stdout: bare.stderr, stderr: '' })
      expect((await operator().run(`help ${noun}`)).stdout).toBe(bare.stderr)
    }
    expect(await operator().run('server clock')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('advance'),
    })
  })

  test('of a command requires neither arguments nor a platform', async () => {
    for (const line of [
      'tools get --help',
      'tools get -h',
      '--help tools get',
      'numbers buy +1 --max-price x --help',
      'keys create --json -h',
    ]) {
      expect(await operator().run(line), line).toMatchObject({
        exitCode: 0,
        stderr: '',
        requests: [],
        stdout: expect.stringContaining('Usage: parley '),
      })
    }
  })

  test('has topics, generated from the tables they describe', async () => {
    const { run } = operator()
    const { stdout } = await run('help exit-codes')
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 130, 143])
      expect(stdout).toMatch(new RegExp(`^  ${code} `, 'm'))
    expect((await run('help flags')).stdout).toContain('--print-curl')
    expect((await run('help environment')).stdout).toContain('PARLEY_API_KEY')
  })

  test('fits the width of the terminal', async () => {
    for (const columns of [60, 80, 100, 200]) {
      const { stdout } = await operator().run('tools update --help', { terminal: true, columns })
      // An example is one line, to be copied whole.
      const prose = stdout.slice(0, stdout.indexOf('Examples:')).split('\n')
      expect(Math.max(...prose.map((it) => it.length)), String(columns)).toBeLessThanOrEqual(Math.min(columns, 100))
    }
  })
})

describe('global flags', () => {
  test('may be anywhere in the line', async () => {
    const { stdout: wanted } = await operator().run('tools get 1 --json --fields name')
    for (const line of [
      '--json --fields name tools get 1',
      'tools --fields name --json get 1',
      'tools get --json --fields=name 1',
      '--output json tools --fields name get 1',
      '-o json tools get 1 --fields name',
      '-ojson tools get 1 --fields name',
      '--profile local --json tools get 1 --fields name',
      'tools -p local get -o json 1 --fields name',
    ]) {
      expect(await operator().run(line), line).toMatchObject({ exitCode: 0, stdout: wanted })
    }
  })

  test('take the next word as their value, even if it is a command', async () => {
    expect(await operator().run('--profile tools keys list')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Unknown profile "tools"'),
    })
  })

  test('after -- are words', async () => {
    const { run } = operator()
    expect(await run('tools get -- --json')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No tool "--json" found.'),
    })
    expect(await run('keys delete --yes -- -1')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No key "-1" found.'),
    })
    expect(await run('tools get --json -- 1')).toMatchObject({ exitCode: 0 })
  })
})

describe('a resource', () => {
  test('is found by its id or its unique name', async () => {
    const { json, run } = operator()
    expect((await json('tools get lookup_patient')).id).toBe(1)
    expect((await json('tools get 1')).id).toBe(1)
    expect((await json('numbers update +14155550199 --nickname Office')).id).toBe(3)
    expect((await json('numbers update Office --nickname "Front office"')).id).toBe(3)
    const ledger = await json('server accounts ledger 1')
    expect(await json('server accounts ledger "Northwind Dental"')).toEqual(ledger)
    expect(await json('server accounts ledger operations@northwind.example')).toEqual(ledger)
    expect(await run('keys delete ci --yes -o id')).toMatchObject({ exitCode: 0, stdout: '2\n' })
  })

  test('by a name that several resources have is refused with their ids', async () => {
    const { run } = operator()
    await run('keys create --name ci')
    const { exitCode, stdout, stderr, requests } = await run('keys delete ci --yes')
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: ['GET /api/user/api-keys'] })
    expect(stderr).toContain('Several keys are named "ci": 2, 4.')
  })

  test.each([
    'tools get',
    'tools update --description x',
    'tools delete --yes',
    'keys delete --yes',
    'numbers update --nickname x',
    'numbers release --yes',
    'server accounts ledger',
  ])('that is missing is prompted for on a terminal and refused elsewhere: %s', async (line) => {
    const { run } = operator()
    expect(await run(line)).toMatchObject({
      exitCode: 2,
      stdout: '',
      requests: [],
      stderr: expect.stringMatching(
        /^error: Missing \w+\. Pass its id or name\.\nhint: List \w+: parley [\w ]+ list\.\n$/,
      ),
    })
    for (const flag of ['--no-input', '--json'])
      expect(await run(`${line} ${flag}`, { terminal: true }), flag).toMatchObject({ exitCode: 2, requests: [] })
    expect(await run(line, { terminal: true, env: { PARLEY_NO_INPUT: '1' } })).toMatchObject({ exitCode: 2 })
    expect(await run(line, { answers: [['Which ', ctrlC]] })).toMatchObject({ exitCode: 130, stdout: '' })
  })

  test('is picked from a list of names and ids', async () => {
    const { run } = operator()
    const picked = await run('tools get', { answers: [['Which tool?', 'quote_treatment']] })
    expect(picked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('quote_treatment') })
    expect(picked.asked).toEqual([
      'Which tool?\nlookup_patient (1)\nbook_appointment (2)\nquote_treatment (3)\nreschedule_visit (4)',
    ])
    const deleted = await run('keys delete', {
      answers: [
        ['Which key?', 'dashboard (3)'],
        ['Delete API key "dashboard" (3)? Its clients lose access.', true],
      ],
    })
    expect(deleted).toMatchObject({ exitCode: 0, stdout: 'API key deleted successfully.\n' })
  })

  test('cannot be picked from an empty list', async () => {
    const { run } = operator()
    for (const name of ['lookup_patient', 'book_appointment', 'quote_treatment', 'reschedule_visit'])
      await run(`tools delete ${name} --confirm ${name}`)
    expect(await run('tools get', { terminal: true })).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No tools to choose from.'),
    })
  })
})

describe('a destructive command', () => {
  const lines = [
    ['keys delete 2', 'Delete API key "ci" (2)? Its clients lose access.'],
    ['campaigns delete 3', 'Delete campaign "Check-up" (3)? It is stopped first, and all its leads are deleted.'],
    [
      'numbers release 2',
      '(2)? Its subscription ends with the billing period, without a refund. Then the number goes back to the provider, and others can buy it.',
    ],
    ['server reset', 'Delete all data of the platform in '],
  ] as const

  test.each(lines)('asks on a terminal, with No as the default: %s', async (line, question) => {
    const { run, json } = operator()
    const before = [await json('keys list --fields id'), await json('campaigns list'), await json('numbers list')]
    const declined = await run(line, { answers: [[question, false]] })
    expect(declined).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringContaining('Nothing was changed.'),
    })
    expect(declined.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    expect([await json('keys list --fields id'), await json('campaigns list'), await json('numbers list')]).toEqual(
      before,
    )
    expect(await run(line, { answers: [[question, true]] })).toMatchObject({ exitCode: 0 })
  })

  test.each(lines)('needs --yes elsewhere: %s', async (line) => {
    const { run } = operator()
    for (const options of [{}, { stdin: 'y\n' }, { terminal: { stdin: true } }, { terminal: { stderr: true } }]) {
      const { exitCode, stdout, stderr, requests } = await run(line, options)
      expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: '' })
      expect(stderr).toMatch(/needs consent|requires confirmation/)
      expect(stderr).toContain('Pass --yes to confirm.')
      expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    }
    expect(await run(`${line} -y`)).toMatchObject({ exitCode: 0 })
  })
})

test('missing fields are prompted for on a terminal, and named elsewhere', async () => {
  const { run, json } = operator()
  expect(await run('tools create --name x')).toMatchObject({
    exitCode: 2,
    stdout: '',
    requests: [],
    stderr:
      'error: Missing --description, --endpoint, --method.\nhint: Pass them as flags or with --file. See: parley tools create --help.\n',
  })
  const { exitCode, asked } = await run('tools create --name weather', {
    answers: [
      ['When and how the assistant should use it:', 'Tell the weather'],
      ['URL to call', 'nowhere'],
      ['URL to call', 'https://weather.example'],
      ['HTTP method:', 'POST'],
    ],
  })
  expect(exitCode).toBe(0)
  expect(asked).toContain('The endpoint field must be a valid URL.')
  expect(asked.at(-1)).toBe('HTTP method:\nGET\nPOST\nPUT\nPATCH\nDELETE')
  expect(await json('tools get weather')).toMatchObject({
    description: 'Tell the weather',
    endpoint: 'https://weather.example',
    method: 'POST',
  })
})
