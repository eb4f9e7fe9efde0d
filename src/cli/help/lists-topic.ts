import { listFlags } from '../lists/list-flag-table.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

const operatorMeanings: Readonly<Record<string, string>> = {
  '=': 'Equal. Of a field with several values, one must be equal',
  '!=': 'Not equal. Of a field with several values, none may be equal',
  '>, >=, <, <=': 'Numbers and times in their order, other values as text',
  '~': 'Contains the text, ignoring case',
}

/** Renders the help topic about flags of lists. */
export const listsTopic = (width: number): string => {
  const prose = (text: string): string => wrap(text, width, '')
  return `${[
    'Filter and sort lists',
    prose('Commands that print a list take these flags:'),
    alignedRows(
      listFlags.map(({ flags, describe }) => [flags, describe]),
      width,
    ),
    prose('Operators of --filter:'),
    alignedRows(Object.entries(operatorMeanings), width),
    prose(
      'A condition has a field of the record, an operator and a value. --fields help lists the fields; nested fields have dots, and the heading of a column names its field, in any case. All conditions must match. field=null matches a missing value. Put a value with a comma in double quotes: --filter \'name="Smith, Ada"\'. Quote > and < for the shell.',
    ),
    prose(
      'A time is a date and time such as 2026-01-31T09:00, a day in UTC such as 2026-01-31, today or yesterday, or a duration before now: 90s, 30m, 2h, 7d, 1w. Times work in --since, --until and --filter. --since and --until compare the creation time of a record, or its first time.',
    ),
    prose(
      'These flags read all pages. The platform filters where its endpoint has a parameter for the field; otherwise the command filters, and a note on stderr says so. --limit counts the matching records. --sort puts records without a value last.',
    ),
    prose(
      '--watch ends with exit code 130 on Ctrl-C. Without a terminal it prints all records first. Long tables on a terminal are shown in the pager of PARLEY_PAGER, or of PAGER, except in CI.',
    ),
    "Examples:\n  parley calls list --filter 'status~ended,duration>60' --sort -created_at\n  parley leads list --since yesterday -o csv",
  ].join('\n\n')}\n`
}
