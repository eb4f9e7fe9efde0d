import { resolve } from 'node:path'
import { createSandbox } from '../../../engine/sandbox/create-sandbox.ts'
import { isError } from '../../../node/is-error.ts'
import { stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import type { View } from '../../program/output/form.ts'
import { safeLine, safeText } from '../../program/terminal/safe-text.ts'
import type { Finding } from '../assistant-tests/check-run.ts'
import { githubAnnotations, junitReport } from '../assistant-tests/ci-reports.ts'
import { findingLines } from '../assistant-tests/report-lines.ts'
import type { FiledTest } from './automation-test-schema.ts'
import { type FoundDefinition, findDefinition } from './find-definition.ts'
import { readAutomationTests } from './read-automation-tests.ts'
import { checkExpectations, simulateTest } from './run-automation-test.ts'

/** The result of a test of an automation. */
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
    const definitionOf = (it: FiledTest): Promise<FoundDefinition> => {
      const key = stringifyJson([it.automation, it.definition])
      const known = definitions.get(key) ?? findDefinition(context, it)
      definitions.set(key, known)
      return known
    }
    await progress.showWhile(
      `Running ${tests.length} tests`,
      (async () => {
        for (const it of tests) results.push(await runTest(context, it, await definitionOf(it), sandbox))
      })(),
    )
  } finally {
    await sandbox.close()
  }
  if (out.settings.form === 'table' && !out.settings.fields) {
    for (const it of results) for (const line of resultLines(it)) await out.line(line)
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
