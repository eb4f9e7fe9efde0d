import { countries } from '../../../contract/values/countries.ts'
import type { CommandFlag, Invocation } from '../../commandline/command.ts'

/** Flags of a search; `--country` is short for `country_code`. */
export const searchFlags: readonly CommandFlag[] = [
  { flags: '--country <code>', describe: `Country: ${countries.join(', ')} (default: US)`, field: 'country_code' },
  { flags: '--contains <digits>', describe: 'Digits that the number must contain, at most 10', field: 'contains' },
]

/** Returns the input of a search from its flags. */
export const searchInput = (flags: Invocation['flags']): { country_code?: string; contains?: string } => ({
  ...(flags.country !== undefined && { country_code: String(flags.country).toUpperCase() }),
  ...(flags.contains !== undefined && { contains: String(flags.contains) }),
})
