import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Command, riskOf } from '../../../../src/cli/program/commandline/command.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { postgresCommands } from '../../../support/postgres-commands.ts'

// Nothing is bought, deleted or set going because somebody piped something in: every command that wants consent, whatever it is fed.

/** What a script may have on its standard input, and terminals of which nothing may be asked. */
const inputs: Readonly<Record<string, RunOptions>> = {
  nothing: { stdin: '' },
  'an empty line': { stdin: '\n' },
  'yes without end': { stdin: 'y\n'.repeat(20_000) },
  'a terminal with questions switched off': { terminal: true, env: { PARLEY_NO_INPUT: '1' } },
  'a terminal, and a result for a program': { terminal: true, env: { PARLEY_OUTPUT: 'json' } },
  'a terminal, and something piped in': { terminal: { stdout: true, stderr: true }, stdin: 'y\n' },
}

/** Risks that want consent, whatever the words. */
const wanting = new Set(['destructive', 'severe', 'spends'])

/** What must have been done before there is something to lose. */
const before: Readonly<Record<string, string>> = {
  'profile delete': 'profile set staging --url https://platform.example',
  'server connections delete': 'server connections create --kind mail',
  'server accounts delete': 'server accounts create --name Second',
  'server snapshot delete': 'server snapshot save before-tests',
  'server snapshot restore': 'server snapshot save before-tests',
  'server restore': 'server backup parley.backup',
  'campaigns stop': 'campaigns start 1 --yes',
}

const commands = (await allCommands()).filter(([words]) => !postgresCommands.includes(words))
const writing = commands.filter(([, command]) => riskOf(command) !== 'read')

/** The first example with words of its own, without its consent. */
function unagreed(words: string, { examples }: Command): string {
  const example = examples.find((it) => it !== '' && !it.includes('--file')) ?? ''
  return `${words} ${example.replace(/--yes|--confirm-side-effects|--confirm \S+/g, '').replace('Greeting', '"Opening hours"')}`
}

const agreeable = commands
  // The key of a data folder cannot be replaced: keys-rotate.test.ts.
  .filter(([words, command]) => wanting.has(riskOf(command)) && words !== 'keys rotate')
  .map(([words, command]) => [unagreed(words, command), before[words]] as const)

test('this test has commands of every risk that requires confirmation', () => {
  expect(new Set(commands.map(([, command]) => riskOf(command)).filter((it) => wanting.has(it)))).toEqual(wanting)
  expect(agreeable.length).toBeGreaterThan(20)
})

describe('without confirmation nothing is done, and the exit code is 10', () => {
  test.each(agreeable)('%s', async (line, first) => {
    const { run } = operator()
    if (first !== undefined) expect((await run(first)).exitCode, first).toBe(0)
    for (const [what, options] of Object.entries(inputs)) {
      const { exitCode, stdout, stderr, asked, requests } = await run(line, options)
      const writes = requests.filter((it) => !it.startsWith('GET'))
      expect({ what, exitCode, stdout, asked, writes }, stderr).toEqual({
        what,
        exitCode: 10,
        stdout: '',
        asked: [],
        writes: [],
      })
      expect(stripVTControlCharacters(stderr)).toMatch(
        options.env?.PARLEY_OUTPUT ? /^\{"error":\{"code":"consent"/ : /hint: Pass --(yes|confirm)/,
      )
    }
  })

  // The platform itself looks for steps that really send, so that it is asked; nothing is made all the same.
  test('automate apply, of a template that calls people, with --yes too', async () => {
    const { run, json } = operator()
    const had = await json('automate list')
    for (const line of [
      'automate apply post-call-callback --assistant-id 1',
      'automate apply post-call-callback --assistant-id 1 --yes',
    ])
      for (const [what, options] of Object.entries(inputs)) {
        const { exitCode, stdout, stderr, asked } = await run(line, options)
        expect({ what, exitCode, stdout, asked }, stderr).toEqual({ what, exitCode: 10, stdout: '', asked: [] })
      }
    expect(await json('automate list')).toEqual(had)
  })
})

/** Commands that need no arguments and do what they say, or run until they are stopped. */
const complete =
  /^demo$|^resume$|^skill install$|^server (start|stop|clock (freeze|resume)|faults clear|snapshot save|simulate payment|webhooks secret)$/

describe("missing values are not prompted for without a terminal: exit 2, or the platform's error", () => {
  test.each(writing.map(([words]) => words).filter((it) => !complete.test(it)))('%s', async (words) => {
    const { run } = operator()
    for (const [what, options] of Object.entries(inputs)) {
      const { exitCode, stdout, stderr, asked } = await run(words, options)
      expect({ what, stdout, asked }, stderr).toEqual({ what, stdout: '', asked: [] })
      expect([2, 5, 6, 10], `${what}: ${stderr}`).toContain(exitCode)
    }
  })
})
