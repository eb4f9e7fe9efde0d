import { numbers } from '../../../contract/numbers.ts'
import { command } from '../../command.ts'
import type { Question } from '../../consent.ts'
import { deletion, inUseNote } from '../../deletion.ts'
import type { Item } from '../../target.ts'
import { argument, digitsNote, target } from './view.ts'

export const release = command({
  endpoint: numbers.release,
  argument,
  examples: ['4', '+14155550199 --yes'],
  notes: `A number with a subscription stays until the end of the billing period; others go at once. ${digitsNote}\n${inUseNote}`,
  run: (context, invocation) =>
    deletion(context, invocation, {
      endpoint: numbers.release,
      target,
      relied: 'numbers',
      ask: question,
      // Its own words only where it speaks of something else: what is released is not deleted.
      told: (message, it) => (/deleted/i.test(message) ? `Number ${called(it)} released.` : message),
    }),
})

const called = ({ id, phone_number }: Item): string => (phone_number === undefined ? String(id) : `${phone_number} (${id})`)

/** What happens to it: a subscription ends with its billing period, what has none goes at once; one's own number stays one's own elsewhere. */
function effectOn({ type, has_active_subscription }: Item): string {
  if (type === 'sip') return 'It leaves the account at once, and its SIP trunk with it.'
  if (type === 'caller_id') return 'It leaves the account at once.'
  const gone = 'goes back and may be gone for good'
  return has_active_subscription === false
    ? `It ${gone} at once.`
    : `Its subscription ends with the billing period; then the number ${gone}. Nothing is refunded.`
}

function question(_: string, it: Item): Question {
  const effect = effectOn(it)
  return { ask: `Release number ${called(it)}? ${effect}`, without: `Releasing number ${called(it)} needs consent. ${effect}` }
}
