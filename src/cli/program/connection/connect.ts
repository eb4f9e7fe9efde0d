// Chooses how a command reaches its platform: the server of the data folder if one runs, the platform in this process, or a
// remote deployment. Commands do not know which.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gate } from '../../../client/approvals/gate.ts'
import { type CallMore, type Client, createClient, type Wait } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { BillableOptions, Journal } from '../../../client/journal/open-operations.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import type { DeploymentFormat } from '../../../client/requests/build-request.ts'
import type { Log } from '../../../client/requests/log.ts'
import { inProcessTransport } from '../../../client/transport/in-process-transport.ts'
import { addressKey, isLoopback, localPlatform } from '../../../client/transport/platform-address.ts'
import type { Transport, TransportError } from '../../../client/transport/transport.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { createCodec, type Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import { canEnter } from '../../../node/can-enter.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson } from '../../../node/json.ts'
import { shellCommand } from '../../../node/operating-system.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile, readConfiguration } from '../configuration/profiles.ts'
import { keyCommandOrigin, type Settings } from '../configuration/settings.ts'
import { usageError } from '../errors/usage-error.ts'
import { type System, userAgentOf } from '../system.ts'
import { isSameAccount, readLocalCredentials } from './account-cache.ts'
import { databaseFromEnvironment, requireDatabaseOfServer } from './database-settings.ts'
import { readVocabulary } from './vocabulary-file.ts'

/** Adds a hint to rejections of the local platform's deleted key, because no other key can create a new one. */
function withDeletedKeyHint(call: Client): Client {
  const explain =
    (endpoint: Endpoint) =>
    (error: { readonly status?: number }): never => {
      if (error.status !== 401 || endpoint.auth === 'control') throw error
      throw Object.assign(error, {
        hint: 'The key of the data folder was deleted. Create another: parley server accounts key 1.',
      })
    }
  const wrapped = (endpoint: Endpoint, input: unknown, more?: CallMore) =>
    call(endpoint, input, more).catch(explain(endpoint))
  return Object.assign(wrapped, {
    raw: (endpoint: Endpoint, input: unknown, more?: CallMore) =>
      call.raw(endpoint, input, more).catch(explain(endpoint)),
    capabilities: call.capabilities,
    readPayload: call.readPayload,
  }) as Client
}

/** Aborts requests in flight on Ctrl-C. */
function withAbortSignal(call: Client, signal: AbortSignal): Client {
  const withSignal = (more: CallMore = {}): CallMore => ({ signal, ...more })
  const wrapped = (endpoint: Endpoint, input: unknown, more?: CallMore) => call(endpoint, input, withSignal(more))
  return Object.assign(wrapped, {
    raw: (endpoint: Endpoint, input: unknown, more?: CallMore) => call.raw(endpoint, input, withSignal(more)),
    capabilities: call.capabilities,
    readPayload: call.readPayload,
  }) as Client
}

/** A client and its connection. */
export interface Connection {
  readonly call: Client
  /** `embedded:` or the base URL. */
  readonly base: string
  /**
   * Identifies the platform in the journal: `embedded:` also for the server of this data folder, else the base URL. Entries of
   * earlier operations are found by it, so it never changes.
   */
  readonly platform: string
  /** Type of the connection. `whoami` prints it as `via`, which scripts read: words are added, not renamed. */
  readonly via: 'embedded' | 'local_server' | 'remote'
  /** Returns the API key, if there is one. */
  key(): Promise<string | undefined>
  /** Returns why the platform in this process answered 503, with the file or host of its database. */
  problem(): string | undefined
  /** Runs due jobs if this process is the platform. A server runs them itself. */
  runDueJobs(): Promise<void>
  close(): Promise<void>
}

/**
 * Lock file that a server writes to its data folder while it runs. Its shape is that of
 * platform/server/http/server-lock.ts; fields that a server of another version lacks are optional.
 */
export interface ServerLock {
  readonly url: string
  readonly pid: number
  readonly started_at: string
  /** Maximum milliseconds that the server takes to stop. */
  readonly stop_limit_ms?: number
  /** Its vocabulary, if it is not the neutral one. */
  readonly vocabulary?: 'public' | Vocabulary
  readonly inspector?: boolean
}

/**
 * Returns the server of a data folder, undefined if none is running. The lock file of a dead process is ignored.
 *
 * @throws ClientFailure exit 1 if the lock file belongs to another user, so that it is unknown whether a server is
 * running
 */
export function findServer(system: System, dir = dataDir(system)): ServerLock | undefined {
  const file = join(dir, dataFiles.server)
  try {
    const lock = parseJson(readFileSync(file, 'utf8')) as ServerLock
    return typeof lock.url === 'string' && system.isAlive(lock.pid) ? lock : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // If the folder itself is inaccessible, opening its data reports the cause.
    if ((code !== 'EACCES' && code !== 'EPERM') || !canEnter(dir)) return undefined
    throw new ClientFailure({
      exit: 'internal',
      code: 'server_unreadable',
      message: `Cannot check whether a server is running: no permission to read ${file}.`,
      hint: 'Run the command as the owner of the server and data folder, or set PARLEY_DATA_DIR to another folder.',
      cause: error,
    })
  }
}

