// Copies the SQLite file of the data folder to a backup, and back. Data in PostgreSQL is refused: pg_dump copies it.

import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type * as z from 'zod'
import type { Client } from '../../../client/client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { platform } from '../../../contract/control/platform.ts'
import { snapshots } from '../../../contract/control/snapshots.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { dataFiles, sqliteEnds } from '../../../node/data-files.ts'
import { compareChecksum } from '../../../node/file-checksum.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { markDamage } from '../../../node/folder-marker.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { renameFile, restrictToOwner } from '../../../node/operating-system.ts'
import { command } from '../../program/commandline/command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { deleteLocalProgress } from '../../program/configuration/purge-bulk-progress.ts'
import { findDatabaseLocation } from '../../program/connection/database-settings.ts'
import { requireControlAccess } from '../../program/connection/require-control-access.ts'
import { confirmByName } from '../../program/consent/confirm-by-name.ts'
import { confirmPlan } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView, type View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { inputIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import { describeChanges } from '../../program/updates/field-changes.ts'
import { describeDataChanges, type LostData, lostDataText, readLostData } from './lost-data.ts'
import { view } from './seed-platform.ts'

/**
 * Checks that the data of a folder is in its SQLite file, not in PostgreSQL. `hint` says how to do the same there.
 * @throws ClientFailure `usage`
 */
async function requireSqliteFolder({ system }: Context, folder: string, hint: string): Promise<void> {
  const location = findDatabaseLocation(folder, system.env.PARLEY_DATABASE)
  if (location === undefined) return
  throw usageError(
    `The data folder ${folder} uses the PostgreSQL database ${location}. "parley server backup" and "parley server restore" are for data in SQLite.`,
    hint,
  )
}

const backupView: View<{ readonly file: string }> = idView((it) => it.file)

/** Checks a file name that was typed. */
const isFileName = (text: string): true | string => text.trim() !== '' || 'Enter a file name.'

export const backup = command({
  callsPlatform: true,
  exits: ['conflict'],
  summary: 'Back up the data folder to a file, with its secrets',
  risk: 'write',
  argument: { name: 'file', describe: 'File to write', optional: true },
  flags: [{ flags: '--replace', describe: 'Replace an existing file' }],
  examples: ['parley.backup', 'parley.backup --replace', 'parley.backup --json'],
  notes:
    'A running server continues to work. The file has the database, the API key and the encryption key: store it as safely as a password. The file is checked (pages, references and counters) before it replaces an earlier one, and ends with a checksum that a restore compares. Not included: configuration, operations journal, history and snapshots. For data in PostgreSQL, use pg_dump.',
  async run(context, { argument: given, flags }) {
    const { system, out, notes } = context
    const folder = dataDir(system)
    await requireSqliteFolder(
      context,
      folder,
      `Back it up with pg_dump, and save ${join(folder, dataFiles.key)} with the dump.`,
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
    const print = async (): Promise<void> => {
      await out.line(
        `Saved ${made.rows} rows of ${made.tables} tables in ${made.file} (${made.bytes} bytes). It was checked.`,
      )
      await notes.note(`Next: parley server restore ${argument}`)
    }
    await out.result(made, print, { view: backupView })
  },
})

interface RestorePlan {
  readonly backup: { readonly size: number; readonly modified: string }
  readonly lost: LostData | undefined
}

export const restore = command({
  callsPlatform: true,
  startsEmpty: true,
  acceptsMissingData: true,
  exits: ['conflict', 'finding'],
  summary: 'Restore the data folder from a backup',
  risk: 'destructive',
  requiresName: 'the data folder has data',
  argument: { name: 'file', describe: 'File that "server backup" saved', optional: true },
  flags: [{ flags: '--confirm <name>', describe: 'Name of the data folder, to replace its data' }],
  examples: ['parley.backup', 'parley.backup --confirm parley', 'parley.backup --confirm parley --json'],
  notes:
    'Restores rows, time, API key and encryption key, and prints the key. Data in the folder is replaced: all later changes are lost. A running server completes its current requests, then continues with the restored data. The restored database is checked; the exit code is 20 if it is damaged.',
  view,
  async run(context, { argument: given, flags }): Promise<ExitName | undefined> {
    const folder = await requireControlAccess(context)
    const { baseUrl } = await context.settings()
    if (baseUrl.value !== localProfile.base_url)
      throw usageError(
        `${baseUrl.value} is a remote deployment. A backup is restored in its data folder.`,
        'Run the command on its machine.',
      )
    await requireSqliteFolder(
      context,
      folder,
      'Restore a dump of pg_dump with pg_restore, while all servers are stopped.',
    )
    const argument = await inputIfMissing(context, given, isFileName, {
      question: 'Which backup should be restored?',
      missingMessage: 'Missing file.',
      hint: 'Pass a file that "parley server backup" saved.',
    })
    const file = resolve(context.system.cwd, argument)
    const hasChecksum = await requireBackup(file, argument)
    const name = basename(folder)
    const readPlan = async (): Promise<RestorePlan> => {
      await requireBackup(file, argument)
      const { size, mtime } = statSync(file)
      return { backup: { size, modified: mtime.toISOString() }, lost: await readLostData(context) }
    }
    if (existsSync(join(folder, dataFiles.sqlite)))
      await confirmPlan(context, {
        plan: await readPlan(),
        ask: ({ backup, lost }, isAskedAgain) =>
          confirmByName(context, {
            question: `Replace all data in ${folder}${lostDataText(context, lost)} with the backup of ${describeTime(backup.modified)}?`,
            refusalMessage: `The data folder ${folder} is not empty. Restoring a backup requires confirmation.`,
            effects: [`All data of the platform in ${folder} is replaced. Later changes are lost, including new keys.`],
            name,
            confirmed: flags.confirm,
            isAskedAgain,
          }),
        read: readPlan,
        describeChanges: (agreed, current) => [
          ...describeChanges(agreed.backup, current.backup).map((it) => `${argument}: ${it}`),
          ...describeDataChanges(agreed.lost, current.lost),
        ],
      })
    const { answer, report } = await context.progress.showWhile('Restoring', restoreCopy(context, folder, file))
    // Rows that were sent since the backup are not on the platform any more.
    deleteLocalProgress(context.system)
    const { problems, lists } = report
    markDamage(folder, problems.length > 0 ? new Date(context.system.now()).toISOString() : undefined)
    const damages = [
      ...problems,
      ...lists
        .filter((it) => it.wrong !== 0)
        .map((it) => `${it.wrong ?? 'all'} counters of ${it.list} differ from the rows`),
    ]
    await context.out.record(
      { message: 'Backup restored successfully.', key: answer.token },
      {
        view,
      },
    )
    if (!hasChecksum)
      await context.notes.warn(
        `${argument} has no checksum, because an earlier version saved it. Changed values in it are not found.`,
      )
    if (damages.length === 0) return undefined
    await context.notes.warn(`The restored database is damaged: ${damages.join('; ')}.`)
    return 'finding'
  },
})

interface Restored {
  readonly answer: z.output<typeof snapshots.restore.output>
  /** What a check found afterwards. */
  readonly report: z.output<typeof platform.check.output>
}

/**
 * Restores a backup. A damaged database, whose rows cannot be replaced, is moved away before. A backup is tried first:
 * one that is refused replaces nothing.
 */
async function restoreCopy(context: Context, folder: string, file: string): Promise<Restored> {
  // The place and the ending of the copy are those of a snapshot (handlers/snapshots.ts), which is restored by its name.
  const name = `restore-${context.system.now()}-${context.system.pid}`
  const copy = join(folder, 'snapshots', `${name}.db`)
  const restoreWith = async (call: Context['call'] | Client): Promise<Restored> => ({
    answer: await call(snapshots.restore, { name }),
    report: await call(platform.check, {}),
  })
  makeFolder(join(folder, 'snapshots'))
  try {
    copyFileSync(file, copy)
    restrictToOwner(copy)
    return await restoreWith(context.call).catch(async (error: unknown) => {
      // A refused backup, such as one of a newer version, must not replace anything.
      if (!isCorrupt(error) && (error as ClientFailure).status !== 503) throw error
      const opened = await context.connection().catch(() => undefined)
      const isDamaged = opened
        ? await context.call(platform.check, {}).then(({ problems }) => problems.length > 0, isCorrupt)
        : isCorrupt(error)
      if (!isDamaged || opened?.via === 'remote') throw error
      if (opened?.via === 'local_server')
        throw new ClientFailure({
          exit: 'conflict',
          code: 'server_running',
          message: 'The database is damaged, so that a running server cannot restore it. Nothing was changed.',
          hint: 'Stop the server, and run the command again: parley server stop.',
        })
      await opened?.close()
      await moveAway(context, join(folder, dataFiles.sqlite))
      const fresh = await context.connectTo(await context.settings())
      return restoreWith(fresh.call).finally(() => fresh.close())
    })
  } finally {
    rmSync(copy, { force: true })
  }
}

const isCorrupt = (error: unknown): boolean => (error as { readonly reason?: unknown }).reason === 'corrupt'

/** Renames a SQLite file and its log. */
async function moveAway({ system, notes }: Context, file: string): Promise<void> {
  const target = `${file}.damaged-${new Date(system.now()).toISOString().replaceAll(/[:.]/g, '')}`
  for (const end of sqliteEnds) if (existsSync(file + end)) renameFile(file + end, target + end)
  await notes.warn(`The database was damaged, and was moved to ${target}.`)
}

/**
 * Checks that a file can be read, starts like a SQLite file, and matches its checksum. Returns whether it has one.
 * @throws ClientFailure `usage`
 */
async function requireBackup(file: string, given: string): Promise<boolean> {
  const start = Buffer.alloc(16)
  try {
    const opened = openSync(file, 'r')
    readSync(opened, start, 0, 16, 0)
    closeSync(opened)
  } catch (error) {
    throw usageError(`Could not read ${given}: ${describeFileError(error)}.`)
  }
  if (start.toString('latin1') !== 'SQLite format 3\0')
    throw usageError(`${given} is not a backup.`, 'Pass a file that "parley server backup" saved.')
  const checksum = await compareChecksum(file)
  if (checksum === 'wrong')
    throw usageError(
      `${given} is damaged: its checksum differs from that of its content. Nothing was changed.`,
      'Restore another backup.',
    )
  return checksum === 'same'
}
