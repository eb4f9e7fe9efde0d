import { relative, resolve, sep } from 'node:path'
import type { System } from '../../program/system.ts'
import { findingLines } from './report-lines.ts'
import type { ScenarioResult } from './run-suite.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
// Characters that XML does not allow are removed.
const xml = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (it) => (it === '\n' || it === '\t' ? it : ''))
    .replaceAll(/[&<>"]/g, (it) => escapes[it] as string)

/** What a report has of a result. */
type ReportedResult = Pick<
  ScenarioResult,
  'name' | 'file' | 'line' | 'assistant' | 'verdict' | 'reason' | 'latency_ms' | 'findings'
> &
  Partial<Pick<ScenarioResult, 'replaced'>>

const isFailed = ({ verdict }: ReportedResult): boolean => verdict !== 'passed' && verdict !== 'skipped'
const message = (it: ReportedResult): string =>
  [...(it.reason === null ? [] : [it.reason]), ...it.findings.flatMap(findingLines)].join('\n')

/** Returns what the local platform has not, a line each. */
const replacedLines = ({ replaced = [] }: ReportedResult): string[] =>
  replaced.map((it) => `Not as in the files: ${it}.`)

/** Returns the results as JUnit XML. The type of a failure is its verdict. */
export function junitReport(results: readonly ReportedResult[], suite = 'parley assistants test'): string {
  const cases = results.map((it) => {
    const open = `  <testcase classname="${xml(it.assistant)}" name="${xml(it.name)}" file="${xml(it.file)}" time="${(it.latency_ms / 1000).toFixed(3)}"`
    if (it.verdict === 'skipped') return `${open}><skipped message="${xml(it.reason ?? '')}"/></testcase>`
    const replaced = replacedLines(it).join('\n')
    const output = replaced === '' ? '' : `<system-out>${xml(replaced)}</system-out>`
    if (!isFailed(it)) return output === '' ? `${open}/>` : `${open}>${output}</testcase>`
    return `${open}><failure type="${it.verdict}" message="${xml(message(it).split('\n', 1)[0] ?? '')}">${xml(message(it))}</failure>${output}</testcase>`
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
      (it) =>
        `::error file=${escapeProperty(path(it.file))},line=${it.line ?? 1},title=${escapeProperty(`${it.name}: ${it.verdict}`)}::${escapeData(message(it))}`,
    )
}
