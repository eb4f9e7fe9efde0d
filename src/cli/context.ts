import { join } from 'node:path'
import type { Call, CallMore, Reply, Wait } from '../client/create-client.ts'
import type { Journal } from '../client/journal/journal.ts'
import type { BillableOptions } from '../client/journal/open-operations.ts'
import type { Log } from '../client/requests/log.ts'
import { detailsFull, detailsHeader } from '../contract/automations/automation-headers.ts'
import type { Capability } from '../contract/mechanics/capabilities.ts'
import type { Endpoint } from '../contract/mechanics/endpoint.ts'
import { parseIgnoredFields } from '../contract/mechanics/ignored-header.ts'
import { crypto } from '../node/crypto.ts'
import type { System } from '../system.ts'
import { type Command, riskOf } from './commandline/command.ts'
import type { GlobalOptions } from './commandline/global-flags.ts'
import { dataDir } from './configuration/app-folders.ts'
import {
  findProjectFile,
  outputOverride,
  resolveSettings,
  type Settings,
  unknownProfileCode,
} from './configuration/settings.ts'
import { type Connection, connect } from './connection/connect.ts'
import { usageError } from './errors/usage-error.ts'
import type { IdGuesses } from './input/resolve-target.ts'
import { isFieldHelp, parseFields } from './output/fields.ts'
import { type Form, forms, isMachine, type OutputSettings } from './output/form.ts'
import { createNotes, type Notes } from './output/notes.ts'
import { createOutput, type Output } from './output/output.ts'
import type { PromptAnswer } from './prompts/equivalent-command.ts'
import type { Prompts } from './prompts/prompts.ts'
import { colourFor, isEnabled } from './terminal/colour.ts'
import { createProgress, type Progress } from './terminal/progress.ts'

/** Services of a running command: platform, output, prompts and journals. Expensive ones are created on first use. */
export interface Context {
  readonly world: System
  readonly globals: GlobalOptions
  readonly out: Output
  readonly notes: Notes
  readonly progress: Progress
  /** Whether prompts can be shown. */
  readonly interactive: boolean
  readonly command: Command
  /** Words of the command: `numbers buy`. */
  readonly commandName: string
  readonly idGuesses: IdGuesses
  /** Answers to prompts, in the form of command-line arguments and flags. */
  readonly promptAnswers: PromptAnswer[]
  settings(): Promise<Settings>
  connection(): Promise<Connection>
  /** Connects with other settings. The caller closes the connection. */
  connectTo(settings: Settings): Promise<Connection>
  /** Calls the platform. Every failure is a ClientFailure. */
  readonly call: Call
  /** Returns whether the platform advertises a capability; reads first if needed. Every failure is a ClientFailure. */
  supports(capability: Capability): Promise<boolean>
  prompts(): Promise<Prompts>
  journal(): Promise<Journal>
  /** Fields that the platform ignored. They are reported when the command ends, unless the command removes them. */
  readonly ignoredFields: Set<string>
  /** Last response of each endpoint, to explain unexpected errors. */
  readonly responses: ReadonlyMap<Endpoint, unknown>
  /** Reads and writes of a command that writes, so that the history needs no further request. */
  readonly exchanges: Exchange[]
  /** History entries that this command created. */
  readonly historyEntries: number[]
  /** Value of `--if-unchanged`. */
  readonly ifUnchanged: string | undefined
  /** Values of `--idempotency-key` and `--ignore-open`. */
  readonly spending: BillableOptions
  /** Runs due jobs after a write and closes the connection. */
  close(): Promise<void>
}

/** A read or write of this command. */
export interface Exchange {
  readonly endpoint: Endpoint
  readonly input: unknown
  readonly output?: unknown
  readonly failed?: true
  readonly written?: true
}

export interface ContextOptions {
  readonly world: System
  readonly globals: GlobalOptions
  readonly ifUnchanged?: string | undefined
  readonly spending?: BillableOptions
  readonly command: Command
  readonly commandName: string
}

function parseForm(form: string): Form {
  if (!(forms as readonly string[]).includes(form))
    throw usageError(`Unknown output format "${form}".`, `Formats: ${forms.join(', ')}. See: parley help output.`)
  return form as Form
}

