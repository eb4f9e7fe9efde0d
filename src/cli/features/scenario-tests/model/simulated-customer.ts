import type { SimulatedCustomer } from '../assistants/scenario-schema.ts'
import { textContains } from '../match-value.ts'

/** What was said so far, oldest first. */
export type Line = readonly [role: 'customer' | 'assistant', text: string]

/** Asks a language model for a text. */
export type AskModel = (messages: readonly { readonly role: string; readonly content: string }[]) => Promise<string>

/** Returns the next message of a customer, or undefined if the customer has nothing more to say. */
type NextMessage = (lines: readonly Line[]) => Promise<string | undefined>

/**
 * Word with which a model says that the customer has reached the goal. Recordings of users have it in the request:
 * another word makes them stale.
 */
const doneMark = '[done]'

/** Creates a simulated customer. */
export function simulateCustomer(customer: SimulatedCustomer, ask: AskModel | undefined): NextMessage {
  const next = customer.by === 'model' && ask ? modelCustomer(customer, ask) : ruleCustomer(customer)
  return async (lines) =>
    lines.filter(([role]) => role === 'customer').length >= customer.max_turns ? undefined : next(lines)
}

const hasWords = (text: string, wanted: string): boolean =>
  wanted.startsWith('/')
    ? textContains(text, wanted)
    : new RegExp(
        `(?<![\\p{L}\\p{N}])${wanted.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(/[\s_]+/g, '[\\s_-]+')}(?![\\p{L}\\p{N}])`,
        'iu',
      ).test(text)

/**
 * A customer that follows rules: the first answer whose words the assistant used, otherwise the facts that it asks for,
 * each once. Without either, the customer has nothing more to say.
 */
function ruleCustomer({ goal, opening, answers, facts }: SimulatedCustomer): NextMessage {
  const said = new Set<string>()
  return async (lines) => {
    const last = lines.at(-1)
    if (!last || last[0] === 'customer' || !lines.some(([role]) => role === 'customer')) return opening ?? goal
    const answer = answers.find(({ when, say }) => !said.has(`${when} ${say}`) && hasWords(last[1], when))
    if (answer) {
      said.add(`${answer.when} ${answer.say}`)
      return answer.say
    }
    const asked = Object.entries(facts).filter(([name]) => !said.has(name) && hasWords(last[1], name))
    for (const [name] of asked) said.add(name)
    return asked.length === 0
      ? undefined
      : asked.map(([name, value]) => `My ${name.replaceAll('_', ' ')} is ${value}.`).join(' ')
  }
}

/** A customer whose messages a language model writes. */
function modelCustomer({ goal, opening, facts }: SimulatedCustomer, ask: AskModel): NextMessage {
  const known = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`)
  const system = [
    'You play a customer who writes to an assistant. Write only your next message, short and natural.',
    `Your goal: ${goal}`,
    ...(known.length > 0 ? ['What you know:', ...known] : []),
    `When the goal is reached or cannot be reached, write only ${doneMark}.`,
  ].join('\n')
  return async (lines) => {
    if (opening !== undefined && !lines.some(([role]) => role === 'customer')) return opening
    // The model speaks as the customer, so the assistant is its user.
    const messages = lines.map(([role, content]) => ({ role: role === 'customer' ? 'assistant' : 'user', content }))
    const first = messages[0]?.role === 'user' ? [] : [{ role: 'user', content: '(The conversation begins.)' }]
    const text = (await ask([{ role: 'system', content: system }, ...first, ...messages])).trim()
    return text === '' || text.includes(doneMark) ? undefined : text
  }
}
