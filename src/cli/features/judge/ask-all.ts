import { usd } from '../../../contract/values/money.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { mapConcurrently } from '../../program/dependencies/account-reader.ts'
import { type ModelEndpoint, startModelSession } from '../scenario-tests/model/model-recorder.ts'
import { askJudge, judgeRequest, ModelFailed, unjudged } from './ask-judge.ts'
import type { CriterionResult } from './criterion-result.ts'
import type { JudgedRecord } from './judged-record.ts'
import type { JudgedSource } from './judged-sources.ts'
import type { Results } from './results-file.ts'
import type { Criterion } from './rubric.ts'

/** Requests in flight to the model. */
const askers = 4
/** Failures of a model in a row after which it is not asked any more. */
const maxFailures = 5
/** Characters of a token, for the estimate before the question. */
const charactersPerToken = 4

/** What a model is asked about one record. */
export interface Question {
  readonly record: JudgedRecord
  readonly criteria: readonly Criterion[]
}

/** Returns the hash under which the result of a criterion is saved: that of everything the model is asked. */
export const askedHash = ({ url, model }: ModelEndpoint, record: JudgedRecord, criterion: Criterion): string =>
  hashJson([url, model, record.id, judgeRequest([criterion], record)])

/** Says what is sent to whom and what it costs, and asks. @throws ClientFailure `consent` without confirmation */
export async function confirmQuestions(
  context: Context,
  { noun }: JudgedSource,
  questions: readonly Question[],
  { url, model }: ModelEndpoint,
  price: number | undefined,
): Promise<void> {
  const characters = questions.reduce(
    (sum, { criteria, record }) => sum + judgeRequest(criteria, record).reduce((all, it) => all + it.content.length, 0),
    0,
  )
  const tokens = Math.ceil(characters / charactersPerToken)
  const cost =
    price === undefined
      ? 'Cost: that of your model provider (pass --token-price to estimate it)'
      : `Estimated cost: ${usd((tokens / 1_000_000) * price)}, at most twice that, without the answers`
  const text = `Send ${questions.length} ${noun} with masked personal data to the model ${model} at ${new URL(url).host}: ${questions.length} requests, at most ${2 * questions.length}, about ${tokens} tokens. ${cost}`
  // The provider of the model charges for it, also where the platform charges nothing.
  await context.approvals.requirePerson(`${text}.`)
  // Who passes --yes is not asked, and still sees what is sent.
  if (context.globals.yes) await context.notes.note(`${text}.`)
  await requireConfirmation(
    context,
    { question: `${text}. Continue?`, refusalMessage: `${text}. This requires confirmation.` },
    { reachesOutside: true },
  )
}

/** Asks a model, and saves each result at once. Returns the results by record; what could not be asked has none. */
export async function askAll(
  context: Context,
  questions: readonly Question[],
  endpoint: ModelEndpoint,
  results: Results,
): Promise<ReadonlyMap<string, readonly CriterionResult[]>> {
  const { system, progress } = context
  const found = new Map<string, readonly CriterionResult[]>()
  if (questions.length === 0) return found
  const session = await startModelSession(undefined, endpoint, system)
  let failures = 0
  const ask = async ({ record, criteria }: Question): Promise<readonly CriterionResult[]> => {
    const none = (reason: string): readonly CriterionResult[] => criteria.map((it) => unjudged(it, reason))
    if (failures >= maxFailures)
      return none(`The model was not asked, because it had failed ${maxFailures} times in a row.`)
    try {
      const given = await askJudge(criteria, record, session.ask)
      failures = 0
      return given
    } catch (error) {
      if (!(error instanceof ModelFailed)) throw error
      failures++
      return none(error.message)
    }
  }
  const work = async (question: Question, setText: (text: string) => void): Promise<void> => {
    const given = await ask(question)
    const { record, criteria } = question
    results.save(
      criteria.flatMap((criterion) => {
        const result = given.find((it) => it.id === criterion.id)
        return result?.status === 'judged' ? [[askedHash(endpoint, record, criterion), result] as const] : []
      }),
    )
    // An interrupted request says nothing about the conversation.
    if (system.signal.aborted && given.some((it) => it.status === 'unjudged')) return
    found.set(record.id, given)
    setText(`Judging: ${found.size} of ${questions.length}`)
  }
  try {
    await progress.showWhile('Judging', (setText) =>
      mapConcurrently(
        questions,
        async (question) => (system.signal.aborted ? undefined : work(question, setText)),
        askers,
      ),
    )
  } finally {
    await session.close()
  }
  return found
}
