import type { CommandFlag } from '../../commandline/command.ts'

/**
 * Flags of commands that process rows. This file loads none of the bulk code, which is loaded only when it is needed.
 */
export const rowFlags: readonly CommandFlag[] = [
  {
    flags: '--format <format>',
    describe: 'How the rows are written, where neither the name of the file nor its first line tells',
    choices: ['csv', 'ndjson', 'json', 'yaml'],
  },
  {
    flags: '--map <field=column>',
    describe: 'Column that feeds a field or a variable; nothing=column leaves one out; repeatable',
    repeatable: true,
  },
  { flags: '--skip-invalid', describe: 'Send the rows that can be sent, and keep the others in a file' },
  { flags: '--failed <path>', describe: 'New file for rows that fail, and why (of a.csv: a.failed.csv)' },
  {
    flags: '--resend',
    describe: 'Send again to recipients that were sent the same content before, by this file or any other',
  },
  {
    flags: '--within <span>',
    describe: 'Skip recipients that were sent the same content within this span, such as 12h or 30d (default: 7d)',
  },
  { flags: '--again', describe: 'The same as --resend', hidden: true },
]
