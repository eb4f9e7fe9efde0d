import type { FunctionRun, LanguageModel, Outcome, Reply, Turn, TurnFunction } from '../../services/ports.ts'
import { type Gate, throughGate } from '../gate.ts'
import type { magicMessages } from '../magic.ts'
import { argumentsFrom } from './arguments.ts'
import { pick } from './picking.ts'
import { runFunction } from './running.ts'
import { filledIn, filledValue, type Intent, type Script } from './script.ts'

type Magic = keyof typeof magicMessages

const hours = { name: 'look_up_opening_hours', arguments: { day: 'today' }, result: { opens: '08:00', closes: '17:00' } } as const

/** What it says to words it knows, each tried in turn. */
const small: readonly (readonly [RegExp, string])[] = [
  [/\b(thanks|thank you|thx)\b/i, 'You are welcome. Is there anything else?'],
  [/\b(bye|goodbye|see you)\b/i, 'Goodbye, and thank you for writing.'],
  [/\b(appointment|book|visit|reschedule|cancel)\b/i, 'I can help with appointments. Which day would suit you?'],
  [/\b(open|opening|hours|closed?)\b/i, 'We are open Monday to Friday, 8:00 to 17:00.'],
  [/\b(hello|hi|hey|good (morning|afternoon|evening))\b/i, 'Hello! How can I help you?'],
]

/** Who says so and nothing else wants no more of what was asked about. */
const dropped = /^\W*(bye|goodbye|see you|thanks|thank you|thx|stop|never ?mind|forget it)\W*$/i

/** Long messages are quoted by their beginning. */
const quoted = (text: string): string => ([...text].length > 80 ? `${[...text].slice(0, 79).join('')}…` : text)

const said = (text: string, calls: readonly FunctionRun[] = []): Outcome<Reply> => ({ ok: true, text, calls })

async function answer(turn: Turn, script: Script | undefined): Promise<Outcome<Reply>> {
  const asked = (turn.said.at(-1)?.content ?? '').trim()
  const magic: Partial<Record<string, Outcome<Reply>>> = {
    '#fail': { ok: false, reason: 'The language model is not available.' },
    '#function': said(`I looked it up: today we are open from ${hours.result.opens} to ${hours.result.closes}.`, [hours]),
  } satisfies Record<Magic, Outcome<Reply>>
  const known = magic[asked.toLowerCase()]
  if (known?.ok) for (const run of known.calls) turn.onRun?.(run)
  if (known) return known
  for (const intent of script?.intents ?? []) {
    const groups = intent.assistant === undefined || intent.assistant === turn.assistant ? intent.fits(asked) : undefined
    if (groups) return follow(turn, intent, groups)
  }
  const question = dropped.test(asked) ? undefined : openQuestion(turn)
  const picked = question?.of ?? pick(asked, turn.functions)
  if (picked) return use(turn, picked, question ? `${question.asked}\n${asked}` : asked)
  const line = small.find(([words]) => words.test(asked))?.[1]
  if (line !== undefined) return said(line)
  if (script?.otherwise !== undefined) return said(filledIn(script.otherwise, { groups: [asked], variables: turn.variables }))
  return said(`You wrote: "${quoted(asked)}". I am ${turn.assistant}, and no language model is connected: this reply comes from the local script.`)
}

/** Does what an intent says. */
async function follow(turn: Turn, { call, with: args, say, fail }: Intent, groups: readonly string[]): Promise<Outcome<Reply>> {
  const known = { groups, variables: turn.variables }
  if (fail !== undefined) return { ok: false, reason: filledIn(fail, known) }
  if (call === undefined) return said(filledIn(say ?? '', known))
  const run = await runFunction(turn, call, filledValue(args, known) as Record<string, unknown>)
  return said(say === undefined || isFailure(run) ? told(run) : filledIn(say, { ...known, result: run.result }), [run])
}

/** Uses a function that fits, or asks for what it cannot do without. */
async function use(turn: Turn, it: TurnFunction, text: string): Promise<Outcome<Reply>> {
  const { args, missing } = argumentsFrom(text, it)
  if (missing) return said(questionOf(it, missing))
  const run = await runFunction(turn, it.name, args)
  return said(told(run), [run])
}

const questionOf = ({ name }: TurnFunction, { description }: { readonly description: string }): string => `For ${name} I need to know: ${description}`

/** A question of its own that was asked last, with what the customer had said before; each answer adds to it. */
function openQuestion({ said: lines, functions }: Turn): { readonly of: TurnFunction; readonly asked: string } | undefined {
  let of: TurnFunction | undefined
  const earlier: string[] = []
  for (let at = lines.length - 2; at >= 1; at -= 2) {
    const asked = functions.find(({ name }) => lines[at]?.role === 'assistant' && lines[at]?.content.startsWith(`For ${name} I need to know: `))
    if (!asked || (of && asked !== of)) break
    of = asked
    earlier.unshift(lines[at - 1]?.content ?? '')
  }
  return of && { of, asked: earlier.join('\n') }
}

const isFailure = ({ result }: FunctionRun): boolean => Object.hasOwn(result, 'error')

/** What came of a function, in words. */
function told(run: FunctionRun): string {
  const { name, result } = run
  if (isFailure(run)) return `I could not use ${name}: ${result.error}`
  const shown = Object.entries(result).map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return quotedWhole(shown.length > 0 ? `I used ${name}: ${shown.join(', ')}.` : `I used ${name}.`)
}

const quotedWhole = (text: string): string => (text.length > 600 ? `${text.slice(0, 599)}…` : text)

export interface LocalLanguageOptions {
  readonly gate?: Gate | undefined
  /** The operator's own intents, which win over all it knows itself. Read once for every reply, so that a changed file counts. */
  readonly script?: (() => Promise<Script>) | undefined
}

/**
 * A script in place of a language model: the same words get the same reply everywhere, and functions are picked by their description. It says so where it
 * has nothing better to say.
 */
export const localLanguage = ({ gate, script }: LocalLanguageOptions): LanguageModel => ({
  name: 'local',
  description: `A script that answers ${script ? 'the intents of a file, ' : ''}a few words it knows, uses functions by their description, and repeats the rest. It is no language model.`,

  reply: (turn) =>
    throughGate(gate, 'language.reply', async () => {
      const reply = await answer(turn, await script?.())
      if (reply.ok) for (const piece of reply.text.match(/\s*\S+\s*/g) ?? []) turn.onText?.(piece)
      return reply
    }),
})
