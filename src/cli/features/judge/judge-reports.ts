import { escapeCell, escapeXml } from '../../program/output/report-files.ts'
import type { CriterionResult, CriterionSummary, JudgedItem } from './criterion-result.ts'
import { itemResults } from './criterion-result.ts'
import type { JudgedSource } from './judged-sources.ts'
import { type Rubric, totalId } from './rubric.ts'

/** Returns a score as people read it. */
export const scoreText = (score: number | null): string => (score === null ? '-' : score.toFixed(2))

/** Returns a change with its sign. */
export const changeText = (change: number | null): string =>
  change === null ? '' : `${change > 0 ? '+' : ''}${change.toFixed(2)}`

/** Returns the criteria that a person has to read: the worst first, and those without a score. */
export const weakest = ({ criteria }: Pick<JudgedItem, 'criteria'>): readonly CriterionResult[] =>
  criteria
    .filter(({ status, score }) => status === 'unjudged' || (status === 'judged' && (score ?? 0) < 1))
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0))

/** Returns a criterion with its reason and its quotes in one line. `others` are named before the reason, which a table may cut. */
export function criterionLine({ id, status, score, reason, quotes }: CriterionResult, others = 0): string {
  const more = others > 0 ? ` and ${others} more` : ''
  const quoted = quotes.map((it) => `message ${it.message}: "${it.text}"`)
  return `${id} ${status === 'unjudged' ? 'unjudged' : scoreText(score)}${more}: ${[reason.replace(/\.$/, ''), ...quoted].filter(Boolean).join('; ')}`
}

/** Returns the weakest criterion in one line, and how many more a person has to read. */
export function whyText(item: Pick<JudgedItem, 'criteria'>): string {
  const [first, ...others] = weakest(item)
  return first ? criterionLine(first, others.length) : ''
}

/** Returns the sentence that sums up a run. */
export function summaryLine(items: readonly JudgedItem[], summaries: readonly CriterionSummary[]): string {
  const counts = itemResults.flatMap((result) => {
    const count = items.filter((it) => it.result === result).length
    return count > 0 ? [`${count} ${result.replace('_', ' ')}`] : []
  })
  const total = summaries.find((it) => it.criterion === totalId)
  const score = total && total.score !== null ? ` Score: ${scoreText(total.score)}.` : ''
  const unjudged =
    total && total.gate_score !== total.score ? ` With unjudged as 0: ${scoreText(total.gate_score)}.` : ''
  return `${counts.length === 0 ? 'Nothing was judged' : counts.join(', ')}.${score}${unjudged}`
}

/** Returns a run as Markdown, for people who read the summary of a job. */
export function markdownReport(
  { name }: Rubric,
  noun: string,
  items: readonly JudgedItem[],
  summaries: readonly CriterionSummary[],
): string {
  const rows = summaries.map(
    ({ criterion, score, judged, unjudged, previous, change }) =>
      `| ${escapeCell(criterion)} | ${scoreText(score)} | ${judged} | ${unjudged} | ${scoreText(previous)} | ${changeText(change)} |`,
  )
  const found = items
    .filter(({ result }) => result === 'failed' || result === 'unjudged')
    .map(
      (item) =>
        `| ${escapeCell(item.id)} | ${item.result} | ${scoreText(item.score)} | ${weakest(item)
          .map((it) => escapeCell(criterionLine(it)))
          .join('<br>')} |`,
    )
  const table =
    found.length === 0 ? '' : `| ${noun} | Result | Score | Why |\n|---|---|---|---|\n${found.join('\n')}\n\n`
  return `## ${escapeCell(name)}: ${noun}\n\n${escapeCell(summaryLine(items, summaries))}\n\n| Criterion | Score | Judged | Unjudged | Before | Change |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n\n${table}`
}

/**
 * Returns a run as JUnit XML: a case for each conversation, and one for a gate that nothing was judged for. CI services follow a case
 * over time by its class and name.
 */
export function junitReport(
  { name }: Rubric,
  { noun, singular }: Pick<JudgedSource, 'noun' | 'singular'>,
  items: readonly JudgedItem[],
  unproven: { readonly gate: string; readonly reason: string } | undefined,
): string {
  const cases = items.map((item) => {
    const open = `  <testcase classname="${escapeXml(name)}" name="${singular} ${escapeXml(item.id)}"`
    if (item.result === 'passed') return `${open}/>`
    if (item.result === 'not_applicable') return `${open}><skipped message="No criterion applies"/></testcase>`
    const lines = weakest(item).map((it) => criterionLine(it))
    const tag = item.result === 'failed' ? 'failure' : 'error'
    return `${open}><${tag} type="${item.result}" message="${escapeXml(whyText(item))}">${escapeXml(lines.join('\n'))}</${tag}></testcase>`
  })
  if (unproven)
    cases.push(
      `  <testcase classname="${escapeXml(name)}" name="${unproven.gate}"><error type="unjudged" message="${unproven.reason}"/></testcase>`,
    )
  const count = (result: JudgedItem['result']): number => items.filter((it) => it.result === result).length
  const counts = `tests="${cases.length}" failures="${count('failed')}" errors="${count('unjudged') + (unproven ? 1 : 0)}" skipped="${count('not_applicable')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="parley ${noun} judge" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}
