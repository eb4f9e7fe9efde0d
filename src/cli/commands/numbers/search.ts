import { numbers } from '../../../contract/numbers.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { searchFlags, searchInput } from './search-flags.ts'
import { available } from './view.ts'

export const search = command({
  endpoint: numbers.search,
  fills: ['country_code', 'contains'],
  flags: searchFlags,
  examples: ['--country GB --contains 20', '--contains 415 -o id'],
  view: available,
  run: (context, { flags, input }) => printList(context, numbers.search, { ...input, ...searchInput(flags) }, { next: 'Buy one: parley numbers buy <number>' }),
})
