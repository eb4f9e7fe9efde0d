// Puts the platform together: the data, what works on them in this process, and the API. They close in the
// opposite order.

import { existsSync } from 'node:fs'
import type { PrivateAccess } from '../engine/ports.ts'
import { routes } from '../generated/routes.ts'
import { FolderIncomplete, markerName, markPlatform } from '../node/folder-marker.ts'
import { realTime } from '../node/real-time.ts'
import { readCredentials } from './control/data-folder/credentials.ts'
import type { DatabaseSettings } from './control/data-folder/database-settings.ts'
import { openFolder } from './control/data-folder/open-folder.ts'
import { awaitRestore, finishRestore, pendingRestoreFile } from './control/data-folder/pending-restore.ts'
import { otherProcesses, registerProcess } from './control/data-folder/process-registry.ts'
import { openRequestLog, withRequestLog } from './control/data-folder/request-log.ts'
import { createRequestIdGenerator, createSecretGenerator } from './control/data-folder/secret-generator.ts'
import { controlResources } from './control/handlers/control-resources.ts'
import { metricsPage, probePages, type ServerState } from './control/handlers/pages.ts'
import {
  type ControlDeps,
  inventorySeed,
  preparePlatform,
  readPlatformSeed,
} from './control/sample-data/fill-platform.ts'
import { BackgroundQueue } from './jobs/background-queue.ts'
import { createClock, parseMicros } from './jobs/clock.ts'
import { createJobLoop } from './jobs/job-loop.ts'
import { createLeaseOwner, createOwnerCheck, OwnLeases } from './jobs/leases.ts'
import { joinServers, type ServerNode } from './jobs/server-nodes.ts'
import type { Platform, PlatformSettings } from './platform-settings.ts'
import { requireValidModel } from './providers/language-model/lazy-model.ts'
import type { FaultInjector } from './providers/local/fault-injection.ts'
import { localProviders } from './providers/local/local-providers.ts'
import { requireReader } from './providers/website-reader/website-reader.ts'
import { createApp, withHeadRequests } from './server/app.ts'
import { resourceLoaders } from './server/handlers/resource-loaders.ts'
import { withAutomationWebhooks } from './server/http/with-automation-webhooks.ts'
import { createExclusiveSection } from './server/middleware/exclusive-section.ts'
import { payloadTranslator, resolveVocabulary, withVocabulary } from './server/middleware/vocabulary-codec.ts'
import { createReplyStreams } from './services/conversations/reply-streams.ts'
import { createAccountIds } from './services/runtime/account-ids.ts'
import { createAttemptLimiter } from './services/runtime/attempt-limiter.ts'
import type { Deps } from './services/runtime/deps.ts'
import { throwProviderFault } from './services/runtime/fault-service.ts'
import { createVault } from './services/runtime/vault.ts'

/** Returns an object that always has the properties of the current value. */
function liveView<T extends object>(current: () => T): T {
  const names = Object.keys(current()) as (keyof T & string)[]
  return Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => current()[name] }])),
  ) as T
}

/** Opens the platform of a data folder: data, runtime, API. Closing ends them in the opposite order. @throws StoreError */
export async function openPlatform(settings: PlatformSettings): Promise<Platform> {
  requireReader(settings.reader)
  const data = await openData(settings)
  const runtime = createRuntime(settings, data)
  const { connection, credentials } = data
  // Open connections would keep the process running.
  const isNew = await runtime.start().catch(async (error: unknown) => {
    await runtime.close()
    await connection.close()
    data.leave()
    throw error
  })
  const { state, due } = runtime
  const api = createApi(settings, runtime)
  return {
    handle: api.handle,
    inspection: api.inspection,
    async announce(url) {
      state.url = url
      await runtime.announce()
    },
    async startDraining() {
      state.isDraining = true
      await runtime.announce()
    },
    leaveServers: runtime.leaveServers,
    credentials: () => credentials.current,
    seed: runtime.seed,
    isNew,
    database: connection.dialect === 'postgres' ? connection.location : null,
    isDistributed: connection.isSharded?.() === true,
    findSettingProblems: async () => (await connection.findSettingProblems?.()) ?? [],
    due,
    drain: async (budgetMs) => void (await due.drain(budgetMs)),
    async close() {
      await api.settle()
      await runtime.close()
      api.close()
      await runtime.leaveServers().catch((error: Error) => logOf(settings)(error.message))
      await connection.close()
      data.leave()
    },
  }
}

