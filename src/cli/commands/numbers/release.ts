import { numbers } from '../../../contract/resources/numbers.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource, inUseNote } from '../../consent/delete-resource.ts'
import type { ConfirmationRequest } from '../../consent/require-confirmation.ts'
import type { ListedItem } from '../../input/resolve-target.ts'
import { argument, digitsNote, target } from './view.ts'

export const release = command({
  endpoint: numbers.release,
  argument,
  examples: ['4', '+14155550199 --yes'],
  notes: `A number with a subscription stays until the end of the billing period; others go at once. ${digitsNote}\n${inUseNote}`,
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: numbers.release,
      target,
      dependencyKind: 'numbers',
      buildQuestion: question,
      // Its own words only where it speaks of something else: what is released is not deleted.
      describeResult: (message, it) => (/deleted/i.test(message) ? `Number ${called(it)} released.` : message),
    }),
})

const called = ({ id, phone_number }: ListedItem): string =>
  phone_number === undefined ? String(id) : `${phone_number} (${id})`

/** What happens to it: a subscription ends with its billing period, what has none goes at once; one's own number stays one's own elsewhere. */
function effectOn({ type, has_active_subscription }: ListedItem): string {
  if (type === 'sip') return 'It leaves the account at once, and its SIP trunk with it.'
  if (type === 'caller_id') return 'It leaves the account at once.'
  const gone = 'goes back and may be gone for good'
  return has_active_subscription === false
    ? `It ${gone} at once.`
    : `Its subscription ends with the billing period; then the number ${gone}. Nothing is refunded.`
}

function question(_: string, it: ListedItem): ConfirmationRequest {
  const effect = effectOn(it)
  return {
    question: `Release number ${called(it)}? ${effect}`,
    refusalMessage: `Releasing number ${called(it)} needs consent. ${effect}`,
  }
}
