import { countries } from '../../../contract/values/countries.ts'
import type { CommandFlag, Invocation } from '../../program/commandline/command.ts'
import { countryCode } from '../../program/input/phone-number.ts'

/** Flags of a search; `--country` is short for `country_code`. */
export const searchFlags: readonly CommandFlag[] = [
  { flags: '--country <code>', describe: `Country: ${countries.join(', ')} (default: US)`, field: 'country_code' },
  {
    flags: '--contains <digits>',
    describe: 'Digits that the number must contain, at most 10; spaces and dashes are ignored',
    field: 'contains',
  },
]

/**
 * Returns the input of a search from its flags. Journal entries of purchases have it as their criteria (buy.ts): the same
 * flags always give the same texts.
 */
export const searchInput = (flags: Invocation['flags']): { country_code?: string; contains?: string } => ({
  ...(flags.country !== undefined && { country_code: countryCode(String(flags.country), countries) }),
  ...(flags.contains !== undefined && { contains: String(flags.contains).replaceAll(/[\s()+./-]/g, '') }),
})
