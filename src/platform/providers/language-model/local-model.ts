import type {
  FunctionRun,
  LanguageModel,
  ModelFunction,
  ModelReply,
  ModelRequest,
  ProviderResult,
} from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import type { testMessages } from '../local/test-numbers.ts'
import { findBestFunction, findDistinctFunction, findSearchFunction, toStems } from './function-matching.ts'
import { fillPlaceholders, fillPlaceholdersIn, type Intent, type ModelScript } from './model-script.ts'
import { runFunction } from './run-function.ts'
import { extractArguments } from './value-extraction.ts'

type TestMessage = keyof typeof testMessages

const openingHoursRun = {
  name: 'look_up_opening_hours',
  arguments: { day: 'today' },
  result: { opens: '08:00', closes: '17:00' },
} as const

const openingHours = 'We are open Monday to Friday, 8:00 to 17:00.'

const openingStems = toStems(
  'open opening hours close closed day days time today tomorrow weekend monday tuesday wednesday thursday friday saturday sunday',
)

/** Returns whether a question about opening hours has a word for what is open. */
const hasOtherWords = (text: string): boolean => [...toStems(text)].some((it) => !openingStems.has(it))

/** Canned replies to known words. The first match wins. Recorded examples and scenarios of users may have these texts. */
const smallTalk: readonly (readonly [RegExp, string])[] = [
  [/\b(thanks|thank you|thx)\b/i, 'You are welcome. Is there anything else?'],
  [/\b(bye|goodbye|see you)\b/i, 'Goodbye, and thank you for writing.'],
  [/\b(appointment|book|visit|reschedule|cancel)\b/i, 'I can help with appointments. Which day would suit you?'],
  [/\b(open|opening|hours|closed?)\b/i, openingHours],
  [/\b(hello|hi|hey|good (morning|afternoon|evening))\b/i, 'Hello! How can I help you?'],
]

/** Matches a message that consists only of a goodbye, thanks or a dismissal. It ends an open question. */
const dismissalPattern = /^\W*(bye|goodbye|see you|thanks|thank you|thx|stop|never ?mind|forget it)\W*$/i

/** Returns a message shortened for quoting. */
const quoteBeginning = (text: string): string => ([...text].length > 80 ? `${[...text].slice(0, 79).join('')}…` : text)

const toReply = (text: string, calls: readonly FunctionRun[] = []): ProviderResult<ModelReply> => ({
  ok: true,
  text,
  calls,
})

async function createAnswer(turn: ModelRequest, script: ModelScript | undefined): Promise<ProviderResult<ModelReply>> {
  const userText = (turn.messages.at(-1)?.content ?? '').trim()
  const testReplies: Partial<Record<string, ProviderResult<ModelReply>>> = {
    '#fail': { ok: false, reason: 'The language model is not available.' },
    '#function': toReply(
      `We are open today from ${openingHoursRun.result.opens} to ${openingHoursRun.result.closes}.`,
      [openingHoursRun],
    ),
  } satisfies Record<TestMessage, ProviderResult<ModelReply>>
  const known = testReplies[userText.toLowerCase()]
  if (known?.ok) for (const run of known.calls) turn.onRun?.(run)
  if (known) return known
  for (const intent of script?.intents ?? []) {
    const groups =
      intent.assistant === undefined || intent.assistant === turn.assistant ? intent.match(userText) : undefined
    if (groups) return runIntent(turn, intent, groups)
  }
  const question = dismissalPattern.test(userText) ? undefined : findOpenQuestion(turn)
  const picked = question?.openFunction ?? findBestFunction(userText, turn.functions)
  if (picked) return useFunction(turn, picked, question ? `${question.asked}\n${userText}` : userText)
  const line = smallTalk.find(([words]) => words.test(userText))?.[1]
  const distinct = dismissalPattern.test(userText) ? undefined : findDistinctFunction(userText, turn.functions)
  if (distinct) return useFunction(turn, distinct, userText)
  // A question about the hours of something in particular is one for the knowledge base.
  const search =
    (line === undefined && script?.fallback === undefined) || (line === openingHours && hasOtherWords(userText))
      ? findSearchFunction(userText, turn.functions)
      : undefined
  if (search) return useFunction(turn, search, userText)
  if (line !== undefined) return toReply(line)
  if (script?.fallback !== undefined)
    return toReply(fillPlaceholders(script.fallback, { groups: [userText], variables: turn.variables }))
  return toReply(
    `You wrote: "${quoteBeginning(userText)}". This is a simulated reply of ${turn.assistant}: no language model is configured.`,
  )
}

