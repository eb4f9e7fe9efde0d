import { join, resolve } from 'node:path'
import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { journalName } from '../../../client/journal/journal.ts'
import { purgeJournal } from '../../../client/journal/purge-journal.ts'
import { toCurl } from '../../../client/requests/curl-command.ts'
import { nodes as endpoints, nodes as nodeEndpoints, type ServerNode } from '../../../contract/control/nodes.ts'
import { platform } from '../../../contract/control/platform.ts'
import { requests as contract, type LoggedRequest } from '../../../contract/control/requests.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import { describeWriteError } from '../../../node/file-error.ts'
import { hasContent, markDamage, unmarkFile } from '../../../node/folder-marker.ts'
import { stringifyJson } from '../../../node/json.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { type CommandInput, command } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { hasPlatform } from '../../program/configuration/local-files.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { deleteLocalProgress, purgeProgressFiles } from '../../program/configuration/purge-bulk-progress.ts'
import { withConfiguration } from '../../program/configuration/server-configuration.ts'
import { findReachableServer, findServer } from '../../program/connection/connect.ts'
import { pollStream } from '../../program/connection/poll-stream.ts'
import { requireControlAccess } from '../../program/connection/require-capability.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import { confirmPlan, requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { followedExit } from '../../program/errors/interrupted-exit.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { purgeEntries } from '../../program/history/entries.ts'
import { purgeSamples } from '../../program/history/test-samples.ts'
import { purgeWriteLog } from '../../program/history/write-log.ts'
import { limitFlags, parseLimit } from '../../program/input/count-flag.ts'
import { resolveItem } from '../../program/input/resolve-target.ts'
import { idView, type View } from '../../program/output/format.ts'
import { printEach } from '../../program/output/output.ts'
import { printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { inputIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import type { Target } from '../../program/resources/resource.ts'
import type { RunningServer } from '../../program/system.ts'
import { connectionFlags } from './database-flags.ts'
import { parseDatabaseOptions, warnAboutPassword } from './database-settings.ts'
import { describeDataChanges, lostDataText, readLostData } from './lost-data.ts'
import { requireSqliteFolder } from './require-sqlite-folder.ts'
import { seedFlags, seedPlatform, view as seedPlatformView } from './seed-platform.ts'
import { type DetachedServer, parseWait, startDetached } from './start-detached.ts'
import { startFlags } from './start-flags.ts'
import { describeExposure, parseDrainLimits, parseServeOptions } from './start-settings.ts'

const nodeView: View<ServerNode> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'url', title: 'URL', priority: 2 },
    { key: 'version', title: 'Version', priority: 2 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'leases', title: 'Leases', priority: 2, kind: 'number' },
    { key: 'heartbeat_age', title: 'Heartbeat (s)', priority: 2, kind: 'number' },
    { key: 'started_at', title: 'Since', priority: 4, kind: 'time' },
  ],
  empty: 'No servers are running. Start one: parley server start.',
}

const nodeTarget: Target = {
  singular: 'server',
  list: nodeEndpoints.list,
  listCommand: 'server nodes',
  hasTextIds: true,
  by: ['id', 'url', 'host', 'pid'],
  label: (it) => `${it.url ?? it.host}, ${it.status} (${it.id})`,
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

const backupView: View<{ readonly file: string }> = idView((it) => it.file)

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
    const print = async (): Promise<void> => {
      await out.line(
        `Saved ${made.rows} rows of ${made.tables} tables in ${made.file} (${made.bytes} bytes). It was checked.`,
      )
      await notes.note(`Next: parley server restore ${argument}`)
    }
    await out.result(made, print, { view: backupView })
  },
})

interface CheckRow {
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
      const what = `${list} counters`
      if (wrong === null) return { what, status: 'unreadable', found: 'cannot be read' }
      if (wrong > 0) return { what, status: 'wrong', found: differingText(wrong) }
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
      describe: 'Rebuild the counters from the rows; other writes wait until it is done',
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
      await context.notes.note('Rebuild the counters: parley server check --rebuild')
    return rows.every((it) => it.status === 'ok' || it.status === 'rebuilt') ? undefined : 'finding'
  },
})

