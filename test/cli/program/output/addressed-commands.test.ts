import { describe, expect, test } from 'vitest'
import { addressCommands, platformFlagsOf } from '../../../../src/cli/program/output/addressed-commands.ts'
import { operator } from '../../../support/operator.ts'

// A command line that Parley prints acts on the platform of the command that printed it.

const on = '--profile staging'

describe('the flags follow the command and its values', () => {
  test.each([
    ['Next: parley assistants get 3', 'Next: parley assistants get 3 --profile staging'],
    ['List them: parley ops list --open.', 'List them: parley ops list --profile staging --open.'],
    ['Run parley ops reconcile first.', 'Run parley ops reconcile --profile staging first.'],
    ['parley tools get <id>, or parley tools list.', `parley tools get <id> ${on}, or parley tools list ${on}.`],
    ['parley automate get "Big one"', `parley automate get "Big one" ${on}`],
    ['parley leads import leads2.csv', `parley leads import ${on} leads2.csv`],
    ['Add it with "parley labels create".', `Add it with "parley labels create ${on}".`],
    [`parley numbers buy +15005550006`, `parley numbers buy +15005550006 ${on}`],
    ['parley ops run db09f446.', `parley ops run db09f446 ${on}.`],
    [
      'parley calls get 0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90',
      `parley calls get 0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90 ${on}`,
    ],
  ])('%s', (text, expected) => expect(addressCommands(text, on)).toBe(expected))

  test.each([
    'parley profile list',
    'Start one: parley server start.',
    'Sign in: parley login staging.',
    'parley tools get 3 --profile production',
    'parley tools get 3 -p production',
    'See: parley numbers buy --help.',
    'Parley of parley numbers',
  ])('unchanged: %s', (text) => expect(addressCommands(text, on)).toBe(text))
})

test('words that cannot be parsed name their platform too', () => {
  expect(platformFlagsOf(['tools', 'get', '-p', 'staging'])).toBe('--profile staging')
  expect(platformFlagsOf(['--base-url=http://10.0.0.7:4010', '--insecure'])).toBe(
    '--base-url http://10.0.0.7:4010 --insecure',
  )
  expect(platformFlagsOf(['--profile', 'my team'])).toBe("--profile 'my team'")
  expect(platformFlagsOf(['tools', 'list'])).toBe('')
})

describe('hints, notes and results of commands', () => {
  test('an error, for people and for programs', async () => {
    const { run } = operator()
    expect((await run('tools get 99 --profile local')).stderr).toContain('parley tools list --profile local')
    const { error } = JSON.parse((await run('tools get 99 --profile local --json')).stderr)
    expect(error.hint).toContain('parley tools list --profile local')
    expect((await run('tools get 99')).stderr).not.toContain('--profile')
  })

  test('an invalid command line', async () => {
    const { run } = operator()
    expect((await run('tools get --profile local')).stderr).toContain('parley tools list --profile local')
  })

  test('the fixes of doctor', async () => {
    const { run, json } = operator()
    expect((await run('doctor --profile local')).stdout).toMatch(/parley messaging assign \d --profile local/)
    const findings = JSON.parse((await run('doctor --json --profile local')).stdout) as { hint: string | null }[]
    expect(findings.some((it) => /messaging assign \d --profile local/.test(it.hint ?? ''))).toBe(true)
    const plain = await json<{ hint: string | null }[]>('doctor')
    expect(plain.some((it) => it.hint?.includes('--profile local'))).toBe(false)
  })

  test('what a write prints', async () => {
    const { run } = operator()
    const { stdout, stderr } = await run('assistants update 1 --name Reception --profile local')
    expect(stdout + stderr).not.toMatch(/parley assistants get 1$/m)
  })
})
