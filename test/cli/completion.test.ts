import { describe, expect, test } from 'vitest'
import { complete } from '../../src/cli/complete.ts'
import { shownGlobals } from '../../src/cli/globals.ts'
import { tree } from '../../src/cli/tree.ts'
import { operator } from '../harness.ts'

/** What stands before the descriptions, for a line that ends where the cursor is. */
const words = (line: string): string[] => complete(line.split(' ')).map((it) => it.split('\t')[0] as string)

describe('completion', () => {
  test('offers nouns, verbs and deeper words, each with a description', () => {
    expect(words('')).toEqual(Object.keys(tree))
    expect(words('n')).toEqual(['numbers'])
    expect(words('numbers ')).toEqual(['search', 'buy', 'list', 'update', 'release'])
    expect(words('server ')).toContain('clock')
    expect(words('server clock a')).toEqual(['advance'])
    for (const line of ['', 'numbers ', 'tools update --']) for (const it of complete(line.split(' '))) expect(it).toMatch(/^\S+\t\S/)
  })

  test('goes through aliases, and through global flags with their values', () => {
    expect(words('key l')).toEqual(['list'])
    expect(words('server account ')).toEqual(['list', 'create', 'update', 'key', 'delete', 'ledger'])
    expect(words('--profile keys ')).toEqual(words(''))
    expect(words('--json numbers r')).toEqual(['release'])
    expect(words('-o json numbers r')).toEqual(['release'])
  })

  test('offers the flags of the command and the global ones, and no more', () => {
    const flags = words('tools update --')
    expect(flags).toEqual(expect.arrayContaining(['--name', '--tool-timeout', '--set-json', '--edit', '--json', '--no-color']))
    expect(words('keys list --')).not.toContain('--name')
    expect(words('keys list --f')).toEqual(['--fields'])
    const long = shownGlobals.filter((it) => !it.alone).map(({ flags: it }) => it.replace(/^-\w, /, '').replace(/ .*/, ''))
    expect(words('keys list --').sort()).toEqual(long.sort())
  })

  test('offers the choices of a flag that has some, and nothing for one that takes anything', () => {
    expect(words('tools update 1 --method P')).toEqual(['POST', 'PUT', 'PATCH'])
    expect(words('tools update 1 --method=P')).toEqual(['--method=POST', '--method=PUT', '--method=PATCH'])
    expect(words('keys list -o ')).toEqual(['table', 'json', 'ndjson', 'yaml', 'tsv', 'id'])
    expect(words('keys list --color n')).toEqual(['never'])
    expect(words('profile set x --default-output j')).toEqual(['json'])
    expect(words('tools update 1 --name ')).toEqual([])
  })

  test('offers what an argument or a flag may be, where that is known', () => {
    expect(words('numbers search --country ')).toEqual(['US', 'CA', 'GB', 'AU', 'IL', 'PL', 'FI', 'NL', 'DK', 'IT'])
    expect(words('numbers buy --country=D')).toEqual(['--country=DK'])
    expect(words('completion ')).toEqual(['bash', 'zsh', 'fish', 'powershell'])
    expect(words('completion bash ')).toEqual([])
    expect(words('api tools.u')).toEqual(['tools.update'])
    expect(words('schema numbers.b')).toEqual(['numbers.buy'])
    expect(words('help e').sort()).toEqual(['embedded-platform', 'environment', 'errors', 'events', 'exit-codes'])
    expect(words('help tool')).toEqual(['tools'])
    expect(words('help number b')).toEqual(['buy'])
    expect(words('help nonsense ')).toEqual([])
  })

  test('and help tell the bounds of a number', () => {
    const bounds = complete(['tools', 'update', '1', '--tool-timeo'])[0]
    expect(bounds).toBe('--tool-timeout\tSeconds to wait for the endpoint, 1-30')
  })

  test('offers the profiles there are', async () => {
    const { run, configDir } = operator()
    await run('profile set prod --url https://platform.example')
    const env = { PARLEY_CONFIG_DIR: configDir }
    for (const line of ['profile use ', 'profile remove ', 'keys list -p ', 'keys list --profile ', 'login '])
      expect(complete(line.split(' '), env).sort(), line).toEqual(['local', 'prod'])
    expect(complete(['keys', 'list', '--profile=p'], env)).toEqual(['--profile=prod'])
    expect(complete(['profile', 'use', ''], { PARLEY_CONFIG_DIR: '/nowhere' })).toEqual(['local'])
  })

  test('offers nothing where nothing can stand', () => {
    for (const line of ['nonsense ', 'keys list ', 'keys list -- --', 'keys nonsense --']) expect(words(line), line).toEqual([])
  })
})

test.each(['bash', 'zsh', 'fish', 'powershell'])('the script for %s asks the program itself', async (shell) => {
  const { stdout, stderr, exitCode } = await operator().run(`completion ${shell}`)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toMatch(/parley __complete '?--'? /)
})

test('a shell nobody wrote a script for is refused with those there are', async () => {
  expect(await operator().run('completion tcsh')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('Shells: bash, zsh, fish, powershell'),
  })
  expect(await operator().run('completion')).toMatchObject({ exitCode: 2, stdout: '' })
})
