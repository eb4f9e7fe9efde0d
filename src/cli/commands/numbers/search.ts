import { numbers } from '../../../contract/resources/numbers.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../output/print-list.ts'
import { searchFlags, searchInput } from './search-flags.ts'
import { availableNumberView } from './view.ts'

export const search = command({
  endpoint: numbers.search,
  filledFields: ['country_code', 'contains'],
  flags: searchFlags,
  isList: true,
  examples: ['--country GB --contains 20', '--contains 415 -o id'],
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
