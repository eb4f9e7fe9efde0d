import { existsSync } from 'node:fs'
import type { Sandbox } from '../engine/expressions/sandbox.ts'
import { routes } from '../generated/routes.ts'
import { FolderIncomplete, markerName, markPlatform } from '../node/folder-marker.ts'
import { realTime } from '../node/real-time.ts'
import { readCredentials } from './control/data-folder/credentials.ts'
import type { DatabaseSettings } from './control/data-folder/database-settings.ts'
import { withRequestLog } from './control/data-folder/log-requests.ts'
import { openFolder } from './control/data-folder/open-folder.ts'
import { awaitRestore, finishRestore } from './control/data-folder/pending-restore.ts'
import { pendingRestoreFile } from './control/data-folder/pending-restore-file.ts'
import { otherProcesses, registerProcess } from './control/data-folder/process-registry.ts'
import { openRequestLog } from './control/data-folder/request-log.ts'
import { createRequestIdGenerator, createSecretGenerator } from './control/data-folder/secret-generator.ts'
import { controlResources } from './control/handlers/control-resources.ts'
import { metricsPage } from './control/handlers/metrics-page.ts'
import { probePages } from './control/handlers/probes.ts'
import type { ServerState } from './control/handlers/server-state.ts'
import type { createChangeFeed } from './control/inspection/change-feed.ts'
import { type ControlDeps, inventorySeed, readPlatformSeed } from './control/seed/fill-platform.ts'
import { preparePlatform } from './control/seed/prepare-platform.ts'
import type { BackgroundQueue } from './jobs/background-queue.ts'
import { createClock, parseMicros } from './jobs/clock.ts'
import { createJobLoop } from './jobs/job-loop.ts'
import { createLeaseOwner, createOwnerCheck } from './jobs/lease-owner.ts'
import { OwnLeases } from './jobs/own-leases.ts'
import { joinServers } from './jobs/server-nodes.ts'
import type { Platform, PlatformSettings } from './platform-settings.ts'
import { hasModelSettings } from './providers/language-model/lazy-model.ts'
import type { FaultInjector } from './providers/local/fault-injection.ts'
import { localProviders } from './providers/local/local-providers.ts'
import { checkReader } from './providers/website-reader/website-reader.ts'
import type { Runner } from './runs/runner.ts'
import { createApp } from './server/app.ts'
import { resourceLoaders } from './server/handlers/resource-loaders.ts'
import { withAutomationWebhooks } from './server/http/with-automation-webhooks.ts'
import { payloadTranslator, resolveVocabulary } from './server/middleware/api-vocabulary.ts'
import { createExclusiveSection } from './server/middleware/exclusive-section.ts'
import { withHeadRequests } from './server/middleware/head-requests.ts'
import { withVocabulary } from './server/middleware/vocabulary-codec.ts'
import { createReplyStreams } from './services/conversations/reply-streams.ts'
import type { Deliverer } from './services/deliveries/deliverer.ts'
import type { AttemptLimiter } from './services/runtime/attempt-limiter.ts'
import { liveView } from './services/runtime/live-view.ts'
import { createVault } from './services/runtime/vault.ts'

