import { expect, test } from 'vitest'
import { commandHelp } from '../../../../src/cli/reference/help/command-help.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

const commands = await allCommands()

test('the help of every command matches its declaration, at any width', async () => {
  const { run } = operator()
  for (const [words, command, aliases] of commands) {
    for (const [flag, columns] of [
      ['--help', 60],
      ['-h', 100],
    ] as const) {
      const { exitCode, stdout, stderr } = await run(`${words} ${flag}`, { terminal: true, columns })
      expect({ exitCode, stdout, stderr }, words).toEqual({
        exitCode: 0,
        stdout: commandHelp(words, command, columns, aliases),
        stderr: '',
      })
    }
  }
})

test.each(['keys rotate', 'assistants chat', 'profile use'])(
  'the help of %s, which has no preview, does not list --dry-run',
  async (words) => {
    const { run } = operator()
    expect((await run(`${words} --help`)).stdout).not.toContain('--dry-run')
    expect((await run(`${words} --dry-run`)).exitCode).toBe(2)
    expect((await run('sms send --help')).stdout).toContain('--dry-run')
  },
)

test('"help" and the words of a command print the help of that command, at any depth', async () => {
  const { run } = operator()
  for (const line of [
    'keys create',
    'key rm',
    'whoami',
    'server clock advance',
    'knowledge documents get',
    'keys',
    'server clock',
  ])
    expect(await run(`help ${line}`, { terminal: true, columns: 70 }), line).toEqual(
      await run(`${line} --help`, { terminal: true, columns: 70 }),
    )
})

test('help is the same with other flags', async () => {
  const { run } = operator()
  const alone = await run('keys list --help')
  expect(await run('keys list --json --help')).toEqual(alone)
  expect(await run('key ls -h')).toEqual(alone)
})

test('the flag that confirms side effects is mentioned only where it exists', () => {
  for (const [words, command] of commands) {
    const help = commandHelp(words, command, 100)
    if (help.includes('--confirm-side-effects')) expect(help, words).toMatch(/^ {2}--confirm-side-effects /m)
  }
})

test('help says which flag confirms: --yes, --confirm for what is in use, and only --confirm to restore a backup', async () => {
  const { run } = operator()
  const text = async (words: string): Promise<string> => (await run(`${words} --help`)).stdout.replaceAll(/\s+/g, ' ')
  expect(await text('keys delete')).toContain('scripts must pass --yes (exit code 10')
  expect(await text('campaigns delete')).toContain('scripts must pass --yes, or --confirm <name> if it is in use (exit')
  const restore = await text('server restore')
  expect(restore).toContain('If the data folder has data')
  expect(restore).toContain('scripts must pass --confirm <name> (exit code 10 without it). --yes is not enough')
})
