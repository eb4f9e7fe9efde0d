import type { CommandFlag, Invocation } from '../../../program/commandline/command.ts'
import { usageError } from '../../../program/errors/usage-error.ts'

/** Formats of files with rows. Scripts have these words: they are added, not renamed. */
export const rowFormats = ['csv', 'ndjson', 'json', 'yaml'] as const

/**
 * Flags of commands that process rows. This file loads none of the bulk code, which is loaded only when it is needed.
 */
export const rowFlags: readonly CommandFlag[] = [
  {
    flags: '--format <format>',
    describe: 'Format of the rows (default: detected from the file)',
    choices: rowFormats,
  },
  {
    flags: '--map <field=column>',
    describe: 'Column for a field or a variable; nothing=column ignores a column; repeatable',
    repeatable: true,
  },
  {
    flags: '--country <code>',
    describe: 'With --file: country of numbers without a country code, such as GB for 020 7946 0172 (ISO 3166-1)',
  },
  { flags: '--skip-invalid', describe: 'Send the valid rows and save the others to a file' },
  {
    flags: '--failed <path>',
    describe: 'New file for failed rows with their errors (default for a.csv: a.failed.csv)',
  },
  {
    flags: '--resend',
    describe: 'With --file: send again to recipients that were already sent the same content',
  },
  {
    flags: '--within <span>',
    describe:
      'With --file: skip recipients that were sent the same content within this time, such as 12h or 30d, by the clock of this computer (default: 7d)',
  },
  { flags: '--again', describe: 'Same as --resend', hidden: true },
]

/** Names of the flags above and of those for duplicates, as commands receive them. */
const rowFlagNames = [
  'format',
  'map',
  'country',
  'skipInvalid',
  'failed',
  'again',
  'resend',
  'within',
  'allowDuplicate',
  'allowDuplicates',
]

/** Refuses flags for rows in a command without them. @throws ClientFailure `usage` */
export function requireNoRowFlags(flags: Invocation['flags']): void {
  const given = rowFlagNames.find((it) => flags[it] !== undefined)
  if (given !== undefined)
    throw usageError(
      `--${given.replaceAll(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)} requires --file with rows.`,
      /^(?:again|resend|within)$/.test(given)
        ? `Remove it: a single message is sent again. One that repeats the last minute is asked about on a terminal (--yes).`
        : undefined,
    )
}
