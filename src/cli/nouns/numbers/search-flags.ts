import { countries } from '../../../contract/values/countries.ts'
import type { CommandFlag, Invocation } from '../../program/commandline/command.ts'
import { usageError } from '../../program/errors/usage-error.ts'

/** Flags of a search; `--country` is short for `country_code`. */
export const searchFlags: readonly CommandFlag[] = [
  { flags: '--country <code>', describe: `Country: ${countries.join(', ')} (default: US)`, field: 'country_code' },
  {
    flags: '--contains <digits>',
    describe: 'Digits that the number must contain, at most 10; spaces and dashes are ignored',
    field: 'contains',
  },
]

/** What people write in place of a code, where it is not the name of the country. */
const otherNames: Readonly<Record<string, string>> = {
  america: 'US',
  britain: 'GB',
  england: 'GB',
  holland: 'NL',
  'great britain': 'GB',
  uk: 'GB',
  usa: 'US',
}

/** Returns a country code in capital letters. @throws ClientFailure `usage` for the name of a country, with its code */
function countryCode(given: string): string {
  const code = given.trim().toUpperCase()
  const nameOf = (it: string): string => new Intl.DisplayNames('en', { type: 'region' }).of(it) ?? it
  const meant = otherNames[given.trim().toLowerCase()] ?? countries.find((it) => nameOf(it).toUpperCase() === code)
  if (meant === undefined) return code
  throw usageError(
    `Unknown country "${given}". Did you mean ${meant} (${nameOf(meant)})?`,
    `Use a code of ISO 3166-1: ${countries.join(', ')}.`,
  )
}

/** Returns the input of a search from its flags. */
export const searchInput = (flags: Invocation['flags']): { country_code?: string; contains?: string } => ({
  ...(flags.country !== undefined && { country_code: countryCode(String(flags.country)) }),
  ...(flags.contains !== undefined && { contains: String(flags.contains).replaceAll(/[\s()+./-]/g, '') }),
})
