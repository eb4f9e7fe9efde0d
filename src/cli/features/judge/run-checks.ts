import { replyFacts } from '../../nouns/conversations/reply-content.ts'
import { checkReplies } from '../scenario-tests/check-run.ts'
import { textContains } from '../scenario-tests/match-value.ts'
import type { CriterionResult, Quote } from './criterion-result.ts'
import type { JudgedRecord, SpokenMessage } from './judged-record.ts'
import type { Check, Criterion } from './rubric.ts'

/** Characters of a message that a check quotes. */
const quoteLength = 200

/** Returns whether a criterion applies: without `when`, to everything. */
export const applies = ({ when }: Criterion, { said }: JudgedRecord): boolean =>
  when === undefined || said.some(({ role, text }) => role === 'customer' && when.some((it) => textContains(text, it)))

/** Judges a criterion with a check. Quotes are from the text without personal data. */
export function runCheck(criterion: Criterion, check: Check, record: JudgedRecord): CriterionResult {
  const { max_messages, ...expected } = check
  const spoken = record.said.filter(({ role }) => role === 'assistant')
  const quoteWhere = (has: (text: string) => boolean): Quote[] => {
    const found = spoken.find(({ text }) => has(text))
    return found ? quote(record, found) : []
  }
  const quotesOf = (wanted: string): Quote[] => quoteWhere((text) => textContains(text, wanted))
  const failed: string[] = []
  const quotes: Quote[] = []
  for (const { expectation, expected: wanted } of checkReplies(expected, record.exchanges, null)) {
    const [name, fact] = replyFacts.find(([named]) => named === expectation) ?? []
    if (name && fact) failed.push(`${fact.what} was ${expected[name] ? 'not ' : ''}mentioned`)
    else
      failed.push(
        expectation === 'never'
          ? `said what it must not: ${wanted.replace(/^no /, '')}`
          : `${expectation} ${wanted} was not met`,
      )
    if (expectation === 'never') quotes.push(...(expected.never ?? []).flatMap(quotesOf))
  }
  for (const [name, { pattern }] of replyFacts)
    if (expected[name] !== undefined) quotes.push(...quoteWhere((text) => pattern.test(text)))
  if (max_messages !== undefined && spoken.length > max_messages)
    failed.push(`the assistant wrote ${spoken.length} messages, at most ${max_messages} expected`)
  if (failed.length === 0) quotes.push(...(expected.contains ?? []).flatMap(quotesOf))
  return {
    id: criterion.id,
    by: 'check',
    status: 'judged',
    score: failed.length === 0 ? 1 : 0,
    reason: failed.length === 0 ? 'as expected' : failed.join('; '),
    quotes,
  }
}

function quote({ redacted }: JudgedRecord, { number }: SpokenMessage): Quote[] {
  const text = redacted.find((it) => it.number === number)?.text
  return text === undefined ? [] : [{ message: number, text: text.slice(0, quoteLength) }]
}
