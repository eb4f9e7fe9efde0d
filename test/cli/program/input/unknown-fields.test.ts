import { describe, expect, test } from 'vitest'
import { riskOf } from '../../../../src/cli/program/commandline/command.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

/** Every write with a body, by an example of its help. */
const lines = (await allCommands()).flatMap(([words, { endpoint, examples, ...command }]) => {
  const example = examples.find((line) => !/--edit|<|-o id|--file/.test(line) && line !== '')
  return endpoint?.body && riskOf({ endpoint, examples, ...command }) !== 'read' && example !== undefined
    ? [`${words} ${example.replace('Greeting', '"Opening hours"')}`]
    : []
})

describe('an unknown field is refused, never dropped from the request', () => {
  test('by many commands', () => {
    expect(lines.length).toBeGreaterThan(25)
    for (const noun of ['numbers buy', 'messaging send', 'conversations chat', 'campaigns start'])
      expect(lines.some((it) => it.startsWith(noun))).toBe(true)
  })

  test.each(lines)('%s', async (line) => {
    const { exitCode, stdout, stderr } = await operator().run(`${line} --set foo=1 --yes`, { stdin: 'Hello\n' })
    expect({ exitCode, stdout }, stderr).toEqual({
      exitCode: expect.toSatisfy((it) => it === 2 || it === 6),
      stdout: '',
    })
    expect(stderr).toContain('foo')
  })

  test.each([
    'numbers buy +15005550006 --yes',
    'messaging send --sender 1 --to +14155550142 --text Hello',
    'conversations chat --assistant 1',
    'campaigns start 1 --yes',
    'automate enable "Weekly count"',
    'automate disable "Opening hours"',
  ])('before anything is sent, if the command builds the body itself: %s', async (line) => {
    for (const source of ['--set foo=1', "--data '{foo: 1}'"]) {
      const { exitCode, stderr, requests } = await operator().run(`${line} ${source}`, { stdin: 'Hello\n' })
      expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
      expect(stderr).toContain('Unknown field "foo" in ')
    }
  })
})

test('a number that is passed twice is refused', async () => {
  const { exitCode, requests } = await operator().run('numbers buy +15005550006 --set phone_number=+15005550003 --yes')
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
})
