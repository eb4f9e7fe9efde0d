import { join } from 'node:path'
import { controlHeader } from '../contract/endpoint/headers.ts'
import { redactText } from '../contract/values/redact.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { dataFiles } from '../node/data-files.ts'
import { stringifyJson } from '../node/json.ts'
import { realTime, sleep } from '../node/real-time.ts'
import { openPlatform, requireValidSettings } from './compose.ts'
import type { Platform, PlatformSettings } from './platform-settings.ts'
import { type ListeningServer, listen } from './server/http/listen.ts'
import { acquireLock, type ServerLock } from './server/http/server-lock.ts'
import { createLogWriter, type LogFormat, type LogWriter } from './server/monitoring/log-writer.ts'
import { createMonitor } from './server/monitoring/monitor.ts'
import { createOtlpExporter, type OtlpSettings, type SpanExporter } from './server/monitoring/otlp-exporter.ts'

/** How long a server takes to stop, in milliseconds. */
interface DrainLimits {
  /** Time in which requests are still accepted, so that load balancers notice that it is not ready (default: 0). */
  readonly delayMs?: number
  /** Time after which unfinished work is aborted (default: 30 000). */
  readonly limitMs?: number
}

/** The parts of a server that end one after the other. */
interface DrainedServer {
  readonly server: ListeningServer
  readonly loop: { stop(): Promise<void> }
  readonly platform: Platform
  /** Removes the lock file. */
  readonly release: () => void
  readonly log: LogWriter | undefined
  readonly exporter: SpanExporter | undefined
}

const defaultLimitMs = 30_000
/** Milliseconds at the end of the limit that are left for automation steps to end and for the data to be closed. */
const closingMs = 6000
/** Milliseconds that the last traces may take to be exported. */
const exportMs = 2000

/**
 * Stops a server. It reports that it is not ready, takes no more jobs, finishes requests and jobs in progress, hands its
 * leases back and closes the data. Never takes longer than the limit. Leases are handed back last: another server repeats
 * the jobs that it takes over.
 */
async function drainServer(
  { server, loop, platform, release, log, exporter }: DrainedServer,
  { delayMs = 0, limitMs = defaultLimitMs }: DrainLimits = {},
): Promise<void> {
  const end = realTime.monotonicMs() + limitMs
  const left = (): number => Math.max(0, end - realTime.monotonicMs())
  log?.event('Draining. No new jobs are started, and requests in progress are finished.')
  server.drain()
  const announced = platform.startDraining().catch((error: Error) => log?.problem(error.message))
  const jobs = loop.stop()
  if (delayMs > 0) await sleep(Math.min(delayMs, left()))
  const workMs = Math.max(left() - closingMs, left() / 2)
  const [, , areJobsDone] = await Promise.all([within(announced, workMs), server.close(workMs), within(jobs, workMs)])
  if (!areJobsDone) log?.problem('Jobs in progress did not end in time. Other servers repeat them.')
  release()
  const isClosed = await within(platform.close(), left())
  // Other servers need not wait until the leases expire.
  if (!isClosed) await within(platform.leaveServers(), 1000)
  await exporter?.close(Math.min(exportMs, left()))
  log?.event('Stopped.')
  await log?.flush()
}

/** Waits for work, at most `ms` milliseconds. Returns whether it has ended. */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(ms, timer.signal).then(
        () => false,
        () => false,
      ),
    ])
  } finally {
    timer.abort()
  }
}

