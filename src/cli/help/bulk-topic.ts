import { type ExitName, exitCodes } from '../../contract/errors/exit-codes.ts'
import { rowFlags } from '../bulk/rows/row-flags.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

/** What each exit code means of many rows. */
const exitMeanings: Partial<Readonly<Record<ExitName, string>>> = {
  done: 'Every row is done, by this run or an earlier one, or was there already',
  usage: 'Nothing was sent: the file cannot be read, a column is missing, or rows cannot be sent as they are',
  conflict: 'Another process works on the same rows; or every row was refused as a conflict',
  rejected: 'No row was accepted',
  consent: 'Messages spend: --yes was not given',
  partial: 'Some rows are done, and others failed, were left out, are unknown, or are left',
  unknown: 'Of no row it is known that it went through, and of some nobody can say whether they did',
  finding: 'With --dry-run: rows cannot be sent as they are',
  interrupted: 'Ctrl-C: what was under way has ended, and the same command goes on',
}

const resultFields: Readonly<Record<string, string>> = {
  rows: 'Rows of the file',
  done: 'Done by this run; done_before: by earlier ones',
  already: 'Leads whose number the campaign has: they stay as they are, and are no failure',
  failed: 'Refused by the platform',
  invalid: 'Left out with --skip-invalid',
  unknown: 'Sent, and the answer was lost; never sent again before it is known',
  left: 'Still to do',
  failed_file: 'Where failed and invalid rows are, each with parley_error',
}

/** The help topic about commands that take rows. */
export const bulkTopic = (width: number): string => {
  const prose = (text: string): string => wrap(text, width, '')
  return `${[
    'Rows of a file',
    prose(
      '"parley leads import" makes a lead of every row, "parley messaging send --file" sends a message of one template for every row.',
    ),
    prose(
      'Rows are CSV (commas, semicolons or tabs; quotes; UTF-8), NDJSON, or a JSON or YAML list of up to 2 MB; - is standard input. The first line of CSV names the columns.',
    ),
    prose(
      'A column feeds the field whose name it has; then the one whose name it has but for capitals, blanks, dashes and underscores; then the number, where it is called phone, number, mobile, cell or tel. Of leads, every other column is a variable of its own name, several words joined as in first_name. Of messages, columns feed placeholders by name or number, and others are not sent. --map says otherwise. On a terminal the columns and the first rows are shown before anything is sent.',
    ),
    prose(
      'Every row is checked first: numbers in E.164, the same number twice, fields and variables, and how many recipients the sender may write to. Where a row cannot be sent nothing is, unless --skip-invalid leaves it out.',
    ),
    alignedRows(
      rowFlags.map(({ flags, describe }) => [flags, describe]),
      width,
    ),
    prose(
      'What became of each row is kept in the folder "bulk" of the data folder, by the content of the file, the target and the account: the same command again, after Ctrl-C, kill -9 or a failure, asks for nothing that is done. --limit <n> does the next n rows only. Recipients are remembered as well, by number and content: one that was sent the same by any file or single message in the last 7 days (--within) is skipped and named, and --resend sends it again.',
    ),
    prose(
      'A message is never sent twice. One whose answer was lost is asked about first, under its key; where the platform does not tell, it stays unknown, and "parley ops list" shows it. A lead is asked for again, since its campaign has a number once; with --allow-duplicate it is treated as a message is.',
    ),
    prose(
      'Messages keep to 5 a second; other requests slow down when they are told to. On a terminal a bar shows rate and time left, elsewhere a line every ten seconds; -o ndjson tells item, progress, error and result events, -o id the ids.',
    ),
    'The result:',
    alignedRows(Object.entries(resultFields), width),
    'Exit codes:',
    alignedRows(
      Object.entries(exitMeanings).map(([name, meaning]) => [String(exitCodes[name as ExitName].code), meaning]),
      width,
    ),
  ].join('\n\n')}\n`
}
