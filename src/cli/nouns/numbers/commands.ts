// Commands of `numbers`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { numbers } from '../../../contract/resources/numbers.ts'
import { command } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getFromListCommand } from '../../program/commandline/get-from-list-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { updateCommand } from '../../program/commandline/update-command.ts'
import { inUseNote } from '../../program/consent/delete-resource.ts'
import type { ConfirmationRequest } from '../../program/consent/require-confirmation.ts'
import { printList } from '../../program/output/print-list.ts'
import { toSentence } from '../../program/output/print-result.ts'
import type { ListedItem } from '../../program/resources/resource.ts'
import { searchFlags, searchInput } from './search-flags.ts'
import { addressNote, argument, availableNumberView, digitsNote, ownedNumberView, target } from './view.ts'
import { numberWait } from './wait.ts'

export const get = getFromListCommand({
  summary: 'Show a phone number of the account',
  endpoint: numbers.list,
  argument,
  examples: ['1', '+14155550199 -o yaml', '1 --wait'],
  notes: `The platform has no endpoint for a single number, so the command searches the list. ${digitsNote}`,
  view: ownedNumberView,
  target,
  waits: numberWait,
})

export const list = listCommand({
  endpoint: numbers.list,
  examples: ['', '-o tsv'],
  view: ownedNumberView,
})

export const release = deleteCommand({
  endpoint: numbers.release,
  argument,
  examples: ['4', '+14155550199 --yes'],
  notes: `A number with a subscription is removed at the end of the billing period; other numbers are removed immediately. A removed number goes back to the provider, and anyone can buy it. A scheduled release cannot be revoked: the API has no request for that. After the removal, parley numbers buy <number> gets the number back only if it was not sold to others. ${digitsNote}\n${inUseNote}`,
  target,
  dependencyKind: 'numbers',
  buildQuestion: question,
  // Some platforms respond that the number was deleted, although it was released.
  describeResult: (message, number) =>
    /scheduled/i.test(message)
      ? `${toSentence(message)} This cannot be revoked. After that, the number goes back to the provider, and others can buy it.`
      : /deleted/i.test(message)
        ? `Released number ${called(number)}.`
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
    ? 'The number goes back to the provider immediately, and others can buy it.'
    : 'Its subscription ends with the billing period, without a refund. Then the number goes back to the provider, and others can buy it. A scheduled release cannot be revoked.'
}

function question(_: string, item: ListedItem): ConfirmationRequest {
  const effect = effectOn(item)
  return {
    question: `Release number ${called(item)}? ${effect}`,
    refusalMessage: `Releasing number ${called(item)} requires confirmation. ${effect}`,
  }
}

export const search = command({
  endpoint: numbers.search,
  filledFields: ['country_code', 'contains'],
  flags: searchFlags,
  isList: true,
  examples: ['--country GB --contains 20', '--contains 415 -o id'],
  notes: addressNote,
  view: availableNumberView,
  run: (context, { flags, input }) =>
    printList(
      context,
      numbers.search,
      { ...input, ...searchInput(flags) },
      {
        nextHint: 'Only some numbers are listed; --contains finds others. Buy one: parley numbers buy <number>',
      },
    ),
})

export const update = updateCommand({
  endpoint: numbers.update,
  argument,
  examples: ['4 --nickname "Front desk"', '+14155550199 --nickname null'],
  notes: digitsNote,
  view: ownedNumberView,
  target,
  changesHint: 'Pass --nickname <name>; "null" clears it.',
  next: () => 'parley numbers list',
})