/** Runs the action of an intent. */
async function runIntent(
  turn: ModelRequest,
  { call, with: args, reply, failure }: Intent,
  groups: readonly string[],
): Promise<ProviderResult<ModelReply>> {
  const known = { groups, variables: turn.variables }
  if (failure !== undefined) return { ok: false, reason: fillPlaceholders(failure, known) }
  if (call === undefined) return toReply(fillPlaceholders(reply ?? '', known))
  const run = await runFunction(turn, call, fillPlaceholdersIn(args, known) as Record<string, unknown>)
  return toReply(
    reply === undefined || isFailure(run)
      ? describeResult(run)
      : fillPlaceholders(reply, { ...known, result: run.result }),
    [run],
  )
}

/** Calls a matching function, or asks for a missing required argument. */
async function useFunction(
  turn: ModelRequest,
  called: ModelFunction,
  text: string,
): Promise<ProviderResult<ModelReply>> {
  const { args, missing } = extractArguments(text, called)
  if (missing) return toReply(missingArgumentQuestion(called, missing))
  const run = await runFunction(turn, called.name, args)
  return toReply(describeResult(run), [run])
}

/** The question for a missing argument. `findOpenQuestion` finds it again in stored messages by its beginning, which never changes. */
const missingArgumentQuestion = ({ name }: ModelFunction, { description }: { readonly description: string }): string =>
  `To use ${name}, I need more information: ${description}`

/**
 * Finds the question that the local model asked last, and the customer's messages since the function was first
 * mentioned. Each answer adds to them.
 */
function findOpenQuestion({
  messages: lines,
  functions,
}: ModelRequest): { readonly openFunction: ModelFunction; readonly asked: string } | undefined {
  let of: ModelFunction | undefined
  const earlier: string[] = []
  for (let at = lines.length - 2; at >= 1; at -= 2) {
    const asked = functions.find(
      ({ name }) =>
        lines[at]?.role === 'assistant' && lines[at]?.content.startsWith(`To use ${name}, I need more information: `),
    )
    if (!asked || (of && asked !== of)) break
    of = asked
    earlier.unshift(lines[at - 1]?.content ?? '')
  }
  return of && { openFunction: of, asked: earlier.join('\n') }
}

const isFailure = ({ result }: FunctionRun): boolean => Object.hasOwn(result, 'error')

/** Describes the result of a function in words. */
function describeResult(run: FunctionRun): string {
  const { name, result } = run
  if (isFailure(run)) return `I could not use ${name}: ${result.error}`
  const shown = Object.entries(result).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : stringifyJson(value)}`,
  )
  return truncateReply(shown.length > 0 ? `I used ${name}: ${shown.join(', ')}.` : `I used ${name}.`)
}

const truncateReply = (text: string): string => (text.length > 600 ? `${text.slice(0, 599)}…` : text)

/** Options of the local model. */
interface LocalModelOptions {
  readonly gate?: FaultInjector | undefined
  /**
   * Loads the operator's intents, which take precedence over built-in replies. It is read for every reply, so that
   * changes of the file take effect.
   */
  readonly script?: (() => Promise<ModelScript>) | undefined
}

/**
 * Creates a simulated language model. The same message always gets the same reply, and functions are selected by their
 * description. Without a match, the reply says that it is simulated.
 */
export const localModel = ({ gate, script }: LocalModelOptions): LanguageModel => ({
  name: 'local',
  description: `Simulated language model. It answers ${script ? 'the intents of a file and ' : ''}a few known words, calls functions by their description, and repeats all other messages.`,

  reply: (turn) =>
    withFaultInjection(gate, 'language.reply', async () => {
      const reply = await createAnswer(turn, await script?.())
      if (reply.ok) for (const piece of reply.text.match(/\s*\S+\s*/g) ?? []) turn.onText?.(piece)
      return reply
    }),
})
