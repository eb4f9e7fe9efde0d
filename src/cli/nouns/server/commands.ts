// Commands that start, stop and show servers, and list the requests that they received. Those of their data are in data.ts and backup.ts.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { toCurl } from '../../../client/requests/curl-command.ts'
import { nodes as nodeEndpoints, type ServerNode } from '../../../contract/control/nodes.ts'
import { platform } from '../../../contract/control/platform.ts'
import { type LoggedRequest, requests as requestLog } from '../../../contract/control/requests.ts'
import { exitCodes } from '../../../contract/errors/exit-codes.ts'
import { maxListed } from '../../../contract/values/page-size.ts'
import { findNodeProblem } from '../../../node/tested-nodes.ts'
import { untilAborted } from '../../../node/until-aborted.ts'
import { type CommandInput, command } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { hasPlatform } from '../../program/configuration/local-files.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { withConfiguration } from '../../program/configuration/server-configuration.ts'
import { findReachableServer, findServer } from '../../program/connection/connect.ts'
import { pollStream } from '../../program/connection/poll-stream.ts'
import { requireControlAccess } from '../../program/connection/require-control-access.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import type { Context } from '../../program/context.ts'
import { followedExit } from '../../program/errors/interrupted-exit.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { limitFlags, parseLimit } from '../../program/input/count-flag.ts'
import { resolveItem } from '../../program/input/resolve-target.ts'
import { idView, type View } from '../../program/output/format.ts'
import { printEach } from '../../program/output/output.ts'
import { printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import type { Target } from '../../program/resources/resource.ts'
import type { RunningServer } from '../../program/system.ts'
import { warnAboutPassword } from './database-settings.ts'
import { type DetachedServer, parseWait, startDetached } from './start-detached.ts'
import { startFlags } from './start-flags.ts'
import { describeExposure, parseDrainLimits, parseServeOptions } from './start-settings.ts'

/** How servers are shown to people: titles and columns may change. Programs get the fields of the contract. */
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

export const nodes = listCommand({
  endpoint: nodeEndpoints.list,
  hasComputerTimes: true,
  examples: ['', '--json', '-o id'],
  notes:
    'Servers that share a PostgreSQL database see each other. A server without a heartbeat for 4 seconds is "silent", and other servers take over its jobs.',
  view: nodeView,
})

/** How logged requests are shown to people: titles and columns may change. Programs get the fields of the contract. */
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

/** Headers that a repeated request needs. */
const forwardedHeaders = /^(content-type|accept|idempotency-key)$/

export const requests = command({
  endpoint: requestLog.list,
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
    const limit = all && !flags.follow ? maxListed : parseLimit(flags, flags.follow ? undefined : maxListed)
    const newest = { ...input, ...(limit !== undefined && { limit }) }
    if (!flags.follow && !flags.curl) {
      if (!readsAll) return printList(context, requestLog.list, newest)
      await out.pages(allRequests(context, input), itemShape(context.command))
      return 'done'
    }
    const entries = flags.follow
      ? pollStream<LoggedRequest>(context, limit, async (after) => {
          const { data } = await context.call(requestLog.list, {
            ...input,
            ...(after !== undefined && { after }),
          })
          return { items: data, last: data.at(-1)?.id ?? after ?? 0 }
        })
      : readsAll
        ? flatten(allRequests(context, input))
        : (await context.call(requestLog.list, newest)).data
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
    const { data } = await context.call(requestLog.list, { ...input, after, limit: maxListed })
    if (data.length > 0) yield data
    if (data.length < maxListed) return
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
    await warnAboutPassword(context, given, ['database', 'databaseDirect'])
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
      const untested = findNodeProblem(system.runtime)
      for (const { problem, fix } of [...(untested ? [untested] : []), ...(await server.findSettingProblems())])
        await context.notes.warn(`${problem} ${fix}`)
      await Promise.race([untilAborted(system.signal), server.drainRequested])
      if (!hasLog) await context.notes.note('Stopping.')
    } finally {
      // Ctrl-C is pressed by a person who waits.
      const isInterrupted = system.signal.reason === exitCodes.interrupted.code
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
  { url, key, controlToken, isNew, database, isDistributed, inspector }: RunningServer,
  hasLog: boolean,
): Promise<void> {
  // Scripts wait for this record: fields are added, not renamed.
  if (!out.isForPeople) return out.record({ url, key, control_token: controlToken }, { view: idView(() => url) })
  await out.line(`Listening on ${url}`)
  if (hasLog) return
  if (inspector !== null) await notes.note(`Inspector: ${inspector} (to open it: parley ui)`)
  if (database !== null)
    await notes.note(`Database: ${database}${isDistributed ? ', distributed (parley server database status)' : ''}`)
  // The output of a server ends up in logs. Only the person who starts a new platform on a terminal sees the key.
  const isShown = isNew && key !== null && system.streams.stderr.isTTY
  await notes.note(`Try: curl -H "Authorization: Bearer ${isShown ? key : '<key>'}" ${url}/api/user/api-keys`)
  if (!isShown) await notes.note('To create an API key: parley server accounts key 1.')
  await notes.note('To stop: Ctrl-C or parley server stop.')
}

/**
 * Status of a folder without a local platform. It has the fields of the status of a platform, because scripts read both
 * alike.
 */
const nothing = {
  schema: null,
  database: null,
  database_location: null,
  database_distributed: false,
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
