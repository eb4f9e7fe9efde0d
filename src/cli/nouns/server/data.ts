// Commands that check, export, copy, fill and delete the data of the local platform. Backups are in backup.ts.

import { join, resolve } from 'node:path'
import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { purgeJournal } from '../../../client/journal/purge-journal.ts'
import { platform } from '../../../contract/control/platform.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { describeWriteError } from '../../../node/file-error.ts'
import { hasContent, markDamage, unmarkFile } from '../../../node/folder-marker.ts'
import { stringifyJson } from '../../../node/json.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { command } from '../../program/commandline/command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { deleteLocalProgress, purgeProgressFiles } from '../../program/configuration/purge-bulk-progress.ts'
import { withConfiguration } from '../../program/configuration/server-configuration.ts'
import { findReachableServer } from '../../program/connection/connect.ts'
import { describeControlled, requireControlAccess } from '../../program/connection/require-control-access.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { confirmPlan, requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { purgeEntries } from '../../program/history/entries.ts'
import { purgeSamples } from '../../program/history/test-samples.ts'
import { purgeWriteLog } from '../../program/history/write-log.ts'
import { budgetSince } from '../../program/operations/profile-budget.ts'
import { idView, type View } from '../../program/output/format.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { connectionFlags } from './database-flags.ts'
import { parseDatabaseOptions, warnAboutPassword } from './database-settings.ts'
import { describeDataChanges, lostDataText, readLostData } from './lost-data.ts'
import { seedFlags, seedPlatform, view as seedPlatformView } from './seed-platform.ts'

/** Printed result of one check. Scripts read it as JSON: fields and words are added, not renamed. */
export interface CheckRow {
  readonly what: string
  readonly status: 'ok' | 'damaged' | 'wrong' | 'rebuilt' | 'unreadable'
  readonly found: string
}

const checkView: View<CheckRow> = {
  id: (it) => it.what,
  columns: [
    { key: 'what', title: 'Check', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'found', title: 'Result', priority: 1, flexible: true },
  ],
  empty: '',
}

type Report = z.output<typeof platform.check.output>

const differingText = (count: number): string =>
  `${count} ${count === 1 ? 'counter differs' : 'counters differ'} from the rows`

function balanceRow(balances: Report['balances']): CheckRow {
  const what = 'balances'
  if (balances === null) return { what, status: 'unreadable', found: 'cannot be read' }
  const differences = balances.wrong.map(
    (it) => `account ${it.account} has ${it.balance}, its ledger says ${it.ledger}`,
  )
  return { what, status: differences.length > 0 ? 'wrong' : 'ok', found: differences.join('; ') || 'match the ledger' }
}

/** Describes a report. `before` is the report from before the counters were rebuilt. */
function toRows({ problems, lists, balances }: Report, before?: Report): CheckRow[] {
  const wasWrong = new Set(before?.lists.filter((it) => it.wrong !== 0).map((it) => it.list))
  return [
    { what: 'database', status: problems.length > 0 ? 'damaged' : 'ok', found: problems.join('; ') || 'no errors' },
    ...lists.map(({ list, wrong }): CheckRow => {
      const isNames = list === 'account_name'
      const what = isNames ? 'unique names' : `${list} counters`
      if (wrong === null) return { what, status: 'unreadable', found: 'cannot be read' }
      if (wrong > 0)
        return { what, status: 'wrong', found: isNames ? `${wrong} differ from the rows` : differingText(wrong) }
      return { what, status: wasWrong.has(list) ? 'rebuilt' : 'ok', found: 'match the rows' }
    }),
    ...(lists.length > 0 ? [balanceRow(balances)] : []),
  ]
}

/** Returns a report that only says that the database cannot be opened, because it is damaged. */
function reportUnopenable(error: Error & { readonly reason?: string }): Report {
  if (error.name !== 'StoreError' || error.reason !== 'corrupt') throw error
  return { database: 'sqlite', schema: 0, problems: [error.message], lists: [], balances: null }
}

