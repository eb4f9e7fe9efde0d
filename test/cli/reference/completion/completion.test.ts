import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { visibleGlobalFlags } from '../../../../src/cli/program/commandline/global-flags.ts'
import { listFlags } from '../../../../src/cli/program/lists/list-flags.ts'
import { answerShell, complete, parseShellLine } from '../../../../src/cli/reference/completion/complete.ts'
import { tree } from '../../../../src/cli/tree.ts'
import { operator } from '../../../support/operator.ts'

/** The text before the descriptions, for a line that ends at the cursor. */
const words = (line: string): string[] => complete(line.split(' ')).map((it) => it.split('\t')[0] as string)

describe('completion', () => {
  test('offers nouns, verbs and deeper words, each with a description', () => {
    expect(words('')).toEqual(Object.keys(tree))
    expect(words('n')).toEqual(['numbers'])
    expect(words('numbers ')).toEqual(['search', 'buy', 'list', 'get', 'update', 'release'])
    expect(words('server ')).toContain('clock')
    expect(words('server clock a')).toEqual(['advance'])
    for (const line of ['', 'numbers ', 'tools update --'])
      for (const part of complete(line.split(' '))) expect(part).toMatch(/^\S+\t\S/)
  })

  test('works after aliases, and after global flags with values', () => {
    expect(words('key l')).toEqual(['list'])
    expect(words('server account ')).toEqual(['list', 'create', 'update', 'key', 'delete', 'ledger'])
    expect(words('--profile keys ')).toEqual(words(''))
    expect(words('--json numbers r')).toEqual(['release'])
    expect(words('-o json numbers r')).toEqual(['release'])
  })

  test('offers the flags of the command and the global ones, and no more', () => {
    const flags = words('tools update --')
    expect(flags).toEqual(
      expect.arrayContaining(['--name', '--tool-timeout', '--set-json', '--edit', '--json', '--no-color']),
    )
    expect(words('keys list --')).not.toContain('--name')
    expect(words('keys list --f')).toEqual(['--filter', '--fields', '--full-ids'])
    expect(words('keys create --f')).not.toContain('--filter')
    const long = visibleGlobalFlags
      .filter((it) => !it.isStandalone)
      .map(({ flags: spelling }) => spelling.replace(/^-\w, /, '').replace(/ .*/, ''))
    const ofLists = listFlags.map(({ flags: spelling }) => spelling.replace(/ .*/, ''))
    expect(words('keys list --').sort()).toEqual([...long, ...ofLists].sort())
  })

  test('offers the choices of a flag, and nothing for free text', () => {
    expect(words('tools update 1 --method P')).toEqual(['POST', 'PUT', 'PATCH'])
    expect(words('tools update 1 --method=P')).toEqual(['--method=POST', '--method=PUT', '--method=PATCH'])
    expect(words('keys list -o ')).toEqual(['table', 'json', 'ndjson', 'yaml', 'tsv', 'csv', 'id'])
    expect(words('keys list --color n')).toEqual(['never'])
    expect(words('profile set x --default-output j')).toEqual(['json'])
    expect(words('tools update 1 --name ')).toEqual([])
  })

  test('offers known values of arguments and flags', () => {
    expect(words('numbers search --country ')).toEqual(['US', 'CA', 'GB', 'AU', 'IL', 'PL', 'FI', 'NL', 'DK', 'IT'])
    expect(words('numbers buy --country=D')).toEqual(['--country=DK'])
    expect(words('completion ')).toEqual(['bash', 'zsh', 'fish', 'powershell'])
    expect(words('completion bash ')).toEqual([])
    expect(words('api tools.u')).toEqual(['tools.update'])
    expect(words('schema numbers.b')).toEqual(['numbers.buy'])
    expect(words('help e').sort()).toEqual(['environment', 'errors', 'events', 'exit-codes'])
    expect(words('help tool')).toEqual(['tools'])
    expect(words('help number b')).toEqual(['buy'])
    expect(words('help nonsense ')).toEqual([])
  })

  test('and help show the limits of a number', () => {
    const bounds = complete(['tools', 'update', '1', '--tool-timeo'])[0]
    expect(bounds).toBe('--tool-timeout\tTimeout of the endpoint in seconds, 1-30')
  })

  test('offers the existing profiles', async () => {
    const { run, configDir } = operator()
    await run('profile set prod --url https://platform.example')
    const env = { PARLEY_CONFIG_DIR: configDir }
    for (const line of ['profile use ', 'profile delete ', 'keys list -p ', 'keys list --profile ', 'login '])
      expect(complete(line.split(' '), env).sort(), line).toEqual(['local', 'prod'])
    expect(complete(['keys', 'list', '--profile=p'], env)).toEqual(['--profile=prod'])
    expect(complete(['profile', 'use', ''], { PARLEY_CONFIG_DIR: '/nowhere' })).toEqual(['local'])
  })

  test('offers nothing where no word is allowed', () => {
    for (const line of ['nonsense ', 'keys list ', 'keys list -- --', 'keys nonsense --'])
      expect(words(line), line).toEqual([])
  })
})

