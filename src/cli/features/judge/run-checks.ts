import { checkReplies } from '../scenario-tests/check-run.ts'
import { textContains } from '../scenario-tests/match-value.ts'
import type { CriterionResult, Quote } from './criterion-result.ts'
import type { JudgedRecord, SpokenMessage } from './judged-record.ts'
import type { Check, Criterion } from './rubric.ts'

/** An amount of money, as a text of `matches`. */
export const pricePattern =
  '/[€£$]\\s?\\d|\\d(?:[\\d.,]*\\d)?\\s?(?:[€£$]|(?:EUR|USD|GBP|CHF|PLN|euros?|dollars?|pounds?|francs?|złotych|zł)(?![\\p{L}]))/iu'

/** Words with which an assistant offers a person, in the languages of scenarios. */
export const humanPattern =
  "/(?<!\\p{L})(?:human|(?:a|real) person|colleagues?|representative|team ?member|(?:put|transfer|connect) you|call you back|someone (?:from|will)|Mitarbeiter(?:in|innen|n)?|Kolleg(?:e|en|in)|verbinde Sie|rufen Sie zurück|persona|compañer[oa]|conseiller|collègue|collega|operatore|colega|atendente|medewerker|collega's|konsultant(?:em)?|pracownik(?:iem)?)(?!\\p{L})/iu"

/** Characters of a message that a check quotes. */
const quoteLength = 200

/** Returns whether a criterion applies: without `when`, to everything. */
export const applies = ({ when }: Criterion, { said }: JudgedRecord): boolean =>
  when === undefined || said.some(({ role, text }) => role === 'customer' && when.some((it) => textContains(text, it)))

/** Judges a criterion with a check. Quotes are from the text without personal data. */
export function runCheck(criterion: Criterion, check: Check, record: JudgedRecord): CriterionResult {
  const { says_price, offers_human, max_messages, ...expected } = check
  const spoken = record.said.filter(({ role }) => role === 'assistant')
  const quotesOf = (wanted: string): Quote[] => {
    const found = spoken.find(({ text }) => textContains(text, wanted))
    return found ? quote(record, found) : []
  }
  const failed: string[] = []
  const quotes: Quote[] = []
  for (const { expectation, expected: wanted } of checkReplies(expected, record.exchanges, null)) {
    failed.push(expectation === 'never' ? `said what it must not: ${wanted}` : `${expectation} ${wanted} was not met`)
    if (expectation === 'never') quotes.push(...(expected.never ?? []).flatMap(quotesOf))
  }
  const patterns = [
    [says_price, pricePattern, 'a price'],
    [offers_human, humanPattern, 'a person'],
  ] as const
  for (const [wanted, pattern, what] of patterns) {
    if (wanted === undefined) continue
    const found = quotesOf(pattern)
    if (found.length > 0 !== wanted) failed.push(wanted ? `${what} was not mentioned` : `${what} was mentioned`)
    quotes.push(...found)
  }
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