export const check = command({
  callsPlatform: true,
  acceptsDamage: true,
  exits: ['finding'],
  summary: 'Check the database, counters and balances',
  flags: [
    {
      flags: '--rebuild',
      describe: 'Rebuild counters and unique names from the rows; other writes wait until it is done',
    },
  ],
  examples: ['', '--rebuild', '--json'],
  notes:
    'Takes a few seconds per million rows. The exit code is 20 if an error was found and not fixed. Counters of a damaged database are not rebuilt.',
  view: checkView,
  async run(context, { flags }): Promise<ExitName | undefined> {
    const folder = await requireControlAccess(context)
    const report = await context.call(platform.check, {}).catch(reportUnopenable)
    const isDamaged = report.problems.length > 0
    if ((await context.settings()).baseUrl.value === localProfile.base_url)
      markDamage(folder, isDamaged ? new Date(context.system.now()).toISOString() : undefined)
    const rebuilds = flags.rebuild === true && !context.globals.dryRun && !isDamaged
    if (rebuilds) await context.progress.showWhile('Rebuilding counters', context.call(platform.recount, {}))
    const rows = rebuilds ? toRows(await context.call(platform.check, {}), report) : toRows(report)
    await context.out.list(rows, { view: checkView })
    if (isDamaged && flags.rebuild === true)
      await context.notes.warn('The counters were not rebuilt, because the database is damaged. Restore a backup.')
    else if (!rebuilds && report.lists.some((it) => it.wrong !== 0))
      await context.notes.note('Rebuild counters and names: parley server check --rebuild')
    return rows.every((it) => it.status === 'ok' || it.status === 'rebuilt') ? undefined : 'finding'
  },
})

const exportView: View<{ readonly file?: string }> = idView((it) => it.file ?? 'sample-data')

export const exportData = command({
  callsPlatform: true,
  summary: platform.export.summary,
  risk: 'read',
  flags: [
    { flags: '--file <path>', describe: 'File to write, YAML; JSON if its name ends with .json (default: print it)' },
    { flags: '--include-secrets', describe: 'Include passwords, tokens and hashes of API keys' },
  ],
  examples: ['', '--file sample-data.yaml', '--file sample-data.json --include-secrets', '-o json'],
  notes:
    'Load the file with "parley server seed --file", or in tests with startPlatform({ data }). Not included: runs, drafts and earlier versions of automations, deliveries, events, the ledger, and calls in progress.',
  view: exportView,
  async run(context, { flags }) {
    await requireControlAccess(context)
    const { out, system, notes } = context
    const answer = await sendRequest(context, platform.export, { include_secrets: flags.includeSecrets === true })
    if (!answer) return
    const { data } = answer
    const file = typeof flags.file === 'string' ? flags.file : undefined
    if (file === undefined && !out.isForPeople) return out.record(data, { view: exportView })
    const { stringify } = await loadYaml()
    const text = file?.endsWith('.json')
      ? `${stringifyJson(data, null, 2)}\n`
      : stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })
    if (file === undefined) return out.line(text.trimEnd())
    try {
      replaceFile(resolve(system.cwd, file), text, { mode: flags.includeSecrets === true ? 0o600 : 'keep' })
    } catch (error) {
      throw usageError(`Could not write --file ${file}: ${describeWriteError(error)}.`)
    }
    await out.result({ file }, `Exported the data to ${file}.`, { view: exportView })
    if (flags.includeSecrets === true) await notes.warn(`${file} has secrets. Store it as safely as a password.`)
  },
})

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text)

/** Printed result of a copy. Scripts read it as JSON: fields and words are added, not renamed. */
interface MigrationRecord {
  readonly source: string
  readonly target: string
  readonly copied: boolean
  readonly rows: number
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly status: string }[]
}

const migrateView: View<MigrationRecord> = idView((it) => it.target)

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
    await printMigration(context, result, to, flags.switch === true)
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