describe('names', () => {
  /** What a shell asks, in an operator's folders, with a fetch that runs the command in process. */
  async function asking() {
    const by = operator()
    await by.json('keys list')
    const cache = join(by.configDir, '..', 'cache')
    const env = {
      HOME: join(by.configDir, '..'),
      PARLEY_DATA_DIR: by.dataDir,
      PARLEY_CONFIG_DIR: by.configDir,
      PARLEY_CACHE_DIR: cache,
    }
    const asked: string[][] = []
    const ask = (...args: string[]): string[] =>
      answerShell(args, env, { os: 'linux', cwd: by.cwd }, (words) => void asked.push([...words]))
    return { by, env, asked, ask, list: (line: string) => by.run(line, { env: { PARLEY_CACHE_DIR: cache } }) }
  }

  test('with spaces are offered to scripts that quote, and as ids to scripts of 0.1', async () => {
    const { ask, list } = await asking()
    await list('assistants list')
    expect(ask('--names', '--', 'assistants', 'get', 'Fr')).toEqual(['Front desk\t1'])
    expect(ask('--names', '--', 'assistants', 'get', 'Front d')).toEqual(['Front desk\t1'])
    expect(ask('--', 'assistants', 'get', 'Fr')).toEqual([])
    expect(ask('--', 'assistants', 'get', '1')).toEqual(['1\tFront desk'])
    expect(ask('--names', '--', 'conversations', 'list', '--assistant=Fr')).toEqual(['--assistant=Front desk\t1'])
  })

  test.each([
    ['Fr', 'Front\\ desk'],
    ['"Fr', 'Front desk'],
    ["'Front d", 'Front desk'],
    ['Front\\ d', 'Front\\ desk'],
  ])('are quoted for bash after %s', async (typed, inserted) => {
    const { ask, list } = await asking()
    await list('assistants list')
    expect(ask('--line', `parley assistants get ${typed}`)).toEqual([`${inserted}\t1`])
    expect(ask('--line', `parley conversations list --assistant ${typed}`)).toEqual([`${inserted}\t1`])
    expect(ask('--line', `parley conversations list --assistant=${typed}`)).toEqual([`${inserted}\t1`])
  })

  test('and ids are listed once if nothing was listed yet, unless that would create a platform', async () => {
    const { by, ask, asked } = await asking()
    expect(ask('--names', '--', 'tools', 'get', '')).toEqual([])
    expect(asked).toEqual([
      [
        'tools',
        'list',
        ...'--limit 100 -o id --no-input --quiet --retries 0 --request-timeout 2 --profile local'.split(' '),
      ],
    ])
    ask('--names', '--', 'tools', 'get', '')
    expect(asked, 'a listing that failed is not repeated at once').toHaveLength(1)
    await by.run('profile set vault --url https://vault.example --api-key-command "pass show x"')
    ask('--names', '--', 'tools', 'get', '', '--profile', 'vault', '')
    expect(asked, 'a vault is not asked while somebody types').toHaveLength(1)
    const fresh = operator({ fresh: true })
    const none: string[][] = []
    answerShell(
      ['--', 'tools', 'get', ''],
      { HOME: fresh.cwd, PARLEY_DATA_DIR: fresh.dataDir, PARLEY_CACHE_DIR: join(fresh.cwd, 'c') },
      { os: 'linux', cwd: fresh.cwd },
      (it) => void none.push([...it]),
    )
    expect(none).toEqual([])
  })

  test('every completion that requests a list names an existing command', async () => {
    const { ask, asked, list } = await asking()
    for (const line of [
      'tools get',
      'automate get',
      'messaging templates',
      'sip-trunks get',
      'assistants update 1 --voice-id',
      'campaigns get',
    ])
      ask('--', ...line.split(' '), '')
    expect(asked.map(([noun, verb]) => `${noun} ${verb}`)).toEqual([
      'tools list',
      'automate list',
      'messaging senders',
      'sip-trunks list',
      'voices list',
      'campaigns list',
    ])
    for (const words of asked) expect(await list(words.join(' ')), words.join(' ')).toMatchObject({ exitCode: 0 })
    expect(ask('--', 'tools', 'get', 'look')).toEqual(['lookup_patient\t1'])
  })
})

describe('file names', () => {
  test('are offered only where a file or folder is expected', () => {
    const ask = (line: string) => answerShell(['--names', '--', ...line.split(' ')], {}, { os: 'linux', cwd: '/' })
    for (const line of [
      'tools create --file ',
      'tools create -f ',
      'tools create --file=x',
      'leads import --failed x',
      'profile set x --routes ',
      'pull ',
      'push f',
      'tools update 1 --if-unchanged ',
    ])
      expect(ask(line), line).toEqual(['\tfiles'])
    for (const line of [
      'tools get ',
      'numbers buy ',
      'tools create --name ',
      'keys create --name x',
      'automate get ',
      'tools update 1 --unset ',
    ])
      expect(ask(line), line).toEqual([])
    expect(
      answerShell(['--', 'pull', ''], {}, { os: 'linux', cwd: '/' }),
      'scripts of 0.1 offer files themselves',
    ).toEqual([])
  })
})

test.each([
  ['parley a b', { words: ['parley', 'a', 'b'], raw: 'b', quote: '' }],
  ['parley a ', { words: ['parley', 'a', ''], raw: '', quote: '' }],
  ['parley "a b" c', { words: ['parley', 'a b', 'c'], raw: 'c' }],
  ['parley "a \\"b', { words: ['parley', 'a "b'], quote: '"', raw: '"a \\"b' }],
  ["parley --x='a b", { words: ['parley', '--x=a b'], quote: "'", beforeQuote: '--x=' }],
  ['parley a\\ b', { words: ['parley', 'a b'], raw: 'a\\ b' }],
])('a line is split as a shell splits it: %s', (line, expected) => {
  expect(parseShellLine(line)).toMatchObject(expected)
})

test.each(['bash', 'zsh', 'fish', 'powershell'])('the script for %s asks the program itself', async (shell) => {
  const { stdout, stderr, exitCode } = await operator().run(`completion ${shell}`)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toMatch(/parley __complete (--line "\$|--names '?--'? )/)
})

test('an unsupported shell is refused with the list of supported ones', async () => {
  expect(await operator().run('completion tcsh')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('Shells: bash, zsh, fish, powershell'),
  })
  expect(await operator().run('completion')).toMatchObject({ exitCode: 2, stdout: '' })
})
