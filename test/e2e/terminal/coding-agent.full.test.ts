import { expect, test } from 'vitest'
import { agentVariables } from '../../../src/cli/program/configuration/agent-mode.ts'
import { filledPlace } from '../support/built-program.ts'
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