/** Ignores an unknown profile, so that commands can create or list profiles. Other uses of the settings fail. */
function ignoreUnknownProfile(error: unknown): undefined {
  if ((error as { code?: string }).code !== unknownProfileCode) throw error
}

/** Ignores unreadable settings for commands that report them. */
const ignoreSettingsError = (): undefined => undefined

/** Creates the context of a command. @throws ClientFailure `usage` for invalid settings */
export async function createContext({
  world,
  globals,
  command,
  commandName,
  ifUnchanged,
  spending = {},
}: ContextOptions): Promise<Context> {
  const { env, streams } = world
  const project = await findProjectFile(world)
  let settings: Promise<Settings> | undefined
  const loadSettings = () => (settings ??= resolveSettings(world, globals, project))
  // The output format of a profile requires the configuration file. A flag or the environment avoids reading it.
  const given =
    outputOverride(world, globals, project) ??
    (await loadSettings().then(
      (it) => it.output,
      command.worksWithoutSettings ? ignoreSettingsError : ignoreUnknownProfile,
    ))
  const form = parseForm(given?.value ?? 'table')
  const terminal = streams.stdout.isTTY
  const fields = globals.fields === undefined ? undefined : parseFields(globals.fields)
  /** Time of the platform at its last response, if its clock differs from the local one. */
  let platformTime: number | undefined
  const output: OutputSettings = {
    form,
    header: globals.header !== false,
    utc: globals.utc === true,
    colour: colourFor(streams.stdout, globals, env),
    terminal,
    columns: streams.stdout.columns,
    get now() {
      return platformTime ?? world.now()
    },
    ...(fields && !isFieldHelp(fields) && { fields }),
  }
  const colour = colourFor(streams.stderr, globals, env)
  const quiet = globals.quiet === true
  const json = form === 'json' || form === 'ndjson' || form === 'yaml'
  const notes = createNotes(streams.stderr, { json, quiet, colour })
  const interactive =
    globals.input !== false &&
    !isEnabled(env.PARLEY_NO_INPUT) &&
    !isMachine(form) &&
    streams.stdin.isTTY &&
    streams.stderr.isTTY
  const open: {
    connected?: Promise<Connection>
    prompts?: Promise<Prompts>
    log?: Log | undefined
    progress?: Progress
  } = {}
  const debug = globals.debug || isEnabled(env.PARLEY_DEBUG)

  const log = async (): Promise<Log | undefined> => {
    if (!debug && !globals.verbose) return undefined
    const { createLog } = await import('../client/requests/log.ts')
    return createLog(debug ? 'debug' : 'verbose', (line) => void streams.stderr.write(`${line}\n`).catch(() => {}))
  }
  const journal = async (): Promise<Journal> => {
    const { openJournal } = await import('../client/journal/journal.ts')
    return openJournal({
      file: join(dataDir(world), 'spends.ndjson'),
      now: world.now,
      newId: () => crypto().randomUUID(),
    })
  }
  // With JSON and YAML, stderr has a single error document; --verbose logs every attempt.
  const onWait = ({ waitMs, reason }: Wait): void => {
    if (!quiet && (!json || globals.verbose))
      void streams.stderr
        .write(`${reason}. Retrying in ${Math.max(0.1, Math.round(waitMs / 100) / 10)} s.\n`)
        .catch(() => {})
  }

  const lastResponses = new Map<Endpoint, unknown>()
  const onAnswer = (endpoint: Endpoint, output: unknown, headers: Readonly<Record<string, string>>): void => {
    lastResponses.set(endpoint, output)
    const { date } = headers
    for (const it of parseIgnoredFields(headers)) context.ignoredFields.add(it)
    const at = date === undefined ? Number.NaN : Date.parse(date)
    // Date headers have a resolution of one second; only a large difference means another clock.
    platformTime = Math.abs(at - world.now()) > 90_000 ? at : undefined
  }

  const context: Context = {
    responses: lastResponses,
    ignoredFields: new Set(),
    exchanges: [],
    historyEntries: [],
    ifUnchanged,
    spending,
    world,
    globals,
    command,
    commandName,
    idGuesses: { targets: [], searchesLists: false },
    promptAnswers: [],
    notes,
    interactive,
    out: createOutput(streams.stdout, notes, output),
    get progress() {
      open.progress ??= createProgress({ stderr: streams.stderr, stream: world.terminal.output, env, quiet, colour })
      return open.progress
    },
    settings: loadSettings,
    journal,
    connection: () => (open.connected ??= loadSettings().then(context.connectTo)),
    connectTo: async (settings) =>
      connect({
        world,
        settings,
        insecure: globals.insecure === true,
        log: await log(),
        onWait,
        onResponse: onAnswer,
        journal,
        spending,
        startsEmpty: command.startsEmpty === true,
      }),
    call: lazyCall(() => context),
    async supports(capability) {
      const { call } = await context.connection()
      if (!call.capabilities())
        await call.raw((await import('../contract/resources/keys.ts')).keys.list, {}, { acceptsAnyStatus: true })
      return call.capabilities()?.has(capability) === true
    },
    prompts: () =>
      (open.prompts ??= world.prompts({
        streams,
        input: world.terminal.input,
        output: world.terminal.output,
        env,
        interactive,
        colour,
        signal: world.signal,
      })),
    async close() {
      const connected = await open.connected?.catch(() => undefined)
      // Failed due jobs do not fail the command; the next command or a server runs them again.
      if (riskOf(command) !== 'read') await connected?.runDueJobs().catch(() => {})
      await connected?.close()
    },
  }
  return context
}