const logOf = ({ log }: PlatformSettings): Deps['log'] => log ?? (() => {})

/** Opens the data of the folder, and registers this process as a user of it. */
async function openData(settings: PlatformSettings) {
  const { dataDir, database, pid, isAlive } = settings
  const random = createSecretGenerator(null)
  const opened = await openFolder({
    ...settings,
    database: typeof database === 'string' ? givenDatabase(database) : database,
    createSecrets: () => ({ secret: random('', 40), key: null, control: random('', 40) }),
    mayMove: !settings.inProcess,
    log: logOf(settings),
  })
  const leases = new OwnLeases()
  const connection = leases.watch(opened.connection)
  // Servers of one database must agree on the time.
  const wall = settings.wall ?? connection.wall ?? realTime.now
  const storedSeed = await readPlatformSeed({ connection }).catch(async (error: unknown) => {
    await connection.close()
    throw error
  })
  return {
    ...opened,
    connection,
    leases,
    wall,
    leave: registerProcess(dataDir, pid, isAlive),
    clock: createClock(connection, wall),
    credentials: { current: opened.credentials },
    /** The seed of the data; undefined while there is none. */
    storedSeed,
  }
}

/** A part of a process that is created on first use. */
function onDemand<T>(create: () => Promise<T>) {
  let created: Promise<T> | undefined
  return {
    get: (): Promise<T> => (created ??= create()),
    /** Returns the part if it is in use. */
    used: (): Promise<T> | undefined => created,
    /** The next use creates the part again. */
    reset(): void {
      created = undefined
    },
  }
}

