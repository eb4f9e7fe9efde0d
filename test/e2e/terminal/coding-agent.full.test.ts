import { expect, test } from 'vitest'
import { agentVariables } from '../../../src/cli/program/configuration/agent-mode.ts'
import { exitCodes } from '../../../src/contract/errors/exit-codes.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { filledPlace, parley } from '../support/built-program.ts'
import { atTerminal } from '../support/program-terminal.ts'

const at = await filledPlace()

test.each(agentVariables)('with %s, commands that ask a person end without an answer', async (variable) => {
  for (const [line, code] of [
    ['numbers buy', 2],
    ['numbers buy +442077856505', 10],
    ['tools delete 3', 10],
  ] as const) {
    const { exitCode, screen } = await atTerminal(line, [], { at, env: { [variable]: '1' } })
    expect(exitCode, `${line}: ${screen}`).toBe(code)
    expect(screen).toContain('{"error":{"code":')
  }
})

/** Commands that serve until they are stopped, also for an agent. */
const servers = ['mcp', 'server start', 'ui']

test('with one variable, every command that does not serve ends on a terminal without an answer', async () => {
  const codes = Object.values(exitCodes).map(({ code }) => code)
  const left = (await allCommands()).map(([words]) => words).filter((words) => !servers.includes(words))
  const work = async (): Promise<void> => {
    const own = await filledPlace()
    for (let words = left.shift(); words !== undefined; words = left.shift()) {
      const { exitCode, screen } = await atTerminal(words, [], { at: own, env: { AI_AGENT: '1' } })
      expect(codes, `${words}: ${screen}`).toContain(exitCode)
    }
  }
  await Promise.all([work(), work(), work()])
})

test('a long list is cut, and the line on stderr continues it; lines for programs are whole', async () => {
  const leads = Array.from({ length: 80 }, (_, n) => `+1415555${1000 + n}\n`).join('')
  const imported = await parley('leads import --campaign 1 --file -', { at, input: `phone_number\n${leads}` })
  expect(imported, imported.stderr).toMatchObject({ exitCode: 0 })
  const env = { CLAUDECODE: '1' }
  const cut = await parley('leads list --json', { at, env })
  expect(JSON.parse(cut.stdout)).toHaveLength(50)
  const { truncated } = JSON.parse(cut.stderr)
  expect(truncated).toMatchObject({ shown: 50, total: 89 })
  const rest = await parley(truncated.next.replace('parley ', ''), { at, env })
  expect(JSON.parse(rest.stdout)).toHaveLength(39)
  expect((await parley('leads list -o id', { at, env })).stdout.trimEnd().split('\n')).toHaveLength(89)
})

test('a chat on a terminal is refused, with the commands to use instead', async () => {
  const { exitCode, screen } = await atTerminal('conversations chat --assistant 1', [], {
    at,
    env: { CLAUDECODE: '1' },
  })
  expect(exitCode).toBe(2)
  expect(screen.replace(/\s+/g, '')).toContain('parleyconversationssend')
})

test.each([
  ['commands', 16_000],
  ['commands server', 4000],
  ['commands assistants create', 4000],
])('%s is short', async (line, maximum) => {
  const { exitCode, stdout } = await parley(line, { at, env: { CLAUDECODE: '1' } })
  expect(exitCode).toBe(0)
  expect(stdout.length).toBeLessThanOrEqual(maximum)
})
