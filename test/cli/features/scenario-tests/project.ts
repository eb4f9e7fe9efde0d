import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sampleScenarios as scenarios } from '../../../../src/cli/reference/help/sample-scenarios.ts'
import { type Operator, type OperatorOptions, operator } from '../../../support/operator.ts'

const added = 'test/fixtures/assistant-tests'

/** The scenarios of the sample assistants, by file name; with `all`, also those of an assistant that a test adds. */
export const sampleScenarios = (all = false): Readonly<Record<string, string>> => ({
  ...scenarios,
  ...(all && Object.fromEntries(readdirSync(added).map((name) => [name, readFileSync(join(added, name), 'utf8')]))),
})

/** An operator with the files of the sample assistants in `parley`, and with scenarios by file name. */
export async function sampleProject(
  scenarios: Readonly<Record<string, string>>,
  options: OperatorOptions = {},
): Promise<Operator> {
  const by = operator(options)
  await by.json('pull')
  for (const [name, text] of Object.entries(scenarios)) writeScenario(by, name, text)
  return by
}

export function writeScenario(by: Operator, name: string, text: string): void {
  const path = join(by.cwd, 'parley', 'tests', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
