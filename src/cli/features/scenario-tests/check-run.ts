import { stringifyJson } from '../../../node/json.ts'
import { handoverIn } from '../../nouns/conversations/scenario-from-transcript.ts'
import type { Exchange } from './assistants/conversation-run.ts'
import type { languages, ScenarioExpectations, TurnExpected } from './assistants/scenario-schema.ts'
import { compilePattern, textContains, valueMatches } from './match-value.ts'

type Language = (typeof languages)[number]

/** Frequent words that tell languages apart. */
const words: Readonly<Record<Language, string>> = {
  en: 'the and you is are to of for we can how what your have with help not will this from i my it at',
  es: 'el la los las que de y en es por para con su usted puedo cómo qué está gracias hola una le no hoy día',
  de: 'der die das und ist sie wir für mit ich nicht ein eine zu den auf wie kann ihnen bitte danke von haben uhr',
  fr: 'le la les et est vous nous pour avec je ne pas un une des du que qui comment puis merci bonjour votre à',
  it: 'il la che di e è per con non un una sono come posso grazie ciao suo le gli del della siamo oggi',
  pt: 'o os que de e é para com não um uma você como posso obrigado olá seu dos das em por está hoje',
  nl: 'de het en is een van u wij voor met ik niet dat hoe kan uw te zijn op bedankt hallo aan om',
  pl: 'i w na nie jest się że z do czy jak pan pani dla proszę dziękuję mogę jestem od o dzień',
}

/** Returns the language whose frequent words a text has most; undefined if it has none, or two have equally many. */
function detectLanguage(text: string): Language | undefined {
  const used = text.toLowerCase().split(/[^\p{L}]+/u)
  const scores = Object.entries(words)
    .map(([language, known]) => {
      const set = new Set(known.split(' '))
      return [language as Language, used.filter((it) => set.has(it)).length] as const
    })
    .sort(([, a], [, b]) => b - a)
  const [first, second] = scores
  return first && first[1] > 0 && first[1] > (second?.[1] ?? 0) ? first[0] : undefined
}

/** An expectation that was not met. Results in JSON have it: fields are added, not renamed. */
export interface Finding {
  /** Number of the turn from 1; null for the whole conversation. */
  readonly turn: number | null
  /** Field of the expectation, such as `called`. */
  readonly expectation: string
  readonly expected: string
  readonly happened: string
}

/** What a scenario did, for its expectations. */
interface Outcome {
  readonly exchanges: readonly Exchange[]
  readonly variables: Readonly<Record<string, unknown>> | undefined
  readonly endReason: string
  readonly costUsd: number | null
}

const json = (it: unknown): string => (typeof it === 'string' ? it : (stringifyJson(it) ?? 'nothing'))
const list = (items: readonly string[]): string => (items.length === 0 ? 'nothing' : items.join(', '))
const describeCall = ({ name, arguments: args }: { readonly name: string; readonly arguments: object }): string =>
  `${name} ${stringifyJson(args)}`

/** Checks the expectations about one turn, or about all of them. */
export function checkReplies(expected: TurnExpected, exchanges: readonly Exchange[], turn: number | null): Finding[] {
  const found: Finding[] = []
  const add = (expectation: string, wanted: string, happened: string): void =>
    void found.push({ turn, expectation, expected: wanted, happened })
  const text = exchanges.map((it) => it.reply).join('\n')
  const calls = exchanges.flatMap((it) => it.calls)
  for (const { tool, with: args, times } of expected.called ?? []) {
    const named = calls.filter((it) => it.name === tool)
    const fitting = args ? named.filter((it) => valueMatches(it.arguments, args)) : named
    if (times === undefined ? fitting.length > 0 : fitting.length === times) continue
    const wanted = `${tool}${args ? ` ${stringifyJson(args)}` : ''}${times === undefined ? '' : ` (${times} times)`}`
    add('called', wanted, list((named.length > 0 ? named : calls).map(describeCall)))
  }
  for (const tool of expected.not_called ?? []) {
    const named = calls.filter((it) => it.name === tool)
    if (named.length > 0) add('not_called', `no call of ${tool}`, list(named.map(describeCall)))
  }
  for (const phrase of expected.contains ?? []) if (!textContains(text, phrase)) add('contains', phrase, text)
  for (const expression of expected.matches ?? []) {
    const pattern = compilePattern(expression, true)
    if (typeof pattern === 'object' && !pattern.test(text)) add('matches', expression, text)
  }
  for (const phrase of expected.never ?? []) if (textContains(text, phrase)) add('never', `no "${phrase}"`, text)
  const { language, max_latency_ms: limit } = expected
  if (language !== undefined) {
    const spoken = detectLanguage(text)
    if (spoken !== language) add('language', language, `${spoken ?? 'unknown'}: ${text}`)
  }
  const slowest = Math.max(0, ...exchanges.map((it) => it.latencyMs))
  if (limit !== undefined && slowest > limit) add('max_latency_ms', `at most ${limit} ms`, `${slowest} ms`)
  return found
}

/** Checks the expectations about the whole conversation, except the judgement. */
export function checkOutcome(
  expected: ScenarioExpectations,
  { exchanges, variables, endReason, costUsd }: Outcome,
): Finding[] {
  const found = checkReplies(expected, exchanges, null)
  const add = (expectation: string, wanted: string, happened: string): void =>
    void found.push({ turn: null, expectation, expected: wanted, happened })
  for (const [name, value] of Object.entries(expected.variables ?? {}))
    if (!valueMatches(variables?.[name], value))
      add('variables', `${name}: ${json(value)}`, `${name}: ${json(variables?.[name])}`)
  if (expected.handover !== undefined) {
    const to = exchanges.map(handoverIn).findLast((it) => it !== undefined) ?? 'none'
    if (to !== expected.handover) add('handover', expected.handover, to)
  }
  if (expected.end_reason !== undefined && endReason !== expected.end_reason)
    add('end_reason', expected.end_reason, endReason)
  const { min_turns: least, max_turns: most, max_cost_usd: limit } = expected
  if (least !== undefined && exchanges.length < least)
    add('min_turns', `at least ${turnsText(least)}`, turnsText(exchanges.length))
  if (most !== undefined && exchanges.length > most)
    add('max_turns', `at most ${turnsText(most)}`, turnsText(exchanges.length))
  if (limit !== undefined && (costUsd ?? 0) > limit) add('max_cost_usd', `at most ${limit} USD`, `${costUsd} USD`)
  return found
}

const turnsText = (count: number): string => (count === 1 ? '1 turn' : `${count} turns`)
