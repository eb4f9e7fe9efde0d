import { resolve } from 'node:path'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { command } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { withConfiguration } from '../../configuration/server-configuration.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import type { View } from '../../output/form.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { connectionFlags } from './database-flags.ts'
import { parseDatabaseOptions, warnAboutPassword } from './database-settings.ts'
import { requireStoppedServer } from './require-stopped-server.ts'

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text)

interface MigrationRecord {
  readonly source: string
  readonly target: string
  readonly copied: boolean
  readonly rows: number
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly status: string }[]
}

const view: View<MigrationRecord> = { id: (it) => it.target, columns: [], empty: '' }

export const migrate = command({
  callsPlatform: true,
  exits: ['conflict', 'finding'],
  summary: 'Copy all data to another database',
  risk: 'write',
  flags: [
    {
      flags: '--to <target>',
      describe: 'Target: postgres://user@host/name, "sqlite" for the file of the data folder, or another folder',
    },
    { flags: '--from <url>', describe: 'Source in PostgreSQL (default: the database of the data folder)' },
    { flags: '--switch', describe: 'Make the data folder use the target from now on' },
    { flags: '--verify', describe: 'Compare with a target that already has data, and change nothing' },
    ...connectionFlags,
  ],
  examples: [
    '--to postgres://parley@127.0.0.1/parley --switch',
    '--to postgres://parley@127.0.0.1/parley --verify',
    '--to sqlite --switch',
    '--from postgres://parley@127.0.0.1/parley --to ./parley-data',
  ],
  notes:
    'Stop all servers first. The target must be empty. Everything is copied in one transaction: rows, ids, clock and encrypted secrets. Before it is saved, row counts and content hashes of all tables are compared. After an interruption the target is empty, and you run the command again. The source is not changed. Pass a password with PGPASSWORD, PGPASSFILE, PARLEY_DATABASE or DATABASE_URL.',
  async run(context, { flags: given }): Promise<ExitName | undefined> {
    const { system } = context
    const flags = await withConfiguration(system, given, connectionFlags)
    const folder = dataDir(system)
    const to = targetOf(flags.to === undefined ? await promptTarget(context) : String(flags.to), folder, system.cwd)
    await warnAboutPassword(context, flags, ['to', 'from'])
    await requireStoppedServer(context, folder)
    const transfer = await system.dataTransfer()
    const result = await context.progress.showWhile('Copying', (setText) =>
      transfer.migrateData({
        dataDir: folder,
        ...(flags.from !== undefined && { from: String(flags.from) }),
        to,
        database: parseDatabaseOptions(context, flags, given, 'password'),
        isVerifying: flags.verify === true,
        isSwitching: flags.switch === true,
        onProgress: (phase, part) =>
          setText(`${phase === 'copying' ? 'Copying' : 'Verifying'} ${Math.floor(100 * Math.min(1, part))} %`),
      }),
    )
    await print(context, result, to, flags.switch === true)
    return result.tables.some((it) => it.status === 'differs') ? 'finding' : undefined
  },
})

async function promptTarget(context: Context): Promise<string> {
  if (!context.interactive) throw usageError('Missing --to. Pass the URL of a database, "sqlite", or a folder.')
  const prompts = await context.prompts()
  const target = await prompts.input('Copy to which database? (postgres://user@host/name, "sqlite", or a folder)', {
    validate: (text) => text.trim() !== '' || 'Enter a URL, "sqlite", or a folder.',
  })
  recordFlag(context, '--to', target)
  return target
}

/** Returns a URL, or the absolute path of a folder. */
const targetOf = (text: string, folder: string, cwd: string): string =>
  isUrl(text) ? text : text === 'sqlite' ? folder : resolve(cwd, text)

async function print(
  { out, notes, system }: Context,
  result: MigrationRecord,
  to: string,
  isSwitched: boolean,
): Promise<void> {
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(result, { view })
  const differing = result.tables.filter((it) => it.status === 'differs').map((it) => it.table)
  if (differing.length > 0)
    return out.line(`${result.target} differs from ${result.source} in: ${differing.join(', ')}.`)
  const size = `${result.rows} rows in ${result.tables.length} tables`
  await out.line(
    result.copied
      ? `Copied ${size} from ${result.source} to ${result.target}. Row counts and content are the same.`
      : `${result.target} has the same content as ${result.source}: ${size}.`,
  )
  if (isSwitched) return notes.note('Next: parley server start. The data folder now uses the target.')
  if (!result.copied) return
  await notes.note(
    isUrl(to) || to === dataDir(system)
      ? 'The data folder still uses its previous database. To make it use the target, run the command again with --switch.'
      : `Next: PARLEY_DATA_DIR=${to} parley server start`,
  )
}