/** Opens the platform of a data folder: store, providers, events, services, server. @throws StoreError */
export async function openPlatform(settings: PlatformSettings): Promise<Platform> {
  const { dataDir, log = () => {}, version = '0.0.0', monitor, processUsage, createInspectorLogin } = settings
  checkReader(settings.reader)
  const random = createSecretGenerator(null)
  const {
    connection: unwatched,
    encryptionKey,
    shareSecrets,
    ...opened
  } = await openFolder({
    ...settings,
    database: typeof settings.database === 'string' ? givenDatabase(settings.database) : settings.database,
    createSecrets: () => ({ secret: random('', 40), key: null, control: random('', 40) }),
    mayMove: !settings.inProcess,
    log,
  })
  const leases = new OwnLeases()
  const connection = leases.watch(unwatched)
  // Servers of one database must agree on the time.
  const wall = settings.wall ?? connection.wall ?? realTime.now
  const leave = registerProcess(dataDir, settings.pid, settings.isAlive)
  const clock = createClock(connection, wall)
  const owner = createLeaseOwner(settings.pid)
  const isOwnerAlive = createOwnerCheck(settings.pid, settings.isAlive)
  const credentials = { current: opened.credentials }
  const storedSeed = await readPlatformSeed({ connection })
  let isFilled = storedSeed !== undefined
  let seed = storedSeed ?? settings.seed ?? null
  const markAsUsed = (isReplaced: boolean): void => {
    if (settings.isTemporary || connection.dialect !== 'sqlite') return
    try {
      markPlatform(dataDir, undefined, { isReplaced, isDurable: deps.isDurable })
    } catch (error) {
      if (error instanceof FolderIncomplete) throw error
      // Without space on the disk the platform can still be read.
      log(`Could not write ${markerName}: ${(error as Error).message}`)
    }
  }
  const gate: FaultInjector = async (step) => {
    await settings.gate?.(step)
    if (!step.endsWith(':before') || !(await clock.status()).faults) return
    await (await import('./services/runtime/provider-faults.ts')).throwProviderFault(
      { connection, clock },
      step.slice(0, step.indexOf(':')),
    )
  }
  const language = { ...languageOf(settings), log }
  const providersFor = (seed: number | null) =>
    localProviders({
      connection,
      seed: inventorySeed(seed),
      folder: dataDir,
      gate,
      language,
      ...(settings.reader === 'http' && { http }),
    })
  const http = async () => {
    const { createHttpClient, defaultPolicy } = await import('../engine/http/http-client.ts')
    return createHttpClient({
      ...defaultPolicy,
      allowPrivate: deps.privateAddresses ?? false,
      maxBytes: 4 * 1024 * 1024,
    })
  }
  let providers = providersFor(seed)
  let secret = createSecretGenerator(seed)
  let runner: Promise<Runner> | undefined
  let deliverer: Promise<Deliverer> | undefined
  let backgroundQueue: Promise<BackgroundQueue> | undefined
  let sandbox: Promise<Sandbox> | undefined
  let attempts: Promise<AttemptLimiter> | undefined
  let vault = createVault(encryptionKey)
  const exclusiveSection = createExclusiveSection()
  const state: ServerState = { startedAt: wall(), isDraining: false, url: null, processUsage, createInspectorLogin }
  const vocabulary = await resolveVocabulary(settings.vocabulary)
  const deps: ControlDeps = {
    connection,
    clock,
    // The seed may change while the platform runs, and everything derived from it follows.
    providers: liveView(() => providers),
    secret: (label, length) => secret(label, length),
    isSeeded: () => seed !== null,
    runner: () =>
      (runner ??= import('./services/automations/runs/create-runner.ts').then((it) => it.createRunner(deps))),
    endConversation: async (query, it, now) =>
      (await import('./services/conversations/conversation-events.ts')).endConversation(
        query,
        it,
        now,
        providers.language.canExtract?.(),
      ),
    sandbox: () => (sandbox ??= import('../engine/sandbox/create-sandbox.ts').then((it) => it.createSandbox())),
    events: () =>
      (deliverer ??= import('./services/deliveries/deliverer.ts').then(async (it) =>
        it.createDeliverer(deps, await payloadTranslator(vocabulary)),
      )),
    backgroundQueue: () =>
      (backgroundQueue ??= import('./jobs/background-queue.ts').then((it) => new it.BackgroundQueue(deps))),
    privateAddresses: settings.privateAddresses ?? settings.inProcess,
    automationPorts: settings.automationPorts,
    ownUrl: settings.ownUrl,
    chatLimits: settings.chatLimits,
    attempts: () =>
      (attempts ??= import('./services/runtime/attempt-limiter.ts').then((it) => it.createAttemptLimiter(wall))),
    vault: liveView(() => vault),
    replyStreams: createReplyStreams(),
    ...(settings.inProcess && { localSecret: () => credentials.current }),
    log,
    ...(monitor && { countEvent: monitor.countEvent }),
    owner,
    leases,
    isOwnerAlive,
    wall,
    dataDir,
    isDurable: settings.durable !== false,
    pid: settings.pid,
    isReachable: settings.reachable === true,
    otherProcesses: () => otherProcesses(dataDir, settings.pid, settings.isAlive),
    credentials,
    ...(shareSecrets && { shareSecrets }),
    ...(settings.frozenAt !== undefined && { startTime: parseMicros(settings.frozenAt) }),
    ...(settings.faults && { startFaults: settings.faults }),
    onReseeded(next) {
      markAsUsed(isFilled || settings.acceptsMissingData === true)
      isFilled = true
      seed = next
      attempts = undefined
      providers = providersFor(next)
      secret = createSecretGenerator(next)
    },
    onRestored(next) {
      deps.onReseeded(next)
      vault = createVault(encryptionKey)
    },
    runExclusively: (body) =>
      exclusiveSection.runExclusively(() =>
        due.runExclusively(async () => {
          await (await runner)?.close(0)
          await (await deliverer)?.close()
          await (await backgroundQueue)?.close()
          runner = undefined
          deliverer = undefined
          backgroundQueue = undefined
          return body()
        }),
      ),
  }
  if (existsSync(pendingRestoreFile(dataDir))) {
    await awaitRestore(deps, settings.pid, settings.isAlive)
    await finishRestore(deps)
  }
  // A process may have been killed while it advanced the clock.
  await clock.release()
  if (settings.frozenAt !== undefined) await clock.freeze(parseMicros(settings.frozenAt))
  const isNew = await preparePlatform(deps, settings)
  if (isFilled) markAsUsed(false)
  const node = await joinOtherServers(deps, settings, state)

  const due = createJobLoop({
    connection,
    clock,
    owner,
    wall,
    log,
    countEvent: monitor?.countEvent,
    isAlive: isOwnerAlive,
    mayTakeOver: node?.mayTakeOver,
    leases,
    handlers: async (own) =>
      (await import('./services/runtime/job-handlers.ts')).createJobHandlers({ ...deps, connection: own }),
    async settle(budgetMs) {
      const end = wall() + budgetMs
      await (await runner)?.settle(budgetMs)
      await (await backgroundQueue)?.settle(end - wall())
      await (await deliverer)?.settle(end - wall())
    },
  })
  const app = createApp({
    deps,
    routes,
    resources: {
      ...resourceLoaders,
      ...controlResources({
        ...deps,
        get credentials() {
          return credentials
        },
        version,
        due,
        state,
        onDrainRequested: settings.onDrainRequested,
      }),
    },
    pages: {
      ...probePages(deps, version, vocabulary, state),
      ...(monitor && {
        '/metrics': async () => metricsPage({ ...deps, version, state, monitor }),
      }),
    },
    controlToken: () => credentials.current.control,
    controlPublic: settings.controlPublic === true,
    isObserved: settings.gate !== undefined,
    ...(settings.limit && { limit: settings.limit }),
    log,
    requestId: createRequestIdGenerator(() => seed),
  })
  const handle = withHeadRequests(vocabulary ? withVocabulary(app.handle, vocabulary, routes) : app.handle)
  const requestLog = settings.requestLog
    ? openRequestLog({ dataDir, wall, platformTime: () => clock.recent(), log })
    : undefined
  const answer = exclusiveSection.through(withAutomationWebhooks(handle, deps, settings.limit))
  const logged = requestLog ? withRequestLog(answer, requestLog) : answer
  let leaving: Promise<void> | undefined
  const leaveServers = (): Promise<void> => (leaving ??= node?.leave() ?? Promise.resolve())
  return {
    handle: monitor ? monitor.observe(logged) : logged,
    inspection: {
      send: logged,
      find: app.find,
      changes: () => changeFeed({ connection, dataDir, requestLog }),
      now: async () => (await clock.now()) / 1000,
    },
    async announce(url) {
      state.url = url
      await node?.announce()
    },
    async startDraining() {
      state.isDraining = true
      await node?.announce()
    },
    leaveServers,
    credentials: () => credentials.current,
    seed: () => seed,
    isNew,
    database: connection.dialect === 'postgres' ? connection.location : null,
    due,
    drain: async (budgetMs) => void (await due.drain(budgetMs)),
    async close() {
      await app.settle()
      await (await runner)?.close()
      await (await backgroundQueue)?.close()
      await (await sandbox)?.close()
      await (await deliverer)?.close()
      requestLog?.close()
      await leaveServers().catch((error: Error) => log(error.message))
      await connection.close()
      leave()
    },
  }
}

const changeFeed = async (deps: Parameters<typeof createChangeFeed>[0]) =>
  (await import('./control/inspection/change-feed.ts')).createChangeFeed(deps)

async function joinOtherServers(
  deps: ControlDeps,
  { inProcess, version = '0.0.0', onDrainRequested }: PlatformSettings,
  state: ServerState,
) {
  if (deps.connection.dialect !== 'postgres' || inProcess) return undefined
  return joinServers({ ...deps, version, state, onDrainRequested })
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
export async function checkSettings(
  settings: Pick<PlatformSettings, 'language' | 'dataDir' | 'reader'>,
): Promise<void> {
  checkReader(settings.reader)
  const language = languageOf(settings)
  if (!hasModelSettings(language)) return
  await (await import('./providers/language-model/configured-model.ts')).checkModelSettings(language)
}