/** Maximum number of exchanges recorded. */
const maxExchanges = 200

const fullDetails = { [detailsHeader]: detailsFull }

/** Returns whether a read may request fields beyond the specification. */
const requestsDetails = ({ risk, headers }: Endpoint, given: CallMore | undefined): boolean =>
  risk === 'read' && given?.acceptsAnyStatus !== true && headers !== undefined && Object.hasOwn(headers, detailsHeader)

/** Creates a call whose client is created on first use. Records writes; removes deleted resources from the cache. */
function lazyCall(of: () => Context): Call {
  const recordedExchange = async (
    context: Context,
    endpoint: Endpoint,
    input: unknown,
    exchange: () => Promise<Reply<unknown>>,
    unrecorded?: true,
  ) =>
    (await import('./history/recorder.ts')).recordWrite(
      context,
      endpoint,
      input as Record<string, unknown>,
      exchange,
      unrecorded,
    )
  const raw = async (endpoint: Endpoint, input: unknown, given?: CallMore) => {
    const context = of()
    const { call: client } = await context.connection()
    const more =
      requestsDetails(endpoint, given) && (await context.supports('details'))
        ? { ...given, headers: { ...given?.headers, ...fullDetails } }
        : given
    const exchange = async () => {
      const reply = await client.raw(endpoint, input as never, more)
      if (endpoint.name === 'user.me' && !more?.acceptsAnyStatus)
        await (await import('./connection/account-id.ts')).cacheAccountId(context, reply.output)
      return reply
    }
    if (endpoint.risk !== 'read') {
      if (endpoint.auth === 'control' || more?.acceptsAnyStatus || more?.isOutcomeQuery) return exchange()
      if (endpoint.risk === 'spends' && context.spending.idempotencyKey !== undefined && !more?.isTracked)
        return (await import('./operations/run-with-key.ts')).runWithKey(
          context,
          more?.idempotencyKey ?? context.spending.idempotencyKey,
          () => recordedExchange(context, endpoint, input, exchange),
        )
      return recordedExchange(context, endpoint, input, exchange, more?.skipHistory)
    }
    if (riskOf(context.command) === 'read') return exchange()
    const keepExchange = (it: Pick<Exchange, 'output' | 'failed'>): void => {
      if (context.exchanges.length >= maxExchanges) context.exchanges.shift()
      context.exchanges.push({ endpoint, input, ...it })
    }
    try {
      const reply = await exchange()
      keepExchange({ output: reply.output })
      return reply
    } catch (error) {
      keepExchange({ failed: true })
      throw error
    }
  }
  const call = async (endpoint: Endpoint, input: unknown, more?: CallMore) => {
    const { output } = await raw(endpoint, input, more)
    if (endpoint.risk === 'destructive')
      await (await import('./completion/update-completion-cache.ts')).evictDeleted(
        of(),
        endpoint,
        input as Record<string, unknown>,
      )
    return output
  }
  return Object.assign(call, { raw }) as unknown as Call
}
