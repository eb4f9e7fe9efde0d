import { ClientFailure } from '../client/failure.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { Context } from './context.ts'
import type { OutputFailed } from './output/streams.ts'

type Fields = Readonly<Record<string, never>>

interface Deed {
  /** What was done, as a clause. */
  readonly done: string
  readonly hint?: string
  /** Commands that show it, or make up for what is lost. */
  readonly next: readonly string[]
}

const sent = (what: string) => (): Deed => ({ done: `${what} was sent`, next: ['parley ops list'] })
const spent = { hint: 'Do not do it again: it would be paid for twice.' }

/** What a write did whose answer is worth more than its words, by its endpoint. */
const deeds: Readonly<Record<string, (answer: Fields) => Deed>> = {
  'numbers.buy': ({ data }) => ({ done: `${field(data, 'phone_number')} was bought`, next: ['parley numbers list', 'parley ops list'] }),
  'messaging.send': sent('The message'),
  'messaging.sendFreeform': sent('The message'),
  'conversations.send': sent('The message'),
  'sms.send': sent('The SMS'),
  'calls.start': () => ({ done: 'The call was begun', next: ['parley ops list'] }),
  'replies.generate': () => ({ done: 'The reply was made', next: ['parley ops list'] }),
  'keys.create': ({ api_key }) => {
    const name = JSON.stringify(field(api_key, 'name'))
    return {
      done: `The key ${name} was made, and its token is lost`,
      hint: 'A token is shown once: delete this key, and make another where its token can be seen.',
      next: ['parley keys list', `parley keys delete ${name}`, `parley keys create --name ${name}`],
    }
  },
  'accounts.create': ({ data }) => ({
    done: `The account ${field(data, 'id')} was made, and its key is lost`,
    hint: 'A key is shown once: give the account another.',
    next: ['parley server accounts list', `parley server accounts key ${field(data, 'id')}`],
  }),
  'accounts.key': () => ({ done: 'The key was made, and is lost', hint: 'A key is shown once: make another.', next: ['parley server accounts list'] }),
}

/** What is to be told of output that could not be written: where a write was carried out in this run, that it was, and where to see it. */
export function outputLost({ answers, words }: Context, error: OutputFailed): Error {
  const [last] = [...answers].filter(([{ risk }]) => risk !== 'read').reverse()
  if (!last) return error
  const [endpoint, answer] = last
  const { done, hint, next } = deedOf(endpoint, answer, words)
  return new ClientFailure({
    exit: error.exit,
    code: 'output_failed',
    message: `${done}; it could not be shown: ${error.reason}.`,
    ...(hint !== undefined && { hint }),
    next,
    sent: true,
    cause: error,
  })
}

function deedOf({ name, risk }: Endpoint, answer: unknown, words: string): Deed {
  const own = deeds[name]?.(answer as Fields)
  if (own) return risk === 'spends' ? { ...spent, ...own } : own
  return { done: `"parley ${words}" was carried out`, hint: 'It need not be done again.', next: [] }
}

const field = (it: unknown, name: string): unknown => (it as Readonly<Record<string, unknown>>)[name]
