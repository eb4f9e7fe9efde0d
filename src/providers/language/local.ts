import type { LanguageModel, Outcome, Reply, Turn } from '../../services/ports.ts'
import { type Gate, throughGate } from '../gate.ts'
import type { magicMessages } from '../magic.ts'

type Magic = keyof typeof magicMessages

const hours = { name: 'look_up_opening_hours', arguments: { day: 'today' }, result: { opens: '08:00', closes: '17:00' } } as const

/** What it says to words it knows, each tried in turn. */
const script: readonly (readonly [RegExp, string])[] = [
  [/\b(thanks|thank you|thx)\b/i, 'You are welcome. Is there anything else?'],
  [/\b(bye|goodbye|see you)\b/i, 'Goodbye, and thank you for writing.'],
  [/\b(appointment|book|visit|reschedule|cancel)\b/i, 'I can help with appointments. Which day would suit you?'],
  [/\b(open|opening|hours|closed?)\b/i, 'We are open Monday to Friday, 8:00 to 17:00.'],
  [/\b(hello|hi|hey|good (morning|afternoon|evening))\b/i, 'Hello! How can I help you?'],
]

/** Long messages are quoted by their beginning. */
const quoted = (text: string): string => ([...text].length > 80 ? `${[...text].slice(0, 79).join('')}…` : text)

function answer({ assistant, said }: Turn): Outcome<Reply> {
  const asked = (said.at(-1)?.content ?? '').trim()
  const magic: Partial<Record<string, Outcome<Reply>>> = {
    '#fail': { ok: false, reason: 'The language model is not available.' },
    '#function': { ok: true, text: `I looked it up: today we are open from ${hours.result.opens} to ${hours.result.closes}.`, calls: [hours] },
  } satisfies Record<Magic, Outcome<Reply>>
  const known = magic[asked.toLowerCase()]
  if (known) return known
  const scripted = script.find(([words]) => words.test(asked))?.[1]
  const text = scripted ?? `You wrote: "${quoted(asked)}". I am ${assistant}, and no language model is connected: this reply comes from the local script.`
  return { ok: true, text, calls: [] }
}

/** A script in place of a language model: the same words get the same reply everywhere. It says so where it has nothing better to say. */
export const localLanguage = ({ gate }: { gate?: Gate | undefined }): LanguageModel => ({
  name: 'local',
  description: 'A script that answers a few words it knows and repeats the rest. It is no language model.',

  reply: (turn) =>
    throughGate(gate, 'language.reply', async () => {
      const reply = answer(turn)
      if (reply.ok) turn.onText?.(reply.text)
      return reply
    }),
})