/** Settings of a server. */
export interface ServeSettings extends PlatformSettings {
  readonly host: string
  readonly port: number
  /** URL under which others reach the server, for URLs in responses (default: that of the request). */
  readonly publicUrl?: string | undefined
  /** Format of the log (default: only problems, as text). */
  readonly logFormat?: LogFormat | undefined
  /** Writes lines of the log (default: `log`). */
  readonly writeLog?: ((text: string) => Promise<void>) | undefined
  /** Maximum milliseconds that `stop` will take, for the command that waits for it. */
  readonly stopLimitMs?: number | undefined
  /** Whether the server keeps the process running until it is stopped (default: true). */
  readonly keepsProcessRunning?: boolean | undefined
  /** Where traces are exported to (default: nowhere). */
  readonly otlp?: OtlpSettings | undefined
  /** Whether other machines may read the metrics. */
  readonly publicMetrics?: boolean | undefined
  /** Whether other machines may use the inspector, after they signed in. */
  readonly publicInspector?: boolean | undefined
  /** Folder of the pages of the inspector (default: that of the build). */
  readonly inspectorFolder?: string | undefined
}

/** A running server. */
export interface ServedPlatform {
  readonly url: string
  /** Key of the sample account. A reset may change it. */
  readonly key: string | null
  /** Token of the control API, for requests with the header `parley-control`. */
  readonly controlToken: string
  /** Whether it has just filled an empty platform. */
  readonly isNew: boolean
  /** Host, port and name of its PostgreSQL database; null for SQLite. */
  readonly database: string | null
  /** Whether the tables of accounts are distributed over nodes. */
  readonly isDistributed: boolean
  /** Returns settings in front of the database that servers work badly with. */
  findSettingProblems(): Promise<readonly { readonly problem: string; readonly fix: string }[]>
  /** URL of the inspector; null if this server has none. */
  readonly inspector: string | null
  /** Calls the control API without a socket. */
  control(method: string, url: string, body?: object): ReturnType<Platform['handle']>
  /** Resolves when a command or another server asks this server to stop. */
  readonly drainRequested: Promise<void>
  /** Finishes requests and jobs in progress, hands leases back and closes the data. */
  stop(limits?: DrainLimits): Promise<void>
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/** The server must not start with these settings. */
class ServeRefused extends Error {
  readonly exit = 'usage'

