import { usd } from '../../../contract/values/money.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { mapConcurrently } from '../../program/dependencies/account-reader.ts'
import { type ModelEndpoint, type ModelUsage, startModelSession } from '../scenario-tests/model/model-recorder.ts'
import { askJudge, judgeRequest, unjudged } from './ask-judge.ts'
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

/**
 * Returns the hash under which the result of a criterion is saved: that of everything the model is asked. Files of earlier runs
 * have it: with another one, what was judged is asked and paid again.
 */
export const askedHash = ({ url, model }: ModelEndpoint, record: JudgedRecord, criterion: Criterion): string =>
  hashJson([url, model, record.id, judgeRequest([criterion], record)])

/** Returns what is sent to whom and what it costs, as a sentence without its end. */
export function describeQuestions(
  { noun }: JudgedSource,
  questions: readonly Question[],
  { url, model }: ModelEndpoint,
  price: number | undefined,
): string {
  const characters = questions.reduce(
    (sum, { criteria, record }) => sum + judgeRequest(criteria, record).reduce((all, it) => all + it.content.length, 0),
    0,
  )
  const tokens = Math.ceil(characters / charactersPerToken)
  const cost =
    price === undefined
      ? 'Cost: that of your model provider (pass --token-price to estimate it)'
      : `Estimated cost: ${costText(tokens, price)}, at most twice that, without the answers`
  return `Send ${questions.length} ${noun} with masked personal data to the model ${model} at ${new URL(url).host}: ${questions.length} requests, at most ${2 * questions.length}, about ${tokens} tokens. ${cost}`
}

const costText = (tokens: number, price: number): string => usd((tokens / 1_000_000) * price)

/** Asks for the consent to what is sent. @throws ClientFailure `consent` without it */
export async function confirmQuestions(context: Context, text: string): Promise<void> {
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

/** Returns what the answers have used, and what it cost if the price is known; undefined if the model says nothing about it. */
export function usageText(
  { answers, counted, input, output }: ModelUsage,
  price: number | undefined,
): string | undefined {
  if (counted === 0) return undefined
  const cost = price === undefined ? '' : ` Cost: ${costText(input + output, price)}.`
  const missing = answers === counted ? '' : ` ${answers - counted} of ${answers} answers did not say how many.`
  return `Tokens used: ${input + output} (${input} in, ${output} out).${cost}${missing}`
}

/** What a model said. */
interface Asked {
  /** The results by record; what could not be asked has none. */
  readonly found: ReadonlyMap<string, readonly CriterionResult[]>
  readonly usage: ModelUsage
}

/** Asks a model, and saves each result at once. After an interruption it waits for the answers to what was asked, which are paid for. */
export async function askAll(
  context: Context,
  questions: readonly Question[],
  endpoint: ModelEndpoint,
  results: Results,
): Promise<Asked> {
  const { system, progress, notes } = context
  const { signal } = system
  const found = new Map<string, readonly CriterionResult[]>()
  const session = await startModelSession(undefined, endpoint, {
    now: system.now,
    signal: new AbortController().signal,
  })
  let failures = 0
  let inFlight = 0
  const ask = async ({ record, criteria }: Question): Promise<readonly CriterionResult[]> => {
    if (failures >= maxFailures)
      return criteria.map((criterion) =>
        unjudged(criterion, `The model was not asked, because it had failed ${maxFailures} times in a row.`),
      )
    inFlight++
    const given = await askJudge(criteria, record, session.ask, () => signal.aborted)
    inFlight--
    failures = given.hasFailed ? failures + 1 : 0
    return given.results
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
    // What is not asked again because of an interruption says nothing about the conversation.
    if (signal.aborted && given.some((it) => it.status === 'unjudged')) return
    found.set(record.id, given)
    setText(judgingText())
  }
  const judgingText = (): string => `Judging: ${found.size} of ${questions.length}`
  try {
    let all: Promise<unknown> = Promise.resolve()
    await progress.showWhile(judgingText(), (setText) => {
      all = mapConcurrently(
        questions,
        async (question) => (signal.aborted ? undefined : work(question, setText)),
        askers,
      )
      const interrupted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return Promise.race([all, interrupted])
    })
    if (inFlight > 0) {
      const text = `Waiting for ${inFlight} ${inFlight === 1 ? 'answer' : 'answers'} of the model, at most ${endpoint.timeoutMs / 1000} s. Ctrl-C again ends at once`
      await notes.note(`Interrupted. ${text}.`)
      await progress.showWhile(text, all)
    }
    await all
  } finally {
    await session.close()
  }
  return { found, usage: session.usage() }
}
