import { join, resolve } from 'node:path'
import { command } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import type { View } from '../../output/form.ts'
import { inputIfMissing } from '../../prompts/prompt-if-missing.ts'
import { requireSqliteFolder } from './require-sqlite-folder.ts'

const view: View<{ readonly file: string }> = { id: (it) => it.file, columns: [], empty: '' }

/** Checks a file name that was typed. */
export const isFileName = (text: string): true | string => text.trim() !== '' || 'Enter a file name.'

export const backup = command({
  callsPlatform: true,
  exits: ['conflict'],
  summary: 'Back up the data folder to a file, with its secrets',
  risk: 'write',
  argument: { name: 'file', describe: 'File to write', optional: true },
  flags: [{ flags: '--replace', describe: 'Replace an existing file' }],
  examples: ['parley.backup', 'parley.backup --replace', 'parley.backup --json'],
  notes:
    'A running server continues to work. The file has the database, the API key and the encryption key: store it as safely as a password. The file is checked (pages, references and counters) before it replaces an earlier one, and ends with a checksum that a restore compares. Not included: configuration, operations journal, history and snapshots. For data in PostgreSQL, use pg_dump (docs/operations.md).',
  async run(context, { argument: given, flags }) {
    const { system, out, notes } = context
    const folder = dataDir(system)
    await requireSqliteFolder(
      context,
      folder,
      `Back it up with pg_dump, and save ${join(folder, 'secret.key')} with the dump.`,
    )
    const argument = await inputIfMissing(context, given, isFileName, {
      question: 'Which file should the backup be written to?',
      missingMessage: 'Missing file.',
      hint: 'Pass the file to write, for example: parley server backup parley.backup.',
    })
    const transfer = await system.dataTransfer()
    const made = await context.progress.showWhile(
      'Saving',
      transfer.backUpFolder({
        dataDir: folder,
        file: resolve(system.cwd, argument),
        isReplacing: flags.replace === true,
      }),
    )
    if (out.settings.form !== 'table' || out.settings.fields) return out.record(made, { view } as never)
    await out.line(
      `Saved ${made.rows} rows of ${made.tables} tables in ${made.file} (${made.bytes} bytes). It was checked.`,
    )
    await notes.note(`Next: parley server restore ${argument}`)
  },
})