export const drain = command({
  endpoint: nodeEndpoints.drain,
  argument: { name: 'node', describe: 'Id, URL or host of the server' },
  examples: ['web-2', 'http://10.0.0.7:4010'],
  notes:
    'The server reports that it is not ready, starts no more jobs, finishes requests and jobs in progress, releases its leases, and exits with code 0. A server on another machine notices within a second or two.',
  async run(context, { argument }) {
    const id = String((await resolveItem(context, argument, nodeTarget)).id)
    const answer = await sendRequest(context, nodeEndpoints.drain, { id })
    if (answer) await printMessage(context, answer.message, id)
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

export const nodes = listCommand({
  endpoint: endpoints.list,
  hasComputerTimes: true,
  examples: ['', '--json', '-o id'],
  notes:
    'Servers that share a PostgreSQL database see each other. A server without a heartbeat for 4 seconds is "silent", and other servers take over its jobs.',
  view: nodeView,
})

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
      spends: purgeJournal(join(dataDir(system), journalName), before),
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

const requestsView: View<LoggedRequest> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 2, kind: 'number' },
    { key: 'at', title: 'When', priority: 3, kind: 'computer_time' },
    { key: 'method', title: 'Method', priority: 1 },
    { key: 'path', title: 'Path', priority: 1, flexible: true },
    { key: 'status', title: 'Status', priority: 1, kind: 'number' },
    { key: 'ms', title: 'ms', priority: 4, kind: 'number' },
  ],
  empty: 'No requests. Start a server to record them: parley server start.',
}

/** Maximum number of requests in one response. */
const maxRequests = 1000

/** Headers that a repeated request needs. */
const forwardedHeaders = /^(content-type|accept|idempotency-key)$/

export const requests = command({
  endpoint: contract.list,
  hasComputerTimes: true,
  filledFields: ['after', 'limit'],
  flags: [
    ...limitFlags('Maximum number of requests, the newest, 1-1000 (default: 50)'),
    { flags: '--follow', describe: 'Print new requests until Ctrl-C or --limit' },
    { flags: '--curl', describe: 'Print requests as curl commands, with the key as $PARLEY_API_KEY' },
  ],
  isList: true,
  examples: ['', '--status 4xx', '--path /messaging/ --method POST --curl --unmask', '--json'],
  notes:
    'Shows HTTP requests to the server of this data folder. Secrets are hidden and phone numbers shortened (--unmask shows numbers). Requests are stored for 30 days. To delete them: parley server purge. Their times are those of the computer that serves them, which moving the clock of the platform does not change.',
  view: requestsView,
  async run(context, { input, flags }) {
    const { out } = context
    const { all, envelope, printCurl } = context.globals
    const readsAll = all === true && !flags.follow && !envelope && !printCurl
    const limit = all && !flags.follow ? maxRequests : parseLimit(flags, flags.follow ? undefined : maxRequests)
    const newest = { ...input, ...(limit !== undefined && { limit }) }
    if (!flags.follow && !flags.curl) {
      if (!readsAll) return printList(context, contract.list, newest)
      await out.pages(allRequests(context, input), itemShape(context.command))
      return 'done'
    }
    const entries = flags.follow
      ? pollStream<LoggedRequest>(context, limit, async (after) => {
          const { data } = await context.call(contract.list, {
            ...input,
            ...(after !== undefined && { after }),
          })
          return { items: data, last: data.at(-1)?.id ?? after ?? 0 }
        })
      : readsAll
        ? flatten(allRequests(context, input))
        : (await context.call(contract.list, newest)).data
    const print = flags.curl
      ? await asCurl(context)
      : ({ at, method, path, status, ms }: LoggedRequest): string => `${at}  ${method} ${path}  ${status}  ${ms} ms`
    if (flags.curl) for await (const entry of entries) await out.line(print(entry))
    else await printEach(out, entries, { view: requestsView }, print)
    return followedExit(context.system.signal)
  },
})

/** Yields all requests in the log, oldest first, in several responses. */
async function* allRequests(context: Context, input: CommandInput): AsyncGenerator<readonly LoggedRequest[]> {
  for (let after = 0; ; ) {
    const { data } = await context.call(contract.list, { ...input, after, limit: maxRequests })
    if (data.length > 0) yield data
    if (data.length < maxRequests) return
    after = data.at(-1)?.id ?? after
  }
}

async function* flatten<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const items of pages) yield* items
}

