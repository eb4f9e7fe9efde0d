import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import type { OutputFailed } from '../terminal/streams.ts'

type Fields = Readonly<Record<string, never>>

interface CompletedWrite {
  /** What was done, as a clause. */
  readonly description: string
  readonly hint?: string
  /** Commands that show the result or replace what was lost. */
  readonly next: readonly string[]
}

const sentWrite = (what: string) => (): CompletedWrite => ({
  description: `${what} was sent`,
  next: ['parley ops list'],
})
const paidHint = { hint: 'Do not repeat the command. You would pay twice.' }

/** Descriptions of completed writes whose output matters, by endpoint. */
const completedWrites: Readonly<Record<string, (answer: Fields) => CompletedWrite>> = {
  'numbers.buy': ({ data }) => ({
    description: `${field(data, 'phone_number')} was bought`,
    next: ['parley numbers list', 'parley ops list'],
  }),
  'messaging.send': sentWrite('The message'),
  'messaging.sendFreeform': sentWrite('The message'),
  'conversations.send': sentWrite('The message'),
  'sms.send': sentWrite('The SMS'),
  'calls.start': () => ({ description: 'The call was started', next: ['parley ops list'] }),
  'replies.generate': () => ({ description: 'The reply was generated', next: ['parley ops list'] }),
  'keys.create': ({ api_key }) => {
    const name = stringifyJson(field(api_key, 'name'))
    return {
      description: `The key ${name} was created, but its token is lost`,
      hint: 'A token is shown only once. Delete this key and create another one.',
      next: ['parley keys list', `parley keys delete ${name}`, `parley keys create --name ${name}`],
    }
  },
  'accounts.create': ({ data }) => ({
    description: `The account ${field(data, 'id')} was created, but its key is lost`,
    hint: 'A key is shown only once. Create another key for the account.',
    next: ['parley server accounts list', `parley server accounts key ${field(data, 'id')}`],
  }),
  'accounts.key': () => ({
    description: 'The key was created, but it is lost',
    hint: 'A key is shown only once. Create another key.',
    next: ['parley server accounts list'],
  }),
}

/** Explains a failed output. If this run completed a write, the error says so and names commands that show it. */
export function explainOutputFailure({ responses, commandName }: Context, error: OutputFailed): Error {
  const [last] = [...responses].filter(([{ risk }]) => risk !== 'read').reverse()
  if (!last) return error
  const [endpoint, answer] = last
  const { description, hint, next } = describeWrite(endpoint, answer, commandName)
  return new ClientFailure({
    exit: error.exit,
    code: 'output_failed',
    message: `${description}. The output could not be written: ${error.reason}.`,
    ...(hint !== undefined && { hint }),
    next,
    sent: true,
    cause: error,
  })
}

function describeWrite({ name, risk }: Endpoint, answer: unknown, words: string): CompletedWrite {
  const known = completedWrites[name]?.(answer as Fields)
  if (known) return risk === 'spends' ? { ...paidHint, ...known } : known
  return { description: `"parley ${words}" succeeded`, hint: 'Do not run the command again.', next: [] }
}

const field = (it: unknown, name: string): unknown => (it as Readonly<Record<string, unknown>>)[name]
