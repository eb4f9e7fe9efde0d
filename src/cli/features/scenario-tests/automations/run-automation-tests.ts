import { resolve } from 'node:path'
import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { replaceNamesWithNumbers } from '../../../../contract/references/step-references.ts'
import { compileDefinition } from '../../../../engine/definition/compile-definition.ts'
import type { Sandbox } from '../../../../engine/expressions/sandbox.ts'
import { type SimulatedRun, type SimulatedStep, simulateRun } from '../../../../engine/runs/simulate-run.ts'
import { createSandbox } from '../../../../engine/sandbox/create-sandbox.ts'
import { isError } from '../../../../node/is-error.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { realTime } from '../../../../node/real-time.ts'
import { replaceFile } from '../../../../node/replace-file.ts'
import type { Invocation } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { View } from '../../../program/output/format.ts'
import { safeLine, safeText } from '../../../program/terminal/safe-text.ts'
import { readForeignFlow } from '../../automations/flow-files/read-flow.ts'
import { stepNames } from '../../automations/flow-files/step-mocks.ts'
import type { Finding } from '../check-run.ts'
import { textContains, valueMatches } from '../match-value.ts'
import { findingLines, githubAnnotations, junitReport } from '../reports.ts'
import type { AutomationTest, FiledTest } from './automation-test-schema.ts'
import { type FoundDefinition, findDefinition, readAutomationTests } from './read-automation-tests.ts'

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
  const mocked = new Set([...Object.keys(mocks), ...Object.keys(failures)].map((it) => it.replace(/^.*\//, '')))
  const { definition } = await readForeignFlow(replaceNamesWithNumbers(flow).flow, file, sandbox, { mocked })
  requireKnownSteps(definition, { mocks, failures })
  const trigger = await compileDefinition(definition)
  return simulateRun({ trigger, payload, mocks, failures, sandbox, now, signal: system.signal })
}

/** Throws ClientFailure `usage` for a mock or failure of a step that the definition does not have. */
function requireKnownSteps(definition: AutomationNode, given: Readonly<Record<string, object>>): void {
  const names = stepNames(definition)
  for (const [field, values] of Object.entries(given))
    for (const path of Object.keys(values)) {
      const name = path.replace(/^.*\//, '')
      if (!names.includes(name))
        throw usageError(`${field}: step "${name}" not found. Steps: ${names.join(', ')}.`, 'Use the name of a step.')
    }
}

const json = (it: unknown): string => (typeof it === 'string' ? it : (stringifyJson(it, null, 2) ?? 'nothing'))

/**
 * Returns the expectations of a test that a run did not meet. Tests that users commit, and those of `automate runs save`, have
 * the paths and statuses of `simulateRun`: other ones would fail them.
 */
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

/** The result of a test of an automation. Scripts read it as JSON: fields and words are added, not renamed. */
interface TestResult {
  readonly name: string
  readonly automation: string
  readonly file: string
  readonly line: number | null
  readonly verdict: 'passed' | 'failed'
  /** Why it could not be run; null if it was. */
  readonly reason: string | null
  readonly duration_ms: number
  readonly findings: readonly Finding[]
  /** Steps that reach other systems and have no mock. */
  readonly not_run: readonly string[]
}

const view: View<TestResult> = {
  id: (it) => it.name,
  columns: [
    { key: 'verdict', title: 'Verdict', priority: 1, kind: 'status' },
    { key: 'name', title: 'Test', priority: 1, flexible: true },
    { key: 'automation', title: 'Automation', priority: 2, flexible: true },
    { key: 'file', title: 'File', priority: 3 },
    {
      key: (it) => it.findings.map((one) => one.expectation).join(', '),
      title: 'Not met',
      priority: 2,
      flexible: true,
    },
  ],
  empty: 'No tests.',
}

/** Runs the tests of a folder and reports them. The exit code is that of a finding when one fails. */
export async function runAutomationTests(
  context: Context,
  folder: string,
  { junit, annotations }: Invocation['flags'],
): Promise<'finding' | 'done'> {
  const { system, out, progress } = context
  const tests = await readAutomationTests(system, folder)
  const sandbox = createSandbox()
  const results: TestResult[] = []
  try {
    const definitions = new Map<string, Promise<FoundDefinition>>()
    const definitionOf = (filed: FiledTest): Promise<FoundDefinition> => {
      const key = stringifyJson([filed.automation, filed.definition])
      const known = definitions.get(key) ?? findDefinition(context, filed)
      definitions.set(key, known)
      return known
    }
    await progress.showWhile(
      `Running ${tests.length} tests`,
      (async () => {
        for (const filed of tests) results.push(await runTest(context, filed, await definitionOf(filed), sandbox))
      })(),
    )
  } finally {
    await sandbox.close()
  }
  if (out.isForPeople) {
    for (const result of results) for (const line of resultLines(result)) await out.line(line)
    const failed = results.filter((it) => it.verdict === 'failed').length
    await out.line(`${results.length - failed} passed${failed > 0 ? `, ${failed} failed` : ''}.`)
  } else await out.list(results, { view })
  // After the results, which a file that cannot be written must not hide.
  await writeReports(context, results, junit, annotations)
  return results.every((it) => it.verdict === 'passed') ? 'done' : 'finding'
}

async function runTest(
  context: Context,
  test: FiledTest,
  definition: FoundDefinition,
  sandbox: Parameters<typeof simulateTest>[3],
): Promise<TestResult> {
  const startedAt = realTime.monotonicMs()
  const { name, automation, file } = test
  let findings: Finding[] = []
  let reason: string | null = null
  let notRun: string[] = []
  try {
    const run = await simulateTest(context, definition, test, sandbox)
    notRun = run.steps.filter((it) => it.status === 'NOT_RUN').map((it) => it.path)
    findings = checkExpectations(test, run)
  } catch (error) {
    if (context.system.signal.aborted || !isError(error)) throw error
    reason = error.message
  }
  const [first] = findings
  return {
    ...{ name, automation, file },
    line: test.lineOf(first ? `expect.${first.expectation}` : 'name'),
    verdict: reason === null && findings.length === 0 ? 'passed' : 'failed',
    reason,
    duration_ms: Math.round(realTime.monotonicMs() - startedAt),
    findings,
    not_run: notRun,
  }
}

const resultLines = ({ name, file, line, verdict, duration_ms, reason, findings, not_run }: TestResult): string[] => [
  safeLine(
    `${verdict === 'passed' ? 'PASS' : 'FAIL'} ${name} (${file}${line === null ? '' : `:${line}`}; ${duration_ms} ms)`,
  ),
  ...[
    ...(reason === null ? [] : reason.split('\n')),
    ...(not_run.length > 0 ? [`Not run, because they have no mock: ${not_run.join(', ')}.`] : []),
    ...findings.flatMap(findingLines),
  ].map((it) => `  ${safeText(it)}`),
]

/** Writes JUnit XML, and annotations for a pull request. */
async function writeReports(
  { system }: Context,
  results: readonly TestResult[],
  junit: unknown,
  annotations: unknown,
): Promise<void> {
  if (junit === undefined && annotations === undefined) return
  const shown = results.map((it) => ({ ...it, assistant: it.automation, latency_ms: it.duration_ms }))
  if (typeof junit === 'string') replaceFile(resolve(system.cwd, junit), junitReport(shown, 'parley automate test'))
  if (annotations === 'github')
    for (const line of githubAnnotations(shown, system)) await system.streams.stderr.write(`${line}\n`)
}
