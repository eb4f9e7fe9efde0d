import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { replaceNamesWithNumbers } from '../../../contract/references/step-references.ts'
import { compileDefinition } from '../../../engine/definition/compile-definition.ts'
import type { Sandbox } from '../../../engine/expressions/sandbox.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { SimulatedRun, SimulatedStep } from '../../../platform/runs/simulate-run.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { Finding } from '../assistant-tests/check-run.ts'
import { textContains, valueMatches } from '../assistant-tests/match-value.ts'
import { readForeignFlow } from '../flow-files/read-flow.ts'
import { stepNames } from '../flow-files/step-mocks.ts'
import type { AutomationTest } from './automation-test-schema.ts'
import type { FoundDefinition } from './find-definition.ts'

/** What a simulation needs of a test. */
export type Simulated = Pick<AutomationTest, 'payload' | 'mocks' | 'failures'>

/** Runs a definition locally with the payload, mocks and failures of a test. Sends nothing. */
export async function simulateTest(
  { system }: Pick<Context, 'system'>,
  { flow, file }: FoundDefinition,
  { payload, mocks = {}, failures = {} }: Simulated,
  sandbox: Sandbox,
  now = system.now() * 1000,
): Promise<SimulatedRun> {
  const { simulateRun } = await import('../../../platform/runs/simulate-run.ts')
  const mocked = new Set([...Object.keys(mocks), ...Object.keys(failures)].map((it) => it.replace(/^.*\//, '')))
  const { definition } = await readForeignFlow(replaceNamesWithNumbers(flow).flow, file, sandbox, { mocked })
  rejectUnknownSteps(definition, { mocks, failures })
  const trigger = await compileDefinition(definition)
  return simulateRun({ trigger, payload, mocks, failures, sandbox, now, signal: system.signal })
}

/** Throws ClientFailure `usage` for a mock or failure of a step that the definition does not have. */
function rejectUnknownSteps(definition: AutomationNode, given: Readonly<Record<string, object>>): void {
  const names = stepNames(definition)
  for (const [field, values] of Object.entries(given))
    for (const path of Object.keys(values)) {
      const name = path.replace(/^.*\//, '')
      if (!names.includes(name))
        throw usageError(`${field}: step "${name}" not found. Steps: ${names.join(', ')}.`, 'Use the name of a step.')
    }
}

const json = (it: unknown): string => (typeof it === 'string' ? it : (stringifyJson(it, null, 2) ?? 'nothing'))

/** Returns the expectations of a test that a run did not meet. */
export function checkExpectations(
  { expect }: Pick<AutomationTest, 'expect'>,
  { status, steps, response }: SimulatedRun,
): Finding[] {
  const found: Finding[] = []
  const add = (expectation: string, expected: unknown, happened: unknown): void =>
    void found.push({ turn: null, expectation, expected: json(expected), happened: json(happened) })
  const error = steps.findLast((it) => it.status === 'FAILED')?.error ?? null
  if (expect.status !== status) add('status', expect.status, error === null ? status : `${status}: ${error}`)
  if (expect.error !== undefined && !textContains(error ?? '', expect.error)) add('error', expect.error, error)
  const paths = steps.map((it) => it.path)
  if (expect.steps && stringifyJson(expect.steps) !== stringifyJson(paths))
    add('steps', expect.steps.join('\n'), paths.join('\n'))
  const byPath = new Map(steps.map((it): [string, SimulatedStep] => [it.path, it]))
  for (const side of ['inputs', 'outputs'] as const)
    for (const [path, expected] of Object.entries(expect[side] ?? {})) {
      const step = byPath.get(path)
      const value = side === 'inputs' ? step?.input : step?.output
      if (!step) add(`${side}.${path}`, expected, 'The step did not run.')
      else if (!valueMatches(value, expected) && !isSame(value, expected)) add(`${side}.${path}`, expected, value)
    }
  if (expect.response) {
    const { status: code, body } = expect.response
    if (!response) add('response', expect.response, 'no response')
    else {
      if (code !== undefined && code !== response.status) add('response.status', code, response.status)
      if (body !== undefined && !valueMatches(response.body, body) && !isSame(response.body, body))
        add('response.body', body, response.body)
    }
  }
  return found
}

const isSame = (value: unknown, expected: unknown): boolean => stringifyJson(value) === stringifyJson(expected)