async function asCurl(context: Context): Promise<(request: LoggedRequest) => string> {
  const { baseUrl } = await context.settings()
  return ({ method, path, headers, body }) => {
    const shownHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => forwardedHeaders.test(name)))
    const auth = headers.authorization === undefined ? 'none' : 'key'
    return toCurl(baseUrl.value, { method, url: path, headers: shownHeaders, ...(body !== null && { body }) }, auth)
  }
}

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
    const { dryRun, printCurl } = context.globals
    if (!dryRun && !printCurl) {
      const isAsked = context.interactive && !context.globals.yes
      await confirmPlan(context, {
        plan: isAsked ? await readLostData(context) : undefined,
        ask: (lost, isAskedAgain) =>
          requireConfirmation(
            context,
            {
              question: `Delete all data of the platform in ${folder}${lostDataText(lost)}?`,
              refusalMessage: `Resetting deletes all data of the platform in ${folder} and requires confirmation.`,
            },
            { isAskedAgain },
          ),
        read: () => readLostData(context),
        describeChanges: describeDataChanges,
      })
    }
    await seedPlatform(context, platform.reset, flags)
    if (dryRun || printCurl) return
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

export const start = command({
  callsPlatform: true,
  summary: 'Start a Parley server for the data folder',
  risk: 'write',
  flags: [
    ...startFlags,
    {
      flags: '--detach',
      describe:
        'Start the server in the background, and return when it answers requests; --json prints url, key, control_token, pid and log',
    },
    { flags: '--wait <seconds>', describe: 'Maximum seconds to wait with --detach (default: 60)' },
  ],
  examples: [
    '',
    '--port 0',
    '--database postgres://parley@127.0.0.1/parley',
    '--vocabulary public',
    '--model-url http://127.0.0.1:11434/v1 --model llama3.2',
    '--model-script intents.yaml',
    '--log json --drain-delay 5',
    '--config server.yaml',
    '--detach --port 0 --seed 7 --json',
  ],
  notes:
    'Runs until Ctrl-C or "parley server stop", with --detach in the background. While it runs, commands that use the profile "local" connect to it.',
  async run(context, { flags: given }) {
    const { system } = context
    const flags = await withConfiguration(system, given, startFlags)
    const limits = parseDrainLimits(flags)
    if (given.wait !== undefined && given.detach !== true)
      throw usageError('--wait requires --detach.', 'Pass both: --detach --wait 60.')
    const waitMs = given.detach === true ? parseWait(given.wait) : undefined
    const options = await parseServeOptions(context, flags, given)
    await warnAboutPassword(context, given)
    const dir = dataDir(system)
    const running = await findReachableServer(system, dir)
    if (running)
      throw new ClientFailure({
        exit: 'conflict',
        code: 'running',
        message: `A server is already running for this data folder: ${running.url} (process ${running.pid}).`,
        hint: 'Stop it: parley server stop.',
      })
    if (waitMs !== undefined) return printDetached(context, await startDetached(context, dir, waitMs))
    const server = await system.serve({ ...options, dataDir: dir, stopLimitMs: limits.limitMs })
    // A log has lines of its own.
    const hasLog = options.logFormat !== undefined
    try {
      await printStarted(context, server, hasLog)
      if (options.limit && !hasLog && context.out.settings.format === 'table')
        await context.notes.note(
          `Rate limit of each account: ${options.limit.max} requests in ${options.limit.seconds} s. To change it: --rate-limit.`,
        )
      for (const option of describeExposure(options)) await context.notes.warn(option)
      await Promise.race([untilAborted(system.signal), server.drainRequested])
      if (!hasLog) await context.notes.note('Stopping.')
    } finally {
      // Ctrl-C is pressed by somebody who waits.
      const isInterrupted = system.signal.reason === 130
      await server.stop(isInterrupted ? { ...limits, delayMs: 0 } : limits)
    }
    // Stopping the server with a signal or with "server stop" is its normal end.
    return 'done'
  },
})

async function printDetached({ out, notes }: Context, server: DetachedServer): Promise<undefined> {
  const { url, pid, log } = server
  const print = async (): Promise<void> => {
    await out.line(`Listening on ${url} (process ${pid})`)
    await notes.note(`Output of the server: ${log}`)
    await notes.note('To create an API key: parley server accounts key 1. To stop: parley server stop.')
  }
  await out.result(server, print, { view: idView(() => url) })
}

