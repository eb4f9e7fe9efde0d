import type { OwnFlag } from '../command.ts'

/** Flags of commands that take rows. Bulk work itself is loaded when there are some. */
export const rowFlags: readonly OwnFlag[] = [
  {
    flags: '--format <format>',
    describe: 'How the rows are written, where neither the name of the file nor its first line tells',
    choices: ['csv', 'ndjson', 'json', 'yaml'],
  },
  { flags: '--map <field=column>', describe: 'Column that feeds a field or a variable; nothing=column leaves one out; repeatable', repeatable: true },
  { flags: '--skip-invalid', describe: 'Send the rows that can be sent, and keep the others in a file' },
  { flags: '--failed <path>', describe: 'New file for rows that fail, and why (of a.csv: a.failed.csv)' },
  { flags: '--again', describe: 'Forget what earlier runs of the same rows have done' },
]
