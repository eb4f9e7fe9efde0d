import { describe, expect, test } from 'vitest'
import { suggestNames } from '../../../../src/cli/program/commandline/closest-match.ts'
import { suggestCommands } from '../../../../src/cli/reference/help/suggest-commands.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

describe('words of other tools lead to the command', () => {
  const { run } = operator({ lasts: 'file' })

  test.each([
    ['auth login', 'login'],
    ['logout', 'profile delete'],
    ['get tools', 'tools get'],
    ['list tools', 'tools list'],
    ['ls assistants', 'assistants list'],
    ['describe assistant 1', 'assistants get 1'],
    ['delete tool 7 --yes', 'tools delete 7 --yes'],
    ['create assistant', 'assistants create'],
    ['config set', 'profile set'],
    ['config get', 'profile get'],
    ['profile add', 'login --profile'],
    ['logs', 'automate runs list --follow'],
    ['webhooks list', 'server deliveries list'],
    ['status', 'server status'],
    ['agents list', 'assistants list'],
    ['flows list', 'automate list'],
    ['runs list', 'automate runs list'],
    ['customers', 'leads list'],
    ['phone-numbers list', 'numbers list'],
    ['numbers purchase +14155550100', 'numbers buy +14155550100'],
    ['buy +14155550100', 'numbers buy +14155550100'],
    ['automate rollback x', 'automate restore x'],
    ['calls dial', 'calls start'],
    ['clock advance 1d', 'server clock advance 1d'],
    ['snapshot list', 'server snapshot list'],
    ['deploy', 'push'],
    ['balance', 'billing summary'],
    ['update', '<noun> update'],
    ['env', 'help environment'],
    ['sms list', 'ops list'],
    ['list sms', 'ops list'],
    ['sms get 7', 'ops list'],
  ])('parley %s: parley %s', async (typed, meant) => {
    const { exitCode, stdout, stderr } = await run(typed)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(`Did you mean "parley ${meant}"`)
  })

  test('and a misspelled word still leads to the known one', async () => {
    expect((await run('toolz list')).stderr).toContain('Did you mean "parley tools"?')
    expect((await run('assistants cretae')).stderr).toContain('Did you mean "parley assistants create"?')
    expect((await run('whois')).stderr).not.toContain('Did you mean')
  })

  test('every suggested command exists', async () => {
    const known = new Set((await allCommands()).map(([words]) => words))
    const typed = [
      'auth',
      'auth list',
      'auth status',
      'auth token',
      'config',
      'context',
      'cost',
      'init',
      'invoices',
      'me',
      'money',
    ]
    const more = [
      'audit',
      'publish',
      'revert',
      'rollback',
      'signin',
      'spend',
      'switch',
      'sync',
      'tail',
      'top-up',
      'undo',
      'use',
    ]
    const nouns = [
      'accounts',
      'api-keys',
      'bots',
      'chats',
      'customers',
      'functions',
      'phones',
      'senders',
      'sip',
      'templates',
      'texts',
      'tokens',
      'trunks',
      'versions',
      'workflows',
    ]
    for (const line of [...typed, ...more, ...nouns]) {
      const found = suggestCommands([], line.split(' '))
      expect(found.length, line).toBeGreaterThan(0)
      for (const command of found)
        expect(known.has(command.replace(/ --.*/, '')) || command.startsWith('help '), `${line}: ${command}`).toBe(true)
    }
  })
})

describe('a verb for something that cannot be undone says so and leads to what can be done', () => {
  const { run } = operator({ lasts: 'file' })

  test.each([
    ['ops undo 3', 'Purchases and paid messages cannot be undone.', 'parley history undo <entry>'],
    ['ops revert 3', 'Purchases and paid messages cannot be undone.', 'parley history undo <entry>'],
    ['ops refund 3', 'Purchases and paid messages cannot be undone.', 'parley ops list'],
    ['sms undo', 'Messages that were sent cannot be undone.', 'parley ops list'],
    ['sms cancel 1', 'Messages that were sent cannot be undone.', 'parley ops list'],
    ['messaging unsend 1', 'Messages that were sent cannot be undone.', 'parley ops list'],
    ['numbers refund 4', 'Purchases are not refunded.', 'parley numbers release <number>'],
    ['billing refund', 'Purchases are not refunded.', 'parley numbers release <number>'],
  ])('%s', async (line, sentence, way) => {
    const { exitCode, stderr } = await run(line)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`Unknown command "${line.split(' ').slice(0, 2).join(' ')}". ${sentence}\n`)
    expect(stderr).toContain(way)
    expect(stderr).not.toContain('Did you mean')
  })

  test('but a resource whose changes can be undone leads to the history', async () => {
    expect((await run('tools undo 3')).stderr).toContain('Did you mean "parley history undo"?')
  })
})

describe('a word too many', () => {
  const { run } = operator({ lasts: 'file' })

  test.each([
    ['keys create laptop', 'parley keys create --name laptop'],
    ['folders create Front desk', 'parley folders create --name "Front desk"'],
    ['messaging senders list', 'Omit "list": parley messaging senders lists them.'],
    ['tools list all', 'Omit "all": parley tools list lists them.'],
  ])('in "%s" leads to the line to type', async (line, hint) => {
    const { exitCode, stderr } = await run(line)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(hint)
  })
})

describe('help finds a command by any of its words', () => {
  const { run } = operator({ lasts: 'file' })

  test('one command: its page', async () => {
    expect(await run('help buy')).toMatchObject({ exitCode: 0, stdout: (await run('help numbers buy')).stdout })
  })

  test('several commands: a list of them', async () => {
    const { exitCode, stdout } = await run('help send')
    expect(exitCode).toBe(0)
    for (const name of ['messaging send', 'sms send', 'conversations send'])
      expect(stdout).toMatch(new RegExp(`^  parley ${name} +\\w`, 'm'))
    expect((await run('help signing')).stdout).toContain('parley ')
  })

  test('none: the topics', async () => {
    expect(await run('help zebra')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Topics: ') })
  })
})

test('names that contain what was typed are suggested, at most five, and the others are counted', () => {
  const names = ['desk 1', 'desk 2', 'desk 3', 'desk 4', 'desk 5']
  expect(suggestNames('desk', names)).toBe(' Did you mean one of "desk 1", "desk 2", "desk 3", "desk 4", "desk 5"?')
  expect(suggestNames('desk', [...names, 'desk 6'])).toMatch(/"desk 5" and 1 more\?$/)
  expect(suggestNames('dsk 1', names)).toBe(' Did you mean "desk 1"?')
})