/** Creates what works in this process on the data: dependencies of the services, workers on demand, and the job loop. */
function createRuntime(
  settings: PlatformSettings,
  { connection, clock, leases, wall, credentials, encryptionKey, shareSecrets, storedSeed }: OpenData,
) {
  const { dataDir, monitor, pid, isAlive } = settings
  const log = logOf(settings)
  const isDurable = settings.durable !== false
  const startTime = settings.frozenAt === undefined ? undefined : parseMicros(settings.frozenAt)
  const vocabulary = resolveVocabulary(settings.vocabulary)
  const owner = createLeaseOwner(pid)
  const isOwnerAlive = createOwnerCheck(pid, isAlive)
  const exclusiveSection = createExclusiveSection()
  const state: ServerState = {
    startedAt: wall(),
    isDraining: false,
    url: null,
    processUsage: settings.processUsage,
    createInspectorLogin: settings.createInspectorLogin,
  }
  /** What follows from the seed, which may change while the platform runs. */
  const derive = (seed: number | null) => ({
    seed,
    secret: createSecretGenerator(seed),
    providers: localProviders({
      connection,
      seed: inventorySeed(seed),
      folder: dataDir,
      gate: faultGate(settings, { connection, clock }),
      language: { ...languageOf(settings), log },
      isOffline: settings.isOffline,
      ...(settings.reader === 'http' && { http: () => websiteClient(deps.privateAddresses) }),
    }),
  })
  let derived = derive(storedSeed ?? settings.seed ?? null)
  let vault = createVault(encryptionKey)
  let accountIds = createAccountIds(encryptionKey)
  let isFilled = storedSeed !== undefined
  let node: ServerNode | undefined
  let leaving: Promise<void> | undefined

  const runner = onDemand(async () => (await import('./services/automations/runs/create-runner.ts')).createRunner(deps))
  const deliverer = onDemand(async () =>
    (await import('./services/deliveries/deliverer.ts')).createDeliverer(deps, payloadTranslator(vocabulary)),
  )
  const sandbox = onDemand(async () => (await import('../engine/sandbox/create-sandbox.ts')).createSandbox())
  const backgroundQueue = onDemand(async () => new BackgroundQueue(deps))
  const attempts = onDemand(async () => createAttemptLimiter(wall))

  const markAsUsed = (isReplaced: boolean): void => {
    if (settings.isTemporary || connection.dialect !== 'sqlite') return
    try {
      markPlatform(dataDir, undefined, { isReplaced, isDurable })
    } catch (error) {
      if (error instanceof FolderIncomplete) throw error
      // Without space on the disk the platform can still be read.
      log(`Could not write ${markerName}: ${(error as Error).message}`)
    }
  }

  const deps: ControlDeps = {
    connection,
    clock,
    providers: liveView(() => derived.providers),
    secret: (label, length) => derived.secret(label, length),
    accountIds: liveView(() => accountIds),
    isSeeded: () => derived.seed !== null,
    runner: runner.get,
    events: deliverer.get,
    sandbox: sandbox.get,
    backgroundQueue: backgroundQueue.get,
    attempts: attempts.get,
    endConversation: async (query, conversation, now) =>
      (await import('./services/conversations/conversation-events.ts')).endConversation(
        query,
        conversation,
        now,
        derived.providers.language.canExtract?.(),
      ),
    privateAddresses: settings.privateAddresses ?? settings.inProcess,
    isOffline: settings.isOffline,
    automationPorts: settings.automationPorts,
    ownUrl: settings.ownUrl,
    chatLimits: settings.chatLimits,
    vault: liveView(() => vault),
    replyStreams: createReplyStreams(),
    ...(settings.inProcess && { localSecret: () => credentials.current }),
    log,
    ...(monitor && { countEvent: monitor.countEvent, measure: monitor.measure }),
    owner,
    leases,
    isOwnerAlive,
    wall,
    dataDir,
    isDurable,
    pid,
    isReachable: settings.reachable === true,
    otherProcesses: () => otherProcesses(dataDir, pid, isAlive),
    credentials,
    ...(shareSecrets && { shareSecrets }),
    ...(startTime !== undefined && { startTime }),
    ...(settings.faults && { startFaults: settings.faults }),
    onReseeded(next) {
      markAsUsed(isFilled || settings.acceptsMissingData === true)
      isFilled = true
      attempts.reset()
      derived = derive(next)
    },
    onRestored(next) {
      deps.onReseeded(next)
      vault = createVault(encryptionKey)
      accountIds = createAccountIds(encryptionKey)
    },
    runExclusively: (body) =>
      exclusiveSection.runExclusively(() =>
        due.runExclusively(async () => {
          await (await runner.used())?.close(0)
          await (await deliverer.used())?.close()
          await (await backgroundQueue.used())?.close()
          for (const worker of [runner, deliverer, backgroundQueue]) worker.reset()
          return body()
        }),
      ),
  }
  const due = createJobLoop({
    connection,
    clock,
    owner,
    wall,
    log,
    countEvent: monitor?.countEvent,
    isAlive: isOwnerAlive,
    mayTakeOver: () => node?.mayTakeOver() ?? true,
    leases,
    handlers: async (own) =>
      (await import('./services/runtime/job-handlers.ts')).createJobHandlers({ ...deps, connection: own }),
    async settle(budgetMs) {
      const end = wall() + budgetMs
      await (await runner.used())?.settle(budgetMs)
      await (await backgroundQueue.used())?.settle(end - wall())
      await (await deliverer.used())?.settle(end - wall())
    },
  })
  return {
    deps,
    due,
    state,
    vocabulary,
    exclusiveSection,
    seed: () => derived.seed,

    /**
     * Makes the platform ready: finishes a restore, sets the clock, fills a new platform and joins the other servers.
     * Returns whether the platform was new.
     */
    async start(): Promise<boolean> {
      if (existsSync(pendingRestoreFile(dataDir))) {
        await awaitRestore(deps, pid, isAlive)
        await finishRestore(deps)
      }
      // A process may have been killed while it advanced the clock.
      await clock.release()
      if (startTime !== undefined) await clock.freeze(startTime)
      const isNew = await preparePlatform(deps, settings)
      if (isFilled) markAsUsed(false)
      if (connection.dialect === 'postgres' && !settings.inProcess)
        node = await joinServers({
          ...deps,
          version: versionOf(settings),
          state,
          onDrainRequested: settings.onDrainRequested,
        })
      return isNew
    },
    announce: async (): Promise<void> => node?.announce(),
    leaveServers: (): Promise<void> => (leaving ??= node?.leave() ?? Promise.resolve()),
    async close(): Promise<void> {
      await (await runner.used())?.close()
      await (await backgroundQueue.used())?.close()
      await (await sandbox.used())?.close()
      await (await deliverer.used())?.close()
    },
  }
}

