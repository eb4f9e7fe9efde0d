import { relative, resolve, sep } from 'node:path'
import { escapeXml } from '../../program/output/report-files.ts'
import type { System } from '../../program/system.ts'
import { safeLine, safeText } from '../../program/terminal/safe-text.ts'
import { textDifference } from '../../program/updates/text-difference.ts'
import type { CoverageItem } from './assistants/coverage.ts'
import type { ScenarioResult } from './assistants/run-suite.ts'
import { remoteUnknown, type TestScenario } from './assistants/scenario-schema.ts'
import type { Finding } from './check-run.ts'

const marks: Readonly<Record<ScenarioResult['verdict'], string>> = {
  passed: 'PASS',
  failed: 'FAIL',
  flaky: 'FLAKY',
  stale: 'STALE',
  skipped: 'SKIP',
}

/** Returns the lines of a finding: what was expected and what happened. */
export function findingLines({ turn, expectation, expected, happened }: Finding): string[] {
  const where = turn === null ? expectation : `turn ${turn}, ${expectation}`
  return [`${where}:`, ...textDifference(expected, happened).map((line) => `  ${line}`)]
}

/** Returns the lines of a result for people. Those that failed show the turn with its messages. */
export function resultLines(result: ScenarioResult): string[] {
  const rate = result.runs > 1 ? `, ${result.failed_runs} of ${result.runs} runs failed` : ''
  const head = `${marks[result.verdict]} ${result.name} (${result.file}${result.line === null ? '' : `:${result.line}`}; ${result.turns} ${result.turns === 1 ? 'turn' : 'turns'}, ${result.latency_ms} ms${rate})`
  const turns = new Set(result.findings.map((one) => one.turn))
  const spoken = result.transcript.flatMap(({ customer, assistant, calls }, n) =>
    turns.has(n + 1) || turns.has(null)
      ? [
          `${n + 1} customer: ${customer}`,
          ...calls.map((call) => `${n + 1} called: ${call}`),
          `${n + 1} assistant: ${assistant}`,
        ]
      : [],
  )
  const details =
    result.verdict === 'passed'
      ? []
      : [
          ...(result.reason === null ? [] : result.reason.split('\n')),
          ...(result.findings.length === 0 ? [] : spoken),
          ...result.findings.flatMap(findingLines),
        ]
  return [safeLine(head), ...details.map((line) => `  ${safeText(line)}`)]
}

/** Returns a line with the number of results by verdict. */
export function summaryLine(results: readonly ScenarioResult[]): string {
  const count = (verdict: ScenarioResult['verdict']): number => results.filter((it) => it.verdict === verdict).length
  const others = (['failed', 'flaky', 'stale', 'skipped'] as const).flatMap((status) =>
    count(status) > 0 ? [`${count(status)} ${status}`] : [],
  )
  return `${[`${count('passed')} passed`, ...others].join(', ')}.`
}

/** Returns a line with what no scenario touched; undefined if everything was. */
export function coverageLine(items: readonly CoverageItem[]): string | undefined {
  const missing = items.filter((it) => !it.covered)
  if (missing.length === 0) return undefined
  const names = missing.map(
    (it) => `${it.kind.replace('_', ' ')} "${it.name}"${it.assistant === null ? '' : ` of ${it.assistant}`}`,
  )
  return `Not covered by any scenario: ${names.join(', ')}.`
}

/** Returns the warning about what differs from the files on the local platform; undefined if nothing does. */
export function replacedText(results: readonly ScenarioResult[]): string | undefined {
  const found = [...new Set(results.flatMap((it) => it.replaced))]
  return found.length === 0
    ? undefined
    : safeText(
        `The local platform does not have everything in the files, so the scenarios ran without it:\n${found.join('\n')}`,
      )
}

/** Returns the warning about expectations that a remote deployment tells nothing about; undefined without them. */
export function uncheckedText(scenarios: readonly TestScenario[]): string | undefined {
  const found = scenarios.flatMap(({ name, channel, expect }) =>
    channel === 'chat' ? remoteUnknown.filter((it) => expect[it] !== undefined).map((it) => `${it} of "${name}"`) : [],
  )
  return found.length === 0
    ? undefined
    : safeText(`Not checked, because a remote deployment does not report them: ${found.join(', ')}.`)
}

/** What a report has of a result. */
type ReportedResult = Pick<
  ScenarioResult,
  'name' | 'file' | 'line' | 'assistant' | 'verdict' | 'reason' | 'latency_ms' | 'findings'
> &
  Partial<Pick<ScenarioResult, 'replaced'>>

const isFailed = ({ verdict }: ReportedResult): boolean => verdict !== 'passed' && verdict !== 'skipped'
const message = (result: ReportedResult): string =>
  [...(result.reason === null ? [] : [result.reason]), ...result.findings.flatMap(findingLines)].join('\n')

/** Returns what the local platform has not, a line each. */
const replacedLines = ({ replaced = [] }: ReportedResult): string[] =>
  replaced.map((it) => `Not as in the files: ${it}.`)

/** Returns the results as JUnit XML. The type of a failure is its verdict. CI services follow a case over time by its class and name. */
export function junitReport(results: readonly ReportedResult[], suite = 'parley assistants test'): string {
  const cases = results.map((result) => {
    const open = `  <testcase classname="${escapeXml(result.assistant)}" name="${escapeXml(result.name)}" file="${escapeXml(result.file)}" time="${(result.latency_ms / 1000).toFixed(3)}"`
    if (result.verdict === 'skipped') return `${open}><skipped message="${escapeXml(result.reason ?? '')}"/></testcase>`
    const replaced = replacedLines(result).join('\n')
    const output = replaced === '' ? '' : `<system-out>${escapeXml(replaced)}</system-out>`
    if (!isFailed(result)) return output === '' ? `${open}/>` : `${open}>${output}</testcase>`
    return `${open}><failure type="${result.verdict}" message="${escapeXml(message(result).split('\n', 1)[0] ?? '')}">${escapeXml(message(result))}</failure>${output}</testcase>`
  })
  const counts = `tests="${results.length}" failures="${results.filter(isFailed).length}" skipped="${results.filter((it) => it.verdict === 'skipped').length}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${suite}" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/**
 * Returns the lines by which GitHub Actions marks failed scenarios in the files of a pull request. It finds a file by
 * its path from the root of the repository, which is GITHUB_WORKSPACE, also when the step runs in a folder below.
 */
export function githubAnnotations(
  results: readonly ReportedResult[],
  { cwd, env }: Pick<System, 'cwd' | 'env'>,
): string[] {
  const path = (file: string): string => {
    const found = relative(env.GITHUB_WORKSPACE || cwd, resolve(cwd, file))
    return found.startsWith('..') ? file : found.split(sep).join('/')
  }
  return results
    .filter(isFailed)
    .map(
      (result) =>
        `::error file=${escapeProperty(path(result.file))},line=${result.line ?? 1},title=${escapeProperty(`${result.name}: ${result.verdict}`)}::${escapeData(message(result))}`,
    )
}
