import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

/** The limits of issue texts for coding agents are in tokens of 4 characters. */
const tokens = (text: string): number => text.length / 4

const commands = (await allCommands()).map(([words]) => words)
const agent = { CLAUDECODE: '1' }
const full = readFileSync(new URL('../../../../src/generated/commands.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((it) => JSON.parse(it) as Described)

interface Described {
  readonly command: string
  readonly risk: string
  readonly consent: string | null
  readonly flags: readonly { readonly flag: string }[]
  readonly exit_codes: readonly { readonly code: number }[]
}

/** Every noun, also inside others: `server`, `server faults`. */
const nouns = [
  ...new Set(commands.flatMap((it) => it.split(' ').map((_, n, words) => words.slice(0, n).join(' ')))),
].filter((it) => it !== '')

const { run } = operator({ lasts: 'file' })
const printed = async (line: string, env = {}): Promise<string> => {
  const { exitCode, stdout, stderr } = await run(line, { env })
  expect(exitCode, `${line}: ${stderr}`).toBe(0)
  return stdout
}

describe('the map', () => {
  test('has each command in one line, with its argument and its risk, in at most 4 000 tokens', async () => {
    const text = await printed('commands')
    const byLength = text.split('\n').toSorted((a, b) => b.length - a.length)
    expect(tokens(text), `Shorten summaries: ${byLength.slice(3, 9).join('; ')}`).toBeLessThanOrEqual(4000)
    const lines = text.split('\n').filter((it) => commands.includes(it.replace(/[<[:].*/, '').trim()))
    expect(lines.map((it) => it.replace(/[<[:].*/, '').trim())).toEqual(commands)
    for (const { command, risk } of full) {
      const line = lines[commands.indexOf(command)] as string
      expect(/\((\w+)\)$/.exec(line)?.[1] ?? 'read', line).toBe(
        ['write', 'destructive', 'severe', 'outside', 'spends'].includes(risk) ? risk : 'read',
      )
    }
    expect(text).toContain('\nnumbers get <id>: Show a phone number of the account\n')
    expect(text).toMatch(/^Exit codes: 0 done, .*10 consent/m)
  })

  test('is the same on a terminal and for an agent', async () => {
    const text = await printed('commands')
    expect((await run('commands', { terminal: true, columns: 60 })).stdout).toBe(text)
    expect(await printed('commands', agent)).toBe(text)
  })
})

test.each(nouns)('the page of the noun "%s" has its verbs in at most 1 000 tokens', async (noun) => {
  const text = await printed(`commands ${noun}`, agent)
  expect(tokens(text)).toBeLessThanOrEqual(1000)
  for (const command of commands.filter((it) => it.startsWith(`${noun} `)))
    expect(text).toMatch(new RegExp(`[ |]${command.split(' ').at(-1)}(?=[ |:])`))
})

test.each(full)(
  'the page of "$command" has usage, risk, consent, flags and exit codes in at most 1 000 tokens',
  async ({ command, risk, consent, flags, exit_codes: exits }) => {
    const text = await printed(`commands ${command}`, agent)
    expect(tokens(text)).toBeLessThanOrEqual(1000)
    expect(text).toContain(`Usage: parley ${command}`)
    expect(text).toContain(`Risk: ${risk}. Requires ${consent ?? 'no confirmation'}`)
    expect(text).toContain(`Exit codes: ${exits.map(({ code }) => code).join(' ')}.`)
    for (const { flag } of flags) expect(text).toContain(flag)
    expect(text).toContain(`  parley ${command}`)
  },
)

describe('for programs', () => {
  test('--json is the full description, also of a noun', async () => {
    expect(JSON.parse(await printed('commands --json'))).toEqual(full)
    expect(JSON.parse(await printed('commands numbers --json'))).toEqual(
      full.filter(({ command }) => command.startsWith('numbers ')),
    )
  })

  test('of an agent --json is lean, unless it asks for more', async () => {
    const lean = JSON.parse(await printed('commands --json', agent)) as object[]
    expect(lean).toHaveLength(full.length)
    expect(lean).toContainEqual({
      command: 'numbers buy',
      argument: '[number]',
      risk: 'spends',
      summary: 'Buy a phone number (monthly, non-refundable)',
    })
    for (const line of ['commands --json --full', 'commands --full'])
      expect(JSON.parse(await printed(line, agent))).toEqual(full)
    expect(JSON.parse(await printed('commands keys --json --fields command,exit_codes', agent))).toEqual(
      full
        .filter(({ command }) => command.startsWith('keys '))
        .map(({ command, exit_codes }) => ({ command, exit_codes })),
    )
    expect(await printed('commands keys --jq ".[0].output_schema.type"', agent)).toBe('array\n')
  })

  test.each([agent, {}])('one command has its schemas, risk and exit codes everywhere', async (env) => {
    expect(JSON.parse(await printed('commands numbers buy --json', env))).toEqual(
      full.filter(({ command }) => command === 'numbers buy'),
    )
  })

  test('a table with chosen fields is a table', async () => {
    expect(await printed('commands keys --fields command,risk')).toContain('keys create\twrite\n')
    expect(await printed('commands keys -o id')).toBe('keys list\nkeys get\nkeys create\nkeys delete\nkeys rotate\n')
  })
})
