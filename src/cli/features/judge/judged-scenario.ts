import { scenarioFromTranscript } from '../../nouns/conversations/scenario-from-transcript.ts'
import type { CriterionResult } from './criterion-result.ts'
import type { JudgedRecord } from './judged-record.ts'
import type { Check, Rubric } from './rubric.ts'
import { humanPattern, pricePattern } from './run-checks.ts'

type Expectations = Readonly<Record<string, unknown>>

/** Returns a check as expectations of a scenario. */
function expectationsOf({ says_price, offers_human, max_messages, ...same }: Check): Expectations {
  const patterns = [
    [says_price, pricePattern],
    [offers_human, humanPattern],
  ] as const
  const texts = (wanted: boolean): string[] =>
    patterns.flatMap(([given, pattern]) => (given === wanted ? [pattern] : []))
  const [matches, never] = [
    [...(same.matches ?? []), ...texts(true)],
    [...(same.never ?? []), ...texts(false)],
  ]
  return {
    ...same,
    ...(matches.length > 0 && { matches }),
    ...(never.length > 0 && { never }),
    ...(max_messages !== undefined && { max_turns: max_messages }),
  }
}

/** Returns the scenario of a failure: what the customer said, and the criteria that were not met as its expectations. */
export function judgedScenario(
  { criteria }: Rubric,
  { recorded }: JudgedRecord,
  results: readonly CriterionResult[],
): Readonly<Record<string, unknown>> {
  const scenario = scenarioFromTranscript(recorded)
  const failed = criteria.filter(({ id }) =>
    results.some((it) => it.id === id && it.status === 'judged' && (it.score ?? 0) < 1),
  )
  const questions = failed.flatMap(({ question }) => question ?? [])
  const lists: Record<string, unknown> = {}
  for (const { check } of failed)
    for (const [name, value] of Object.entries(check ? expectationsOf(check) : {})) {
      const before = lists[name]
      lists[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
    }
  return {
    ...scenario,
    expect: {
      ...(scenario.expect as Expectations | undefined),
      ...lists,
      ...(questions.length > 0 && { judge: questions.join('\n') }),
    },
  }
}
