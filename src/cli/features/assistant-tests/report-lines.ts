import { safeLine, safeText } from '../../program/terminal/safe-text.ts'
import { textDifference } from '../../program/updates/text-difference.ts'
import type { Finding } from './check-run.ts'
import type { CoverageItem } from './coverage.ts'
import type { ScenarioResult } from './run-suite.ts'
import { remoteUnknown, type TestScenario } from './scenario-schema.ts'

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
export function resultLines(it: ScenarioResult): string[] {
  const rate = it.runs > 1 ? `, ${it.failed_runs} of ${it.runs} runs failed` : ''
  const head = `${marks[it.verdict]} ${it.name} (${it.file}${it.line === null ? '' : `:${it.line}`}; ${it.turns} ${it.turns === 1 ? 'turn' : 'turns'}, ${it.latency_ms} ms${rate})`
  const turns = new Set(it.findings.map((one) => one.turn))
  const spoken = it.transcript.flatMap(({ customer, assistant, calls }, n) =>
    turns.has(n + 1) || turns.has(null)
      ? [
          `${n + 1} customer: ${customer}`,
          ...calls.map((call) => `${n + 1} called: ${call}`),
          `${n + 1} assistant: ${assistant}`,
        ]
      : [],
  )
  const details =
    it.verdict === 'passed'
      ? []
      : [
          ...(it.reason === null ? [] : it.reason.split('\n')),
          ...(it.findings.length === 0 ? [] : spoken),
          ...it.findings.flatMap(findingLines),
        ]
  return [safeLine(head), ...details.map((line) => `  ${safeText(line)}`)]
}

/** Returns a line with the number of results by verdict. */
export function summaryLine(results: readonly ScenarioResult[]): string {
  const count = (verdict: ScenarioResult['verdict']): number => results.filter((it) => it.verdict === verdict).length
  const others = (['failed', 'flaky', 'stale', 'skipped'] as const).flatMap((it) =>
    count(it) > 0 ? [`${count(it)} ${it}`] : [],
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
