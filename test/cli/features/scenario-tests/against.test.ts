import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleProject } from './project.ts'

const scenario = `
assistant: Front desk
mocks: {quote_treatment: {body: {price: 120 USD}}}
scenarios:
  - {name: Price, turns: [{say: "Quote a treatment, treatment is cleaning", expect: {called: quote_treatment}}]}
  - {name: Hello, turns: [Hello]}
`

test('--against shows which scenarios change with another version of an assistant', async () => {
  const by = await sampleProject({ 'desk.yaml': scenario })
  const text = readFileSync(join(by.cwd, 'parley', 'assistants', 'front-desk.yaml'), 'utf8')
  writeFileSync(join(by.cwd, 'other.yaml'), text.replace('  - quote_treatment\n', ''))
  const results = await by.json('assistants test --against other.yaml')
  expect(results).toMatchObject([
    { name: 'Price', verdict: 'passed', against: { verdict: 'failed', changed: true } },
    { name: 'Hello', verdict: 'passed', against: { verdict: 'passed', changed: false, differences: [] } },
  ])
  expect(results[0].against.differences).toContain('  + called: quote_treatment {"treatment":"cleaning"}')
  const run = await by.run('assistants test --against other.yaml')
  expect(run).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Changed from the other version: 1 of 2 scenarios.'),
  })
  // Why the other version fails is shown with its verdict.
  expect(results[0].against.differences.slice(0, 4)).toEqual([
    '- failed',
    '  turn 1, called:',
    '    - quote_treatment',
    '    + nothing',
  ])
  writeFileSync(join(by.cwd, 'other.yaml'), text.replace('name: Front desk', 'name: Back desk'))
  expect(await by.run('assistants test --against other.yaml')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('the project has no assistant "Back desk"'),
  })
})

test('--against-profile compares with what is deployed', async () => {
  const by = await sampleProject({ 'desk.yaml': scenario })
  expect((await by.run('assistants test --against-profile local')).stdout).toContain(
    'Changed from the other version: 0 of 2',
  )
  await by.run('assistants update "Front desk" --remove-tool quote_treatment --yes')
  expect((await by.run('assistants test --against-profile local')).stdout).toContain(
    'Changed from the other version: 1 of 2',
  )
})

test('another version that cannot be read is refused before any scenario runs', async () => {
  const by = await sampleProject({ 'desk.yaml': scenario })
  for (const [flag, text] of [
    ['--against none.yaml', 'none.yaml'],
    ['--against-profile nowhere', 'Unknown profile "nowhere" (from --against-profile).'],
  ])
    expect(await by.run(`assistants test ${flag} --junit never.xml`)).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(text as string),
    })
  expect(existsSync(join(by.cwd, 'never.xml'))).toBe(false)
})
