import { stringifyJson } from '../../../node/json.ts'
import { detectLanguage, replyFacts } from '../../nouns/conversations/reply-content.ts'
import { handoverIn } from '../../nouns/conversations/scenario-from-transcript.ts'
import type { Exchange } from './assistants/conversation-run.ts'
import type { ScenarioExpectations, TurnExpected } from './assistants/scenario-schema.ts'
import { compilePattern, textContains, valueMatches } from './match-value.ts'

/** An expectation that was not met. Results in JSON have it: fields are added, not renamed. */
export interface Finding {
  /** Number of the turn from 1; null for the whole conversation. */
  readonly turn: number | null
  /** Field of the expectation, such as `called`. run-checks.ts of judgements tells the conditions of a rubric by it. */
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
  for (const [name, { pattern, what }] of replyFacts) {
    const isWanted = expected[name]
    if (isWanted !== undefined && pattern.test(text) !== isWanted) add(name, isWanted ? what : `not ${what}`, text)
  }
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
