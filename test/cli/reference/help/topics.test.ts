import { expect, test } from 'vitest'
import { formats } from '../../../../src/cli/program/output/format.ts'
import { topics } from '../../../../src/cli/reference/help/topics.ts'
import { suggestForAction, suggestForTrigger } from '../../../../src/engine/pieces/piece-alternatives.ts'
import { operator } from '../../../support/operator.ts'

test.each(Object.keys(topics))('help on %s fits the terminal and is plain text', async (topic) => {
  const { run } = operator()
  const { stdout, stderr, exitCode } = await run(`help ${topic}`, { terminal: true, columns: 80 })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
})

test('help on output describes every format, and help on profiles the content of a profile', async () => {
  const { run } = operator()
  const { stdout } = await run('help output')
  for (const format of formats) expect(stdout).toMatch(new RegExp(`^  ${format} +[A-Z]`, 'm'))
  expect((await run('help profiles')).stdout).toMatch(/^ {2}api_key_command +Command/m)
})

test('the topics are listed in the help', async () => {
  const { run } = operator()
  const { stdout } = await run('help --help')
  for (const topic of Object.keys(topics)) expect(stdout).toContain(topic)
  expect((await run('help outputs')).stderr).toContain('Did you mean "output"?')
})

test('help on conformance explains every value of its rows', async () => {
  const { run } = operator()
  const { stdout } = await run('help conformance')
  for (const word of ['same', 'tolerated', 'drift', 'not_checked', 'answer', 'not_found', 'rejected', 'no_key'])
    expect(stdout).toMatch(new RegExp(`^  ${word} {2,}\\S`, 'm'))
})

test('a renamed topic is still found by its former name', async () => {
  const { run } = operator()
  const [former, now] = [await run('help embedded-platform'), await run('help local-platform')]
  expect([former.exitCode, former.stdout]).toEqual([0, now.stdout])
})

test('help on pieces has every piece that a hint about an unknown piece names', async () => {
  const { stdout } = await operator().run('help pieces')
  const foreign = [
    'xml',
    'pdf',
    'gmail',
    'google-sheets',
    'twilio',
    'openai',
    'calendly',
    'todos',
    'rss',
    'forms',
    'slack',
  ]
  const hints = foreign.flatMap((it) => [suggestForAction(it, 'act'), suggestForTrigger(it, 'start')]).join(' ')
  const named = new Set([...hints.matchAll(/piece-([a-z-]+[a-z])/g)].map(([, name]) => `${name}.`))
  expect(named.size).toBeGreaterThan(7)
  for (const name of named) expect(stdout).toMatch(new RegExp(`^ {2}${name.replace('.', '\\.')}`, 'm'))
  for (const name of ['@engine/piece-http', '@platform/piece-platform']) expect(stdout).toContain(name)
})

test('help on the local platform has the numbers that always have the same outcome', async () => {
  const { stdout } = await operator().run('help local-platform')
  for (const name of ['+15005550003', '+15005550300 when called', '+15005550101 as recipient of a message'])
    expect(stdout).toContain(name)
})
