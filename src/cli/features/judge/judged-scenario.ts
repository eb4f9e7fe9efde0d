import {
  type RepeatedConversation,
  scenarioFromTranscript,
} from '../../nouns/conversations/scenario-from-transcript.ts'
import { checkReplies } from '../scenario-tests/check-run.ts'
import type { CriterionResult } from './criterion-result.ts'
import type { JudgedRecord } from './judged-record.ts'
import type { Criterion, Rubric } from './rubric.ts'

/** What of a failure can be tested. */
interface JudgedScenario {
  /** Undefined if a test would pass. */
  readonly scenario: (RepeatedConversation & { readonly expect: Readonly<Record<string, unknown>> }) | undefined
  /** Ids of the criteria that a test with the same messages of the customer would meet. */
  readonly untestable: readonly string[]
}

/** Returns whether a criterion is a reason of a failure. One with a question may have less than the best score and be good enough. */
const hasFailed = ({ pass }: Rubric, { check, min = 0 }: Criterion, { status, score }: CriterionResult): boolean =>
  status === 'judged' && (score ?? 0) < (check ? 1 : Math.max(pass, min))

/**
 * Returns the scenario of a failure: what the customer said, and the criteria that were not met as its expectations. It has only those
 * that the recorded replies do not meet either as a scenario sees them, without the greeting: an assistant that still says the same
 * fails it.
 */
export function judgedScenario(
  rubric: Rubric,
  { recorded, exchanges }: JudgedRecord,
  results: readonly CriterionResult[],
): JudgedScenario {
  const replies = exchanges.filter(({ say }) => say !== '')
  const failed = rubric.criteria.filter((criterion) =>
    results.some((it) => it.id === criterion.id && hasFailed(rubric, criterion, it)),
  )
  const untestable: string[] = []
  const questions: string[] = []
  const expect: Record<string, unknown> = {}
  for (const { id, question, check } of failed) {
    if (question !== undefined) questions.push(question)
    if (!check) continue
    // The messages of the customer are fixed in a scenario, and with them how many replies there are.
    const { max_messages: _, ...expected } = check
    if (checkReplies(expected, replies, null).length === 0) untestable.push(id)
    else
      for (const [name, value] of Object.entries(expected)) {
        const before = expect[name]
        expect[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
      }
  }
  if (questions.length > 0) expect.judge = questions.join('\n')
  const isEmpty = Object.keys(expect).length === 0
  return {
    scenario: isEmpty ? undefined : { ...scenarioFromTranscript(recorded, { expectsSame: false }), expect },
    untestable,
  }
}
