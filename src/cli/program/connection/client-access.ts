import { join } from 'node:path'
import type { Gate } from '../../../client/approvals/gate.ts'
import type { Wait } from '../../../client/create-client.ts'
import { openJournal as open } from '../../../client/journal/journal.ts'
import type { Journal } from '../../../client/journal/open-operations.ts'
import { createLog, type Log } from '../../../client/requests/log.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import { crypto } from '../../../node/crypto.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { damageTime } from '../../../node/folder-marker.ts'
import type { Command } from '../commandline/command.ts'
import type { GlobalOptions } from '../commandline/global-flags.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import type { ClientAccess, PlatformCall, SettingsAccess, WriteSettings } from '../context.ts'
import { describeTime } from '../output/time.ts'
import type { System } from '../system.ts'
import { isEnabled } from '../terminal/color.ts'
import { createWriteTracker } from '../updates/write-tracker.ts'
import { type Connection, connect } from './connect.ts'

interface ClientAccessOptions extends SettingsAccess {
  readonly system: System
  readonly globals: GlobalOptions
  readonly command: Command
  readonly writeSettings: WriteSettings
  readonly call: PlatformCall
  /** Returns the gate of the requests to a platform. */
  readonly gate: (settings: Settings, platform: string) => Gate
  /** Whether errors are one JSON document: then waits are reported with --verbose only. */
  readonly reportsJson: boolean
  /** Receives the date of every response. */
  readonly observeTime: (date: string | undefined) => void
  /** Returns the time of the platform, as far as it was observed. */
  readonly now: () => number
  readonly warn: (text: string) => Promise<void>
}

const loadKeys = () => import('../../../contract/resources/keys.ts')

/** Formats a wait: tenths of a second up to a minute, then minutes. */
const waitText = (ms: number): string =>
  ms < 60_000 ? `${Math.max(0.1, Math.round(ms / 100) / 10)} s` : formatDuration(Math.ceil(ms / 1000))

/** Warns of a database in which the last check found damage, because lists from it may be incomplete. */
async function warnOfDamage({ system, warn }: Pick<ClientAccessOptions, 'system' | 'warn'>): Promise<void> {
  const at = damageTime(dataDir(system))
  if (at !== undefined)
    await warn(
      `The database is damaged (found at ${describeTime(at)}), so results may be incomplete. To see the damage: parley server check. To replace it: parley server restore <backup>.`,
    )
}

/** Creates the access of a command to its platform. The connection is opened by the first request. */
export function createClientAccess(
  options: ClientAccessOptions,
): ClientAccess & { readonly closeConnection: (runsDueJobs: boolean) => Promise<void> } {
  const { system, globals, command, call, writeSettings } = options
  const responses = new Map<Endpoint, unknown>()
  let connected: Promise<Connection> | undefined
  let differenceMs: number | undefined
  let saysDamage = command.acceptsDamage === true || command.acceptsMissingData === true
  let isRefused = false
  const journal = (): Promise<Journal> => openJournal(system)

  const onResponse = (endpoint: Endpoint, output: unknown, headers: Readonly<Record<string, string>>): void => {
    responses.set(endpoint, output)
    const date = Date.parse(headers.date ?? '')
    if (!Number.isNaN(date)) differenceMs = date - system.now()
    options.observeTime(headers.date)
  }
  const onWait = ({ waitMs, reason }: Wait): void => {
    if (globals.quiet !== true && (!options.reportsJson || globals.verbose))
      void system.streams.stderr.write(`${reason}. Retrying in ${waitText(waitMs)}.\n`).catch(() => {})
  }
  const connectTo: ClientAccess['connectTo'] = async (settings, reportsDamage = false) => {
    if (settings.baseUrl.value === localProfile.base_url && !saysDamage) {
      saysDamage = true
      if (!reportsDamage) await warnOfDamage(options)
    }
    return connect({
      system,
      settings,
      insecure: globals.insecure === true,
      log: await createRequestLog(system, globals),
      onWait,
      onResponse,
      journal,
      gate: options.gate,
      spending: writeSettings,
      ...(writeSettings.sendsMasks && { sendsMasks: true }),
      startsEmpty: command.startsEmpty === true,
      acceptsMissingData: command.acceptsMissingData === true,
    })
  }
  const connection = (): Promise<Connection> => (connected ??= options.settings().then(connectTo))

  const platformNow = async (): Promise<number> => {
    if (responses.size === 0) {
      const { call: client } = await connection()
      const { keys } = await loadKeys()
      options.observeTime((await client.raw(keys.list, {}, { acceptsAnyStatus: true })).headers.date)
    }
    return options.now()
  }

  return {
    call,
    writeSettings,
    responses,
    writes: createWriteTracker(),
    journal,
    connectTo,
    connection,
    async supports(capability, isRequired = false) {
      const { call: client } = await connection()
      if (!client.capabilities() && (isRequired || !isRefused)) {
        const { keys } = await loadKeys()
        const { status } = await client.raw(keys.list, {}, { acceptsAnyStatus: true })
        isRefused = status === 403 && !client.capabilities()
        // A refusal or a server error says nothing about capabilities: this is retried, and fails like any other read.
        if (!client.capabilities() && (isRequired || !isRefused)) await client.raw(keys.list, {})
        if (isRefused && !client.capabilities())
          await options.warn(
            `The platform did not show its capabilities: ${keys.list.method} ${keys.list.path} returned 403. The command assumes that it has none.`,
          )
      }
      return client.capabilities()?.has(capability) === true
    },
    platformNow,
    clockDifferenceMs: () => differenceMs,
    platformTime: async (computerTime) => Date.parse(computerTime) + (await platformNow()) - system.now(),
    async pause(ms) {
      await system.sleep(ms, system.signal).catch(() => undefined)
      if (system.signal.aborted) return
      const opened = await connected?.catch(() => undefined)
      // A failed job does not end the wait: it runs again.
      await opened?.runDueJobs().catch(() => undefined)
    },
    async closeConnection(runsDueJobs) {
      const opened = await connected?.catch(() => undefined)
      // A failed job does not fail the command: the next command or a server runs it again.
      if (runsDueJobs) await opened?.runDueJobs().catch(() => {})
      await opened?.close()
    },
  }
}

async function createRequestLog({ env, streams }: System, globals: GlobalOptions): Promise<Log | undefined> {
  const debug = globals.debug || isEnabled(env.PARLEY_DEBUG)
  if (!debug && !globals.verbose) return undefined
  return createLog(debug ? 'debug' : 'verbose', (line) => void streams.stderr.write(`${line}\n`).catch(() => {}))
}

async function openJournal(system: System): Promise<Journal> {
  return open({
    file: join(dataDir(system), dataFiles.journal),
    now: system.now,
    newId: () => crypto().randomUUID(),
    owner: system,
  })
}