async function printMigration(
  { out, notes, system }: Context,
  result: MigrationRecord,
  to: string,
  isSwitched: boolean,
): Promise<void> {
  if (!out.isForPeople) return out.record(result, { view: migrateView })
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

/** Throws ClientFailure `conflict` while a server of a data folder runs. */
async function requireStoppedServer({ system }: Context, folder: string): Promise<void> {
  const running = await findReachableServer(system, folder)
  if (!running) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'running',
    message: `A server is running for this data folder: ${running.url} (process ${running.pid}).`,
    hint: 'Stop it first: parley server stop.',
  })
}

export const purge = command({
  endpoint: platform.purge,
  examples: ['--yes', '--older-than 7d --yes', '--older-than 0s --yes --json'],
  notes:
    'Deletes completed deliveries, events, logged requests, journal entries with a known outcome, history entries, test samples of automations, the write log and the progress of bulk operations. Without that progress, a file that is imported again is sent again. Deliveries, events and requests older than 30 days are deleted automatically.\nThe age of records of the platform counts from its clock, and that of files and requests from the clock of this computer.',
  async run(context, { input }) {
    if (await previewRequest(context, platform.purge, input)) return
    const span = String(input.older_than ?? '30d')
    await requireConfirmation(context, {
      question: `Delete data older than ${span}?`,
      refusalMessage: 'Purging cannot be undone and requires confirmation.',
    })
    const answer = await context.call(platform.purge, input)
    const { system, out } = context
    const before = system.now() - (parseDuration(span) ?? 0)
    purgeSamples(system, before)
    const result = {
      ...answer,
      spends: purgeJournal(join(dataDir(system), dataFiles.journal), before, budgetSince(system)),
      copies: purgeEntries(system, before),
      writes: purgeWriteLog(system, before),
      ledgers: purgeProgressFiles(system, before),
    }
    if (!hasContent(dataDir(system), 'history')) unmarkFile(dataDir(system), 'history')
    await out.result(
      result,
      `${answer.message.replace(/\.$/, '')}, journal entries ${result.spends}, history entries ${result.copies}, write log lines ${result.writes}, bulk progress files ${result.ledgers}.`,
      { view: idView(() => result.deliveries) },
    )
  },
})

/**
 * Command `server reset`. Bulk progress is deleted after the rows that it is about: before that, a file could be sent
 * twice.
 */
export const reset = command({
  callsPlatform: true,
  summary: platform.reset.summary,
  risk: 'destructive',
  supportsPreview: true,
  startsEmpty: true,
  acceptsMissingData: true,
  flags: [
    ...seedFlags,
    {
      flags: '--clock <time>',
      describe: 'Time to freeze the clock at, ISO 8601 (default: the one of server start --clock, or real time)',
    },
  ],
  examples: ['', '--seed 7 --yes', '--clock 2027-03-01T09:00:00Z --yes', '--file sample-data.yaml --yes'],
  view: seedPlatformView,
  async run(context, { flags }) {
    const folder = await requireControlAccess(context)
    const where = await describeControlled(context)
    const { dryRun, printCurl } = context.globals
    if (!dryRun && !printCurl) {
      const isAsked = context.interactive && !context.globals.yes
      await confirmPlan(context, {
        plan: isAsked ? await readLostData(context) : undefined,
        ask: (lost, isAskedAgain) =>
          requireConfirmation(
            context,
            {
              question: `Delete all data of the platform ${where}${lostDataText(context, lost)}?`,
              refusalMessage: `Resetting deletes all data of the platform ${where} and requires confirmation.`,
            },
            { isAskedAgain },
          ),
        read: () => readLostData(context),
        describeChanges: describeDataChanges,
      })
    }
    await seedPlatform(context, platform.reset, flags)
    if (dryRun || printCurl || (await context.settings()).baseUrl.value !== localProfile.base_url) return
    markDamage(folder, undefined)
    deleteLocalProgress(context.system)
  },
})

export const seed = command({
  callsPlatform: true,
  summary: platform.seed.summary,
  risk: 'write',
  supportsPreview: true,
  startsEmpty: true,
  flags: seedFlags,
  examples: ['', '--seed 7', '--file sample-data.yaml'],
  view: seedPlatformView,
  run: (context, { flags }) => seedPlatform(context, platform.seed, flags),
})