/**
 * Returns the server if it accepts a connection, because another process may have the process id of a crashed server.
 */
export async function findReachableServer(system: System, dir = dataDir(system)): Promise<ServerLock | undefined> {
  const server = findServer(system, dir)
  if (!server) return undefined
  const transport = await system.connect(server.url, { env: {}, insecure: false })
  try {
    await transport.send({ method: 'GET', url: '/healthz', headers: {} }, { timeoutMs: 2000 })
    return server
  } catch (error) {
    return (error as TransportError).reason === 'refused' ? undefined : server
  } finally {
    await transport.close()
  }
}

/** Milliseconds for which a command runs due jobs after a write. The rest waits for the next command or a server. */
const drainBudgetMs = 2000

interface ConnectOptions {
  readonly system: System
  readonly settings: Settings
  readonly insecure: boolean
  /** Sends values that look like masks of secrets. */
  readonly sendsMasks?: boolean
  readonly log: Log | undefined
  readonly onWait: (wait: Wait) => void
  readonly onResponse?: (endpoint: Endpoint, output: unknown, headers: Readonly<Record<string, string>>) => void
  readonly journal: () => Promise<Journal>
  /** Returns the gate of the requests to a platform. */
  readonly gate: (settings: Settings, platform: string) => Gate
  readonly spending?: BillableOptions
  /** Creates a new local platform without sample data. */
  readonly startsEmpty?: boolean
  /** Opens a data folder that has lost its database or encryption key, because they are replaced. */
  readonly acceptsMissingData?: boolean
}

interface ConnectionRoute extends Partial<Pick<Connection, 'problem' | 'runDueJobs'>> {
  readonly transport: Transport
  readonly via: Connection['via']
  readonly key: () => Promise<string | undefined>
  readonly control?: string
  /** Known vocabulary, which takes precedence over the profile. */
  readonly vocabulary?: 'public' | Vocabulary
  readonly close: () => Promise<void>
}

/** Connects to the platform of the settings: the local platform, its server, or a remote deployment. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { system, settings } = options
  const route =
    settings.baseUrl.value === localProfile.base_url ? await connectLocal(options) : await connectRemote(options)
  const platform = platformAt(system, settings.baseUrl.value, route.transport.base)
  const call = createClient({
    transport: route.transport,
    platform,
    key: route.key,
    replacedKey: (refused) => findReplacedKey(options, refused),
    ...(route.control !== undefined && { controlToken: route.control }),
    ...(await wireDialect(settings, route.vocabulary)),
    retries: settings.retries.value,
    timeoutMs: settings.timeoutMs.value,
    userAgent: userAgentOf(system),
    profile: settings.profileName.value,
    ...(route.via === 'remote' && { vocabulary: settings.profile.vocabulary ?? 'neutral' }),
    refusedMasks: options.sendsMasks ? 'own' : 'all',
    ...(options.log && { log: options.log }),
    onWait: options.onWait,
    ...(options.onResponse && { onResponse: options.onResponse }),
    journal: options.journal,
    gate: options.gate(settings, platform),
    billable: { ...options.spending, sameAccount: (a, b) => isSameAccount(system, settings.baseUrl.value, a, b) },
    sleep: system.sleep,
    random: system.random,
    now: system.now,
  })
  return {
    call: withAbortSignal(
      route.via !== 'remote' && settings.key.value === undefined ? withDeletedKeyHint(call) : call,
      system.signal,
    ),
    base: route.transport.base,
    platform,
    get via() {
      return route.via
    },
    key: route.key,
    problem: route.problem ?? (() => undefined),
    runDueJobs: route.runDueJobs ?? (async () => {}),
    close: route.close,
  }
}

/**
 * Returns the platform of an address, `embedded:` or its base URL. The server of this data folder may also be used with its
 * URL.
 */
export function platformAt(system: System, baseUrl: string, base: string): string {
  if (baseUrl === localPlatform) return localPlatform
  const server = isLoopback(base) ? findServer(system) : undefined
  return server && addressKey(server.url) === addressKey(base) ? localPlatform : base
}

function connectLocal(options: ConnectOptions): Promise<ConnectionRoute> {
  const server = findServer(options.system)
  return server ? connectToServer(options, server) : connectEmbedded(options)
}

