import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { filledPlace, parley, shell } from '../support/built-program.ts'
import { holdings } from '../support/holdings.ts'

// What a script sees of a list and of a write. The tests in test/cli/program/output have each form in process.

const at = await filledPlace()
const buy = 'numbers buy +15005550006'

describe('parley keys list', () => {
  const list = async (flags = '', env = {}) => {
    const { exitCode, stdout, stderr } = await parley(`keys list ${flags}`.trim(), { at, env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return stdout
  }
  const plain = /^ID\tName\tLast used\tCreated\n1\tlocal\t\S+ \S+ \S+\t\S+ \S+ \S+\n2\tci\t.*\n3\tdashboard\t-\t.*\n$/

  test('without a terminal prints a plain table with tabs, whatever the environment says about terminals', async () => {
    for (const env of [
      {},
      { CI: '1' },
      { NO_COLOR: '1' },
      { TERM: 'dumb' },
      { TERM: 'xterm-256color', COLUMNS: '40' },
      { ACCESSIBLE: '1' },
    ])
      expect(await list('', env)).toMatch(plain)
    expect(await list('--no-header')).toMatch(/^1\tlocal\t/)
    expect((await shell('parley keys list | cat', { at })).stdout).toMatch(plain)
  })

  test('prints no color without a terminal, except in errors with --color always', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
    const color = /\x1b\[/
    const shown = async (flags: string, env: Record<string, string>) =>
      (await parley(`tools get nothing ${flags}`.trim(), { at, env })).stderr
    for (const [flags, env] of [
      ['--color always', {}],
      ['', { FORCE_COLOR: '1' }],
    ] as const) {
      expect(await list(flags, env)).toMatch(plain)
      expect(await shown(flags, env)).toMatch(color)
    }
    for (const [flags, env] of [
      ['', {}],
      ['', { CLICOLOR: '1' }],
      ['--no-color', { FORCE_COLOR: '1' }],
      ['--json', { FORCE_COLOR: '1' }],
      ['', { FORCE_COLOR: '0', TERM: 'xterm-256color' }],
    ] as const)
      expect(await shown(flags, env)).not.toMatch(color)
  })

  test('prints one array in JSON and YAML, and one item per line in NDJSON, with the same content', async () => {
    const items = JSON.parse(await list('--json'))
    expect(items).toEqual([
      {
        id: 1,
        name: 'local',
        last_used_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{15}Z$/),
        created_at: expect.any(String),
      },
      { id: 2, name: 'ci', last_used_at: expect.any(String), created_at: expect.any(String) },
      { id: 3, name: 'dashboard', last_used_at: null, created_at: expect.any(String) },
    ])
    // Each command uses the first key, whose last use is stored once a minute.
    const same = items.map((it: object, n: number) => (n === 0 ? { ...it, last_used_at: expect.any(String) } : it))
    expect(parse(await list('-o yaml'))).toEqual(same)
    const lines = (await list('-o ndjson')).trimEnd().split('\n')
    expect(lines.map((it) => JSON.parse(it))).toEqual(same)
    expect(JSON.parse(await list('--json', { CI: '1', NO_COLOR: '1', TERM: 'dumb' }))).toEqual(same)
    expect(JSON.parse(await list('', { PARLEY_OUTPUT: 'json' }))).toEqual(same)
  })

  test('prints only ids with -o id, and fields by name', async () => {
    expect(await list('-o id')).toBe('1\n2\n3\n')
    expect(await list('-o tsv --fields name,id')).toBe('name\tid\nlocal\t1\nci\t2\ndashboard\t3\n')
    expect(JSON.parse(await list('--json --fields name --limit 2'))).toEqual([{ name: 'local' }, { name: 'ci' }])
    expect(JSON.parse(await list('--json --envelope'))).toEqual({ api_keys: JSON.parse(await list('--json')) })
  })

  test('without results prints an empty array, and a sentence on stderr for people', async () => {
    const empty = await filledPlace()
    for (const name of holdings(empty).tools) await parley(`tools delete ${name} --confirm ${name}`, { at: empty })
    expect(await parley('tools list --json', { at: empty })).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' })
    expect(await parley('tools list -o id', { at: empty })).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await parley('tools list', { at: empty })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('No tools. Create one: parley tools create.'),
    })
  })

  test('that fails leaves stdout empty and prints one JSON object on stderr', async () => {
    for (const form of ['json', 'ndjson', 'yaml']) {
      const { exitCode, stdout, stderr } = await parley(`tools get 999 -o ${form}`, { at })
      expect([exitCode, stdout]).toEqual([4, ''])
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: expect.any(String),
          message: 'Tool not found',
          hint: expect.toSatisfy((it) => it === null || typeof it === 'string'),
          status: 404,
          details: [],
          request_id: expect.any(String),
          retry_after: null,
          next: [],
        },
      })
    }
  })
})

describe('a write', () => {
  test('prints the object for programs, and one sentence, the id and the next command for people', async () => {
    const own = await filledPlace()
    const bought = await parley(`${buy} --yes --json`, { at: own })
    expect([bought.exitCode, bought.stderr]).toEqual([0, expect.not.stringContaining('error')])
    expect(JSON.parse(bought.stdout)).toMatchObject({ id: expect.any(Number), phone_number: '+15005550006' })
    const { id } = JSON.parse(bought.stdout)
    const named = await parley(`numbers update ${id} --nickname Lobby`, { at: own })
    expect(named).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(new RegExp(`^[A-Z].*\\. Id: ${id}\n$`)),
      stderr: 'Next: parley numbers list\n',
    })
    expect(await parley('numbers update +15005550006 --nickname Lobby -o id', { at: own })).toMatchObject({
      exitCode: 0,
      stdout: `${id}\n`,
    })
    expect(await parley('numbers buy --max-price 50 --yes -o id', { at: own })).toMatchObject({
      exitCode: 0,
      stdout: `${id + 1}\n`,
    })
  })

  test('with --dry-run or --print-curl shows the request and sends nothing', async () => {
    const own = await filledPlace()
    const { numbers } = holdings(own)
    const dry = await parley(`${buy} --dry-run --json`, { at: own })
    expect(JSON.parse(dry.stdout)).toEqual({
      method: 'POST',
      path: '/api/user/phone-numbers/purchase',
      body: { phone_number: '+15005550006' },
    })
    const curl = await parley(`${buy} --print-curl`, { at: own })
    expect(curl.stdout).toMatch(/^curl [\s\S]*\$PARLEY_API_KEY/)
    expect(holdings(own).numbers).toEqual(numbers)
  })
})
