import { statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { compilePattern } from './match-value.ts'
import type { TestScenario } from './scenario-schema.ts'

/** The folder of a project, and one file of scenarios in it if that was given. */
export interface TestedPath {
  readonly folder: string
  readonly file: string | undefined
}

/** Returns the project of a path, which is its folder or a file of its scenarios. */
export function parseTestedPath(cwd: string, given: string): TestedPath {
  const path = resolve(cwd, given)
  if (!/\.ya?ml$/.test(path) || !statSync(path, { throwIfNoEntry: false })?.isFile())
    return { folder: path, file: undefined }
  const above = dirname(path)
  return { folder: basename(above) === 'tests' ? dirname(above) : above, file: basename(path) }
}

/** Returns the scenarios of a file, an assistant and a name. `/.../` is a regular expression. @throws ClientFailure `usage` if there are none */
export function chooseScenarios(
  all: readonly TestScenario[],
  { file, assistant, scenario }: { readonly file: string | undefined; assistant?: unknown; scenario?: unknown },
): readonly TestScenario[] {
  const pattern = typeof scenario === 'string' ? compilePattern(scenario, false) : undefined
  if (typeof pattern === 'string') throw usageError(`Invalid regular expression in --scenario: ${pattern}`)
  const isNamed = (name: string): boolean =>
    scenario === undefined || (pattern ? pattern.test(name) : name === scenario)
  const inFile = all.filter((it) => file === undefined || basename(it.file) === file)
  const found = inFile.filter((it) => (assistant ?? it.assistant) === it.assistant && isNamed(it.name))
  if (found.length > 0) return found
  const names = inFile.map((it) => it.name)
  const guess = typeof scenario === 'string' ? closestMatch(scenario, names) : undefined
  throw usageError(
    'No scenario fits --assistant and --scenario.',
    `${guess === undefined ? '' : `Did you mean "${guess}"? `}Assistants: ${[...new Set(inFile.map((it) => it.assistant))].join(', ')}. Scenarios: ${names.join(', ')}.`,
  )
}
