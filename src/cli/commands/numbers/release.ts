import { numbers } from '../../../contract/resources/numbers.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { inUseNote } from '../../consent/delete-resource.ts'
import type { ConfirmationRequest } from '../../consent/require-confirmation.ts'
import type { ListedItem } from '../../input/resolve-target.ts'
import { toSentence } from '../../output/print-result.ts'
import { argument, digitsNote, target } from './view.ts'

export const release = deleteCommand({
  endpoint: numbers.release,
  argument,
  examples: ['4', '+14155550199 --yes'],
  notes: `A number with a subscription is removed at the end of the billing period; other numbers are removed immediately. A scheduled release cannot be revoked: the API has no request for that. To keep the number, buy it again once it is removed, while it is available (parley numbers buy <number>). ${digitsNote}\n${inUseNote}`,
  target,
  dependencyKind: 'numbers',
  buildQuestion: question,
  // Some platforms respond that the number was deleted, although it was released.
  describeResult: (message, it) =>
    /scheduled/i.test(message)
      ? `${toSentence(message)} This cannot be revoked. After that, the number can be bought again while it is available.`
      : /deleted/i.test(message)
        ? `Released number ${called(it)}.`
        : message,
})

const called = ({ id, phone_number }: ListedItem): string =>
  phone_number === undefined ? String(id) : `${phone_number} (${id})`

/**
 * Describes the effect of releasing the number: a subscription ends with its billing period; other numbers are removed
 * immediately.
 */
function effectOn({ type, has_active_subscription }: ListedItem): string {
  if (type === 'sip') return 'The number and its SIP trunk are removed immediately.'
  if (type === 'caller_id') return 'It is removed from the account immediately.'
  return has_active_subscription === false
    ? 'The number is returned immediately and may not be available again.'
    : 'Its subscription ends with the billing period, without a refund. Then the number is returned and may not be available again. A scheduled release cannot be revoked.'
}

function question(_: string, it: ListedItem): ConfirmationRequest {
  const effect = effectOn(it)
  return {
    question: `Release number ${called(it)}? ${effect}`,
    refusalMessage: `Releasing number ${called(it)} requires confirmation. ${effect}`,
  }
}