  constructor(host: string) {
    super(
      `A server with a seed cannot listen on ${host}: its secrets are predictable. Use a loopback address such as 127.0.0.1, or remove the seed.`,
    )
  }
}

/**
 * Opens a platform and serves it on a socket, with its job loop. The lock file lets commands on the same folder find
 * it.
 */
export async function serve(settings: ServeSettings): Promise<ServedPlatform> {
  // The secrets of a seed are predictable, so such a server must not be reachable from other machines.
  const exposesSecrets = (seed: number | null): boolean => seed !== null && !loopback.test(settings.host)
  if (exposesSecrets(settings.seed ?? null)) throw new ServeRefused(settings.host)
  await requireValidSettings(settings)
  let isProxied = false
  const log = await openLog(settings)
  let onDrainRequested: () => void = () => {}
  const drainRequested = new Promise<void>((resolve) => {
    onDrainRequested = resolve
  })
  const hasInspector = settings.publicInspector === true || loopback.test(settings.host)
  let opening: Promise<Inspector> | undefined
  let address = ''
  let ownUrl = settings.publicUrl?.replace(/\/+$/, '')
  const inspector = (): Promise<Inspector> =>
    (opening ??= import('../inspector/local-inspector.ts').then((module) =>
      module.createLocalInspector({
        platform,
        dataDir: settings.dataDir,
        address: () => address,
        isPublic: settings.publicInspector === true,
        version,
        log: logProblem,
        folder: settings.inspectorFolder,
      }),
    ))
  const logProblem = log?.problem ?? settings.log ?? (() => {})
  const { otlp, version = '0.0.0' } = settings
  let exporter: SpanExporter | undefined
  const monitor = createMonitor(
    log,
    otlp &&
      ((countEvent) => {
        const count = (outcome: string, by: number) => countEvent('span', { outcome, by })
        exporter = createOtlpExporter({ ...otlp, version, count, log: logProblem })
        return exporter.tracer
      }),
  )
  const platform = await openPlatform({
    requestLog: true,
    privateAddresses: loopback.test(settings.host) && (() => !isProxied),
    reachable: !loopback.test(settings.host),
    ...settings,
    ownUrl: () => ownUrl,
    ...(log && { log: log.problem }),
    monitor,
    onDrainRequested,
    ...(hasInspector && { createInspectorLogin: async () => (await inspector()).createCode() }),
  })
  if (exposesSecrets(platform.seed())) {
    await platform.close()
    throw new ServeRefused(settings.host)
  }
  const published = settings.publicUrl === undefined ? undefined : publishedUnder(settings.publicUrl)
  // Others can reach a server on loopback through a proxy. Its accounts must not reach the private network then.
  const handle: typeof platform.handle = (request) => {
    if (request.remote?.isProxied && !isProxied && settings.privateAddresses === undefined) {
      isProxied = true
      if (loopback.test(settings.host))
        (log?.event ?? logProblem)(
          'A proxy passes requests to this server, so private addresses are refused from now on. To allow some, pass --allow-private <hosts>.',
        )
    }
    return platform.handle(
      published ? { ...request, ...published, headers: { ...request.headers, ...published.headers } } : request,
    )
  }
  const server = await listen({
    handle,
    host: settings.host,
    port: settings.port,
    log: logProblem,
    sharesConnections: platform.database !== null,
    localPaths: settings.publicMetrics ? [] : ['/metrics'],
    keepsProcessRunning: settings.keepsProcessRunning ?? true,
    ...(hasInspector && { inspector: async (request, response) => (await inspector()).respond(request, response) }),
  }).catch(async (error) => {
    await platform.close()
    throw error
  })
  address = new URL(server.url).host
  ownUrl ??= server.url
  // The order of the start matters. The port is open before the lock names it, and the lock is taken before jobs run: a second server of the folder must not
  // run them. The other servers of the database learn the URL last, when requests are answered there.
  // Commands of other versions read this record: ServerLock says what never changes.
  const own: ServerLock = {
    url: server.url,
    pid: settings.pid,
    started_at: new Date(realTime.now()).toISOString(),
    ...(settings.stopLimitMs !== undefined && { stop_limit_ms: settings.stopLimitMs }),
    ...(settings.vocabulary && { vocabulary: settings.vocabulary }),
    ...(hasInspector && { inspector: true }),
  }
  const release = await acquireLock(join(settings.dataDir, dataFiles.server), own, settings.isAlive).catch(
    async (error) => {
      await server.close(0)
      await platform.close()
      throw error
    },
  )
  const loop = platform.due.start()
  await platform.announce(server.url)
  log?.event(`Listening on ${server.url}`)
  let stopping: Promise<void> | undefined
  return {
    url: server.url,
    get key() {
      return platform.credentials().key
    },
    get controlToken() {
      return platform.credentials().control
    },
    isNew: platform.isNew,
    database: platform.database,
    isDistributed: platform.isDistributed,
    findSettingProblems: () => platform.findSettingProblems(),
    inspector: hasInspector ? `${server.url}/_parley/` : null,
    drainRequested,
    control: (method, url, body) =>
      platform.handle({
        method,
        url,
        headers: {
          [controlHeader]: platform.credentials().control,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: stringifyJson(body) }),
      }),
    stop: (limits) =>
      (stopping ??= (async () => {
        await opening?.then((it) => it.close()).catch(() => {})
        await drainServer({ server, loop, platform, release, log, exporter }, limits)
      })()),
  }
}

/** Returns what requests of a server with this public URL have, so that responses do not depend on its port. */
const publishedUnder = (url: string) => ({ origin: url.replace(/\/+$/, ''), headers: { host: new URL(url).host } })

/** Opens the log of a server; undefined if it only reports problems. */
async function openLog({ logFormat, log = () => {}, writeLog }: ServeSettings): Promise<LogWriter | undefined> {
  if (logFormat === undefined) return undefined
  const write = writeLog ?? (async (text: string) => log(text.trimEnd()))
  return createLogWriter({ format: logFormat, write, now: realTime.now, redact: (text) => redactText(text) })
}