async function printStarted(
  { out, notes, system }: Context,
  { url, key, controlToken, isNew, database, inspector }: RunningServer,
  hasLog: boolean,
): Promise<void> {
  if (!out.isForPeople) return out.record({ url, key, control_token: controlToken }, { view: idView(() => url) })
  await out.line(`Listening on ${url}`)
  if (hasLog) return
  if (inspector !== null) await notes.note(`Inspector: ${inspector} (to open it: parley ui)`)
  if (database !== null) await notes.note(`Database: ${database}`)
  // The output of a server ends up in logs. Only the person who starts a new platform on a terminal sees the key.
  const isShown = isNew && key !== null && system.streams.stderr.isTTY
  await notes.note(`Try: curl -H "Authorization: Bearer ${isShown ? key : '<key>'}" ${url}/api/user/api-keys`)
  if (!isShown) await notes.note('To create an API key: parley server accounts key 1.')
  await notes.note('To stop: Ctrl-C or parley server stop.')
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Status of a folder without a local platform. */
const nothing = {
  schema: null,
  database: null,
  database_location: null,
  seed: null,
  providers: {},
  clock: null,
  accounts: 0,
  numbers: 0,
  due: 0,
  faults: 0,
  faults_fired: 0,
}

const statusView: View<{ readonly url: string | null }> = {
  id: (it) => it.url ?? '',
  columns: [
    { key: 'clock.now', title: 'Clock now', priority: 1, kind: 'time' },
    { key: 'due', title: 'Scheduled jobs', priority: 1, kind: 'number' },
    { key: 'faults', title: 'Fault rules', priority: 1, kind: 'number' },
    { key: 'faults_fired', title: 'Faults triggered', priority: 1, kind: 'number' },
  ],
  empty: '',
}

export const status = command({
  callsPlatform: true,
  summary: 'Show the status of the server and its data',
  examples: ['', '--json'],
  async run(context) {
    const folder = await requireControlAccess(context)
    const { system } = context
    const server = await findReachableServer(system, folder)
    // Opening the folder would create a platform in it, with another seed.
    const isEmpty =
      !server &&
      (await context.settings()).baseUrl.value === localProfile.base_url &&
      !hasPlatform(folder) &&
      !system.env.PARLEY_DATABASE
    const state = isEmpty ? { version: system.version, ...nothing } : await context.call(platform.status, {})
    const shown = {
      running: server !== undefined,
      url: server?.url ?? null,
      pid: server?.pid ?? null,
      started_at: server?.started_at ?? null,
      vocabulary: typeof server?.vocabulary === 'object' ? 'custom' : (server?.vocabulary ?? 'neutral'),
      data_folder: folder,
      ...state,
    }
    // The URL identifies a server; without one, there is nothing to print.
    if (server || context.out.settings.format !== 'id') await context.out.record(shown, { view: statusView })
    if (isEmpty)
      await context.notes.note(
        'No local platform in this folder yet. Next: parley server seed, or parley server start --seed 7',
      )
  },
})

/** Milliseconds that a server may take to finish requests in flight, and that one may take beyond its own limit. */
const minTimeoutMs = 15_000
const graceMs = 2000

export const stop = command({
  callsPlatform: true,
  summary: 'Stop the server of the data folder gracefully',
  risk: 'write',
  examples: [''],
  async run(context) {
    const { system } = context
    const folder = await requireControlAccess(context)
    const { baseUrl } = await context.settings()
    if (baseUrl.value !== localProfile.base_url)
      throw usageError(
        `The server at ${baseUrl.value} can only be stopped on the machine where it runs.`,
        'To stop the server of the data folder, pass --profile local without --base-url.',
      )
    const server = await findReachableServer(system, folder)
    if (!server) return printMessage(context, 'No server is running for this data folder.', 0)
    system.terminate(server.pid)
    const timeoutMs = Math.max(minTimeoutMs, (server.stop_limit_ms ?? 0) + graceMs)
    const end = system.now() + timeoutMs
    while (findServer(system, folder)) {
      if (system.now() > end)
        throw new ClientFailure({
          exit: 'internal',
          code: 'still_running',
          message: `Process ${server.pid} is still running ${timeoutMs / 1000} s after the stop request.`,
          hint: `Kill it: kill -9 ${server.pid}. Acknowledged writes are not lost.`,
        })
      await system.sleep(50)
    }
    await printMessage(context, `Stopped ${server.url}.`, server.pid)
  },
})