async function connectToServer(options: ConnectOptions, server: ServerLock): Promise<ConnectionRoute> {
  const { system, settings } = options
  await requireDatabaseOfServer(system)
  const credentials = readLocalCredentials(dataDir(system))
  const direct = await system.connect(server.url, { env: {}, insecure: false })
  let openingFallback: Promise<ConnectionRoute> | undefined
  let fallback: ConnectionRoute | undefined
  return {
    transport: {
      base: direct.base,
      async send(request, more) {
        try {
          if (!fallback) return await direct.send(request, more)
        } catch (error) {
          if ((error as TransportError).reason !== 'refused') throw error
          // The server is stopping, or it crashed and another process has its process id. Nothing was sent yet. The
          // fallback uses the vocabulary of the client.
          fallback = await (openingFallback ??= connectEmbedded(options, server.vocabulary))
        }
        return fallback.transport.send(request, more)
      },
      close: () => direct.close(),
    },
    get via() {
      return fallback?.via ?? 'local_server'
    },
    key: async () => settings.key.value ?? credentials?.key ?? undefined,
    ...(credentials && { control: credentials.control }),
    ...(server.vocabulary && { vocabulary: server.vocabulary }),
    problem: () => fallback?.problem?.(),
    runDueJobs: async () => fallback?.runDueJobs?.(),
    async close() {
      await direct.close()
      await fallback?.close()
    },
  }
}

async function connectEmbedded(
  { system, settings, log, startsEmpty = false, acceptsMissingData = false }: ConnectOptions,
  vocabulary?: 'public' | Vocabulary,
): Promise<ConnectionRoute> {
  let problem: string | undefined
  const platform = await system.openPlatform({
    dataDir: dataDir(system),
    ...databaseFromEnvironment(system.env),
    empty: startsEmpty,
    acceptsMissingData,
    ...(vocabulary && { vocabulary }),
    log(text, fields) {
      problem = fields?.reason ?? problem
      log?.note(text)
    },
  })
  return {
    transport: inProcessTransport(platform.handle),
    via: 'embedded',
    // Read for each request, because seeding creates a new key.
    key: async () => settings.key.value ?? platform.credentials().key ?? throwEmptyPlatform(),
    control: platform.credentials().control,
    problem: () => problem,
    runDueJobs: () => platform.drain(drainBudgetMs),
    close: () => platform.close(),
  }
}

function throwEmptyPlatform(): never {
  throw new ClientFailure({
    exit: 'auth',
    code: 'no_key',
    message: 'The local platform is empty. It has no account and no API key.',
    hint: 'Load sample data: parley server seed.',
  })
}

async function connectRemote({ system, settings, insecure }: ConnectOptions): Promise<ConnectionRoute> {
  const transport = await system.connect(settings.baseUrl.value, { env: system.env, insecure })
  const { value, command } = settings.key
  return {
    transport,
    via: 'remote',
    key: async () => value ?? (command === undefined ? undefined : keyFromCommand(system, command)),
    close: () => transport.close(),
    ...(system.env.PARLEY_CONTROL_TOKEN && { control: system.env.PARLEY_CONTROL_TOKEN }),
  }
}

/**
 * Returns the key that the profile has now, after the platform has refused the one that it had: `keys rotate` may have replaced it
 * in the meantime. Undefined for a key from elsewhere, and unless both are known to belong to the same account.
 */
async function findReplacedKey({ system, settings }: ConnectOptions, refused: string): Promise<string | undefined> {
  const { key, profileFrom, profileUsed, baseUrl } = settings
  if (key.from !== profileFrom && key.from !== keyCommandOrigin(profileUsed)) return undefined
  try {
    const { api_key, api_key_command: command } = readConfiguration(system).profiles[profileUsed] ?? {}
    const current = api_key ?? (command === undefined ? undefined : await keyFromCommand(system, command))
    if (current === undefined || current === refused) return undefined
    return isSameAccount(system, baseUrl.value, keyPrefix(refused), keyPrefix(current)) ? current : undefined
  } catch {
    // The refusal says more.
    return undefined
  }
}

/** Returns the key that the command of a profile prints. @throws ClientFailure `usage` if it prints none */
export async function keyFromCommand(system: System, command: string): Promise<string> {
  const { exitCode, stdout, stderr } = await system.run(...shellCommand(system.os, command), { interactive: false })
  const key = stdout.trim()
  if (exitCode !== 0 || key === '')
    throw usageError(
      `The api_key_command of the profile printed no key (exit code ${exitCode}).`,
      stderr.trim() || `Run the command yourself: ${command}`,
    )
  return key
}

/** Returns the vocabulary and routes of a deployment. `known` takes precedence over the profile. */
export async function wireDialect({ profile }: Settings, known?: 'public' | Vocabulary): Promise<DeploymentFormat> {
  const routes = profile.routes ? { routes: profile.routes } : {}
  const named = known ?? profile.vocabulary
  if (!named) return routes
  const vocabulary = typeof named === 'string' ? await readVocabulary(named) : named
  return { ...routes, codec: createCodec(vocabulary) }
}
