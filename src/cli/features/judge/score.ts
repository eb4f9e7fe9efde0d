import type { CriterionResult, CriterionSummary, JudgedItem } from './criterion-result.ts'
import { type Rubric, totalId } from './rubric.ts'

/** Returns a number with at most 4 decimals, for output and comparisons. */
const rounded = (value: number): number => Number(value.toFixed(4))

/** A score and its weight. */
type Weighed = readonly [score: number, weight: number]

const mean = (all: readonly Weighed[]): number | null => {
  const total = all.reduce((sum, [, weight]) => sum + weight, 0)
  return total === 0 ? null : rounded(all.reduce((sum, [score, weight]) => sum + score * weight, 0) / total)
}

/** What a conversation scores. */
type Scored = Pick<JudgedItem, 'result' | 'score' | 'gate_score'>

/** Returns the score of one conversation. A criterion that could not be judged is 0 for the gate, and lets nothing pass. */
export function scoreOf({ criteria, pass }: Rubric, results: readonly CriterionResult[]): Scored {
  const of = (id: string) => criteria.find((it) => it.id === id)
  const weighed = (status: CriterionResult['status']): Weighed[] =>
    results.filter((it) => it.status === status).map(({ id, score }) => [score ?? 0, of(id)?.weight ?? 1])
  const [judged, missing] = [weighed('judged'), weighed('unjudged')]
  const score = mean(judged)
  const gate_score = mean([...judged, ...missing])
  if (gate_score === null) return { result: 'not_applicable', score, gate_score }
  const isBelow = results.some(({ id, status, score: own }) => status === 'judged' && (own ?? 0) < (of(id)?.min ?? 0))
  // With the best that the missing ones could be, so that a failure is a failure whatever the model would have said.
  const best = mean([...judged, ...missing.map(([, weight]): Weighed => [1, weight])]) ?? 0
  if (isBelow || best < pass) return { result: 'failed', score, gate_score }
  return { result: missing.length > 0 ? 'unjudged' : 'passed', score, gate_score }
}

/** Sums up the results of a run: a row for each criterion, and the total. */
export function summarize(
  { criteria }: Rubric,
  items: readonly JudgedItem[],
  previous: readonly CriterionSummary[],
): CriterionSummary[] {
  const row = (
    criterion: string,
    all: readonly { readonly score: number | null; readonly gate: number | null; readonly isJudged: boolean }[],
  ): CriterionSummary => {
    const counted = all.filter((it) => it.gate !== null)
    const of = (key: 'score' | 'gate'): number | null =>
      mean(counted.flatMap((it): Weighed[] => (it[key] === null ? [] : [[it[key], 1]])))
    const [score, before] = [of('score'), previous.find((it) => it.criterion === criterion)?.score ?? null]
    return {
      criterion,
      judged: counted.filter((it) => it.isJudged).length,
      unjudged: counted.filter((it) => !it.isJudged).length,
      score,
      gate_score: of('gate'),
      previous: before,
      change: score === null || before === null ? null : rounded(score - before),
    }
  }
  const rows = criteria.map(({ id }) =>
    row(
      id,
      items
        .flatMap((it) => it.criteria.filter((one) => one.id === id))
        .map(({ status, score }) => ({
          score,
          gate: status === 'judged' || status === 'unjudged' ? (score ?? 0) : null,
          isJudged: status === 'judged',
        })),
    ),
  )
  const total = row(
    totalId,
    items.map(({ result, score, gate_score }) => ({ score, gate: gate_score, isJudged: result !== 'unjudged' })),
  )
  return [...rows, total]
}