type OpenData = Awaited<ReturnType<typeof openData>>

/**
 * Creates the API of a platform: its handler with what surrounds it, and what the inspector uses. A request is measured
 * and logged as its client sent it, waits while a restore runs, and is translated and handled after that. Requests of the
 * inspector are not measured.
 */
function createApi(
  settings: PlatformSettings,
  { deps, due, state, vocabulary, exclusiveSection, seed }: ReturnType<typeof createRuntime>,
) {
  const { dataDir, monitor, limit, onDrainRequested } = settings
  const { connection, clock, credentials, wall, log } = deps
  const version = versionOf(settings)
  const app = createApp({
    deps,
    routes,
    resources: { ...resourceLoaders, ...controlResources({ ...deps, version, due, state, onDrainRequested }) },
    pages: {
      ...probePages(deps, version, vocabulary, state),
      ...(monitor && { '/metrics': async () => metricsPage({ ...deps, version, state, monitor }) }),
    },
    controlToken: () => credentials.current.control,
    controlPublic: settings.controlPublic === true,
    isObserved: settings.gate !== undefined,
    ...(limit && { limit }),
    log,
    requestId: createRequestIdGenerator(seed),
  })
  const handle = withHeadRequests(vocabulary ? withVocabulary(app.handle, vocabulary, routes) : app.handle)
  const requestLog = settings.requestLog
    ? openRequestLog({ dataDir, wall, platformTime: () => clock.recent(), log })
    : undefined
  const answer = exclusiveSection.through(withAutomationWebhooks(handle, deps, limit))
  const logged = requestLog ? withRequestLog(answer, requestLog) : answer
  return {
    handle: monitor ? monitor.observe(logged) : logged,
    inspection: {
      send: logged,
      find: app.find,
      changes: async () =>
        (await import('./control/inspection/change-feed.ts')).createChangeFeed({ connection, dataDir, requestLog }),
      now: async () => (await clock.now()) / 1000,
    },
    settle: app.settle,
    close: (): void => requestLog?.close(),
  }
}

const versionOf = ({ version = '0.0.0' }: PlatformSettings): string => version

/** Returns what runs before and after each step of a provider: the gate of the settings, and the fault rules. */
const faultGate =
  ({ gate }: PlatformSettings, deps: Pick<Deps, 'connection' | 'clock'>): FaultInjector =>
  async (step) => {
    await gate?.(step)
    if (!step.endsWith(':before') || !(await deps.clock.status()).faults) return
    await throwProviderFault(deps, step.slice(0, step.indexOf(':')))
  }

/** Returns the HTTP client of the reader of websites. */
async function websiteClient(privateAddresses: PrivateAccess = false) {
  const { createHttpClient, defaultPolicy } = await import('../engine/http/http-client.ts')
  return createHttpClient({ ...defaultPolicy, allowPrivate: privateAddresses, maxBytes: 4 * 1024 * 1024 })
}

const languageOf = ({ language: given = {}, dataDir }: Pick<PlatformSettings, 'language' | 'dataDir'>) => ({
  given,
  dataDir,
  keys: () => readCredentials(dataDir)?.model_key,
})

/** Settings of a database that must be the one of the folder. */
const givenDatabase = (url: string): DatabaseSettings => ({
  urls: [{ url, source: 'the option "database"', use: 'given' }],
})

/** Checks settings before anything is opened. @throws ModelConfigurationError, InvalidReaderError */
export async function requireValidSettings(
  settings: Pick<PlatformSettings, 'language' | 'dataDir' | 'reader'>,
): Promise<void> {
  requireReader(settings.reader)
  await requireValidModel(languageOf(settings))
}
