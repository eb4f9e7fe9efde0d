import { functionNames, isBuiltInFunction } from '../../../contract/assistants/function-names.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { ProjectFiles } from './project-files.ts'
import type { TestScenario } from './scenario-schema.ts'

type Fields = Readonly<Record<string, unknown>>

const objects = (it: unknown): readonly Fields[] => (Array.isArray(it) ? it.filter(isObject) : [])
const texts = (items: readonly unknown[]): string[] => items.filter((it) => typeof it === 'string')

/**
 * Checks the names of assistants and tools in scenarios. An unknown tool in `not_called` would pass whatever happens.
 *
 * @throws ClientFailure `usage` with the file, line and field of every problem
 */
export function rejectUnknownNames({ assistants, tools }: ProjectFiles, scenarios: readonly TestScenario[]): void {
  const problems = new Set<string>()
  for (const scenario of scenarios) {
    const { data, expect, turns, mocks, locate } = scenario
    const allAssistants = [...assistants, ...objects(data.assistants)]
    const assistantNames = texts(allAssistants.map((it) => it.name))
    const toolNames = texts([
      ...[...tools, ...objects(data.tools)].map((it) => it.name),
      ...allAssistants.flatMap((it) => (Array.isArray(it.tool_ids) ? (it.tool_ids as unknown[]) : [])),
    ])
    const assistantAt = (path: string, name: string | undefined): void => {
      if (name !== undefined && !assistantNames.includes(name))
        problems.add(`${locate(path)}: ${path}: there is no assistant "${name}".${candidates(name, assistantNames)}`)
    }
    const toolAt = (path: string, name: string): void => {
      if (toolNames.includes(name.replace(/_\d+$/, '')) || toolNames.includes(name) || isBuiltInFunction(name)) return
      problems.add(
        `${locate(path)}: ${path}: there is no tool "${name}".${candidates(name, [...toolNames, functionNames.end, functionNames.search])}`,
      )
    }
    assistantAt('assistant', scenario.assistant)
    if (expect.handover !== 'none') assistantAt('expect.handover', expect.handover)
    for (const [at, { called = [], not_called = [] }] of [
      ['expect', expect] as const,
      ...turns.map((it, n) => [`turns.${n}.expect`, it.expect ?? {}] as const),
    ]) {
      for (const { tool } of called) toolAt(`${at}.called`, tool)
      for (const tool of not_called) toolAt(`${at}.not_called`, tool)
    }
    // Requests of automations are mocked by their host.
    for (const name of Object.keys(mocks)) if (!name.includes('.')) toolAt(`mocks.${name}`, name)
  }
  if (problems.size > 0)
    throw usageError([...problems].join('\n'), 'See docs/testing-assistants.md. No scenario was run.')
}

/** Returns the sentences with the closest name and all of them. */
function candidates(name: string, given: readonly string[]): string {
  const all = [...new Set(given)]
  const guess = closestMatch(name, all)
  return `${guess === undefined ? '' : ` Did you mean "${guess}"?`} Known: ${all.join(', ')}.`
}
