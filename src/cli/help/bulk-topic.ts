import { type ExitName, exitCodes } from '../../contract/errors/exit-codes.ts'
import { rowFlags } from '../bulk/rows/row-flags.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

/** Meanings of the exit codes for bulk operations. */
const exitMeanings: Partial<Readonly<Record<ExitName, string>>> = {
  done: 'Every row is done, by this run or an earlier one, or already existed',
  usage: 'Nothing was sent: the file cannot be read, a column is missing, or rows are invalid',
  conflict: 'Another process is working on the same rows, or every row was rejected as a conflict',
  rejected: 'Every row was rejected',
  consent: 'Sending messages costs money and --yes is missing',
  partial: 'Some rows are done. Others failed, were skipped, are unknown or remain',
  unknown: 'No row is known to be done, and the outcome of some is unknown',
  finding: 'With --dry-run: rows are invalid',
  interrupted: 'Ctrl-C. Requests in progress were completed. Run the same command again to resume',
}

const resultFields: Readonly<Record<string, string>> = {
  rows: 'Rows in the file',
  done: 'Done by this run; done_before: by earlier runs',
  already: 'Leads whose number is already in the campaign. They are unchanged and do not count as failed',
  failed: 'Rejected by the platform',
  invalid: 'Skipped with --skip-invalid',
  unknown: 'Sent, but the response was lost. Not sent again until the outcome is known',
  left: 'Remaining rows',
  cost_usd: 'Of messages and SMS: what the rows of this run cost, with --dry-run would cost; null if unknown',
  failed_file: 'File with failed and invalid rows, each with parley_error',
}

/** Renders the help topic about bulk operations. */
export const bulkTopic = (width: number): string => {
  const prose = (text: string): string => wrap(text, width, '')
  return `${[
    'Bulk operations from a file',
    prose(
      '"parley leads import" creates a lead for each row. "parley messaging send --file" sends a template message for each row, and "parley sms send --file" an SMS.',
    ),
    prose(
      'Files are CSV (commas, semicolons or tabs; quotes; UTF-8), NDJSON, or a JSON or YAML list of up to 2 MB. Use - for standard input. The first line of a CSV file names the columns.',
    ),
    prose(
      'A column fills the field with the same name, ignoring case, spaces, dashes and underscores. Columns named phone, number, mobile, cell or tel fill the phone number. For leads, every other column becomes a variable with the name of the column, such as first_name. For messages, columns fill placeholders by name or number, and other columns are not sent. Use --map to change the mapping. On a terminal, the columns and the first rows are shown before anything is sent.',
    ),
    prose(
      'Every row is validated first: E.164 numbers, duplicate numbers, fields and variables, and the recipient limit of the sender. If a row is invalid, nothing is sent; use --skip-invalid to skip invalid rows.',
    ),
    alignedRows(
      rowFlags.filter(({ hidden }) => !hidden).map(({ flags, describe }) => [flags, describe]),
      width,
    ),
    prose(
      'Progress is saved in the folder "bulk" of the data folder, by file content, target and account. After Ctrl-C, kill -9 or a failure, run the same command again: it resumes and skips completed rows. --limit <n> processes only the next n rows. Recipients are recorded by number and content. A recipient that was sent the same content in the last 7 days (--within), by any file or single message, is skipped and listed; use --resend to send it again.',
    ),
    prose(
      'A message is never sent twice. If the response was lost, the command first asks the platform for the outcome, by idempotency key. If the platform does not know it, the row stays unknown and "parley ops list" shows it. A lead is sent again, because a campaign holds each number once; with --allow-duplicate it is treated like a message.',
    ),
    prose(
      'At most 5 messages per second are sent. Other requests slow down when the platform asks for it. A terminal shows a progress bar with rate and time left; otherwise a line is printed every 10 s. -o ndjson prints item, progress, error and result events, -o id prints ids.',
    ),
    'Result fields:',
    alignedRows(Object.entries(resultFields), width),
    'Exit codes:',
    alignedRows(
      Object.entries(exitMeanings).map(([name, meaning]) => [String(exitCodes[name as ExitName].code), meaning]),
      width,
    ),
  ].join('\n\n')}\n`
}
