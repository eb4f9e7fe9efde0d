import { resolve } from 'node:path'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { command } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import type { View } from '../../output/form.ts'
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
    { flags: '--to <target>', describe: 'Target: postgres://user@host/name, or a folder for a SQLite file' },
    { flags: '--from <url>', describe: 'Source in PostgreSQL (default: the SQLite file of the data folder)' },
    { flags: '--switch', describe: 'Make the data folder use the target in PostgreSQL from now on' },
    { flags: '--verify', describe: 'Compare with a target that already has data, and change nothing' },
  ],
  examples: [
    '--to postgres://parley@127.0.0.1/parley --switch',
    '--to postgres://parley@127.0.0.1/parley --verify',
    '--from postgres://parley@127.0.0.1/parley --to ./parley-data',
  ],
  notes:
    'Stop all servers first. The target must be empty. Everything is copied in one transaction: rows, ids, clock and sealed secrets. Before it is saved, row counts and content hashes of all tables are compared. After an interruption the target is empty, and you run the command again. The source is not changed. Pass a password with PGPASSWORD or PGPASSFILE.',
  async run(context, { flags }): Promise<ExitName | undefined> {
    const { system } = context
    if (flags.to === undefined) throw usageError('Missing --to. Pass the URL of a database, or a folder.')
    const folder = dataDir(system)
    await requireStoppedServer(context, folder)
    const transfer = await system.dataTransfer()
    const result = await context.progress.showWhile('Copying', (setText) =>
      transfer.migrateData({
        dataDir: folder,
        ...(flags.from !== undefined && { from: String(flags.from) }),
        to: isUrl(String(flags.to)) ? String(flags.to) : resolve(system.cwd, String(flags.to)),
        isVerifying: flags.verify === true,
        isSwitching: flags.switch === true,
        onProgress: (phase, part) =>
          setText(`${phase === 'copying' ? 'Copying' : 'Verifying'} ${Math.floor(100 * Math.min(1, part))} %`),
      }),
    )
    await print(context, result, String(flags.to), flags.switch === true)
    return result.tables.some((it) => it.status === 'differs') ? 'finding' : undefined
  },
})

async function print({ out, notes }: Context, result: MigrationRecord, to: string, isSwitched: boolean): Promise<void> {
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
  if (!result.copied) return
  await notes.note(
    isUrl(to)
      ? isSwitched
        ? 'Next: parley server start. The data folder now uses the target.'
        : 'The data folder still uses its previous database. To move it, migrate to an empty target with --switch.'
      : `Next: PARLEY_DATA_DIR=${to} parley server start`,
  )
}
