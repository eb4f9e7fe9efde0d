import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
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
  /** What the scenario expects of each criterion that was not met, by its id. */
  readonly expected: ReadonlyMap<string, Readonly<Record<string, unknown>>>
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
  const expected = new Map<string, Readonly<Record<string, unknown>>>()
  for (const { id, question, check } of failed) {
    if (question !== undefined) expected.set(id, { judge: question })
    if (!check) continue
    // The messages of the customer are fixed in a scenario, and with them how many replies there are.
    const { max_messages: _, ...conditions } = check
    if (checkReplies(conditions, replies, null).length === 0) untestable.push(id)
    else expected.set(id, conditions)
  }
  const expect = [...expected.values()].reduce(joined, {})
  return {
    scenario: expected.size === 0 ? undefined : { ...scenarioFromTranscript(recorded, { expectsSame: false }), expect },
    expected,
    untestable,
  }
}

type Expectations = Readonly<Record<string, unknown>>

/** Adds expectations to others. Questions come last, in one text. */
function joined({ judge, ...all }: Expectations, { judge: question, ...added }: Expectations): Expectations {
  const result: Record<string, unknown> = { ...all }
  for (const [name, value] of Object.entries(added)) {
    const before = result[name]
    result[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
  const questions = [judge, question].filter((it) => it !== undefined)
  return { ...result, ...(questions.length > 0 && { judge: questions.join('\n') }) }
}

/** Returns whether a scenario has expectations, as `judgedScenario` writes them. */
export function expects(scenario: unknown, wanted: Expectations): boolean {
  const found = isObject(scenario) && isObject(scenario.expect) ? scenario.expect : {}
  return Object.entries(wanted).every(([name, value]) => {
    const has = found[name]
    if (name === 'judge') return typeof has === 'string' && has.includes(String(value))
    const given = [has].flat().map((it) => stringifyJson(it))
    return has !== undefined && [value].flat().every((it) => given.includes(stringifyJson(it)))
  })
}
