import { beforeAll, expect, test } from 'vitest'
import type { Operator } from '../../../support/operator.ts'
import { sampleProject } from './project.ts'

const scenarios = (...names: string[]) =>
  `assistant: Recall\nscenarios:\n${names.map((it) => `  - {name: ${it}, turns: [Hello]}`).join('\n')}\n`

let by: Operator
beforeAll(async () => {
  by = await sampleProject(
    { 'a.yaml': scenarios('Books a day', 'Books a week'), 'b.yaml': scenarios('Leaves') },
    { lasts: 'file' },
  )
})
const names = async (line: string): Promise<string[]> =>
  JSON.parse((await by.run(`assistants test --json ${line}`)).stdout).map((it: { name: string }) => it.name)

test.each([
  ['parley/tests/b.yaml', ['Leaves']],
  ['--scenario /^Books/', ['Books a day', 'Books a week']],
  ['--scenario "Books a day"', ['Books a day']],
  ['parley/tests/a.yaml --scenario /WEEK/i', ['Books a week']],
])('%s chooses scenarios', async (line, expected) => expect(await names(line)).toEqual(expected))

test.each([
  ['--scenario "Book a day"', 'Did you mean "Books a day"?'],
  ['parley/tests/b.yaml --scenario "Books a day"', 'Scenarios: Leaves.'],
  ['--scenario /(/', 'Invalid regular expression in --scenario'],
  ['parley/tests/none.yaml', 'none.yaml'],
])('%s chooses none and is refused', async (line, text) =>
  expect(await by.run(`assistants test ${line}`)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(text) }),
)
