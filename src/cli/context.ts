import { join } from 'node:path'
import type { Call, CallMore, Reply, Wait } from '../client/call.ts'
import type { Journal } from '../client/journal.ts'
import type { Log } from '../client/log.ts'
import type { SpendOptions } from '../client/open-operation.ts'
import { detailsFull, detailsHeader } from '../contract/automation-headers.ts'
import type { Capability } from '../contract/capabilities.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { ignoredIn } from '../contract/ignored.ts'
import type { World } from '../world.ts'
import type { Answered } from './answered.ts'
import { type Command, riskOf } from './command.ts'
import { type Connected, connect } from './connect.ts'
import { dataDir } from './folders.ts'
import type { Globals } from './globals.ts'
import { colourFor, isOn } from './output/colour.ts'
import { parseFields, wantsFieldHelp } from './output/fields.ts'
import { type Form, forms, isMachine, type OutputSettings } from './output/form.ts'
import { createNotes, type Notes } from './output/notes.ts'
import { createOutput, type Output } from './output/print.ts'
import { createProgress, type Progress } from './output/progress.ts'
import type { Prompts } from './prompts.ts'
import { findProjectFile, givenOutput, resolveSettings, type Settings, unknownProfile } from './settings.ts'
import type { Taken } from './target.ts'
import { usage } from './usage.ts'

/** What a running command has: the platform, its output, its user. Everything that costs something is made when first used. */
export interface Context {
  readonly world: World
  readonly globals: Globals
  readonly out: Output
  readonly notes: Notes
  readonly progress: Progress
  /** Whether questions can be asked at all. */
  readonly interactive: boolean
  readonly command: Command
  /** `numbers buy`: the words that named the command. */
  readonly words: string
  readonly taken: Taken
  /** What was asked and answered, as the command line would have said it. */
  readonly answered: Answered[]
  settings(): Promise<Settings>
  connected(): Promise<Connected>
  /** A client of its own for other settings; whoever asks for it closes it. */
  connectTo(settings: Settings): Promise<Connected>
  /** Calls the platform. Every failure is a ClientFailure. */
  readonly call: Call
  /** Whether the platform advertises a capability. Sends one small read when nothing was answered yet. Every failure is a ClientFailure. */
  has(capability: Capability): Promise<boolean>
  prompts(): Promise<Prompts>
  journal(): Promise<Journal>
  /** Fields of requests that the platform said it ignored. A command that explains one takes it out; the rest is reported when the command ends. */
  readonly ignored: Set<string>
  /** The last answer of each endpoint that was asked: what may explain an error nobody foresaw. */
  readonly answers: ReadonlyMap<Endpoint, unknown>
  /** What a command that writes has read so far, and where it wrote: a copy of what it changes needs no further request. */
  readonly seen: Seen[]
  /** Entries of the history this command has made. */
  readonly kept: number[]
  /** What `--if-unchanged` said. */
  readonly unchanged: string | undefined
  /** What `--idempotency-key` and `--ignore-open` said. */
  readonly spending: SpendOptions
  /** Ends what was opened: does due work a write has left, closes the data. */
  close(): Promise<void>
}

/** An answer, or a write, of this command. */
export interface Seen {
  readonly endpoint: Endpoint
  readonly input: unknown
  readonly output?: unknown
  readonly failed?: true
  readonly written?: true
}

export interface ContextOptions {
  readonly world: World
  readonly globals: Globals
  /** What `--if-unchanged` said. */
  readonly unchanged?: string | undefined
  readonly spending?: SpendOptions
  readonly command: Command
  readonly words: string
}

function formOf(form: string): Form {
  if (!(forms as readonly string[]).includes(form)) throw usage(`There is no output form "${form}".`, `Forms: ${forms.join(', ')}. More: parley help output.`)
  return form as Form
}

/** A profile that is named and not there yet must not stop the commands that make one, or list them. Whoever needs it is told. */
function withoutProfile(error: unknown): undefined {
  if ((error as { code?: string }).code !== unknownProfile) throw error
}

/** A configuration that cannot be read must not stop the command that says what is wrong with it. */
const withoutSettings = (): undefined => undefined

export async function createContext({ world, globals, command, words, unchanged, spending = {} }: ContextOptions): Promise<Context> {
  const { env, streams } = world
  const project = await findProjectFile(world)
  let settings: Promise<Settings> | undefined
  const settle = () => (settings ??= resolveSettings(world, globals, project))
  // A profile's own form needs the configuration, which is one small file; a flag or the environment saves even that.
  const given = givenOutput(world, globals, project) ?? (await settle().then((it) => it.output, command.diagnoses ? withoutSettings : withoutProfile))
  const form = formOf(given?.value ?? 'table')
  const terminal = streams.stdout.isTTY
  const fields = globals.fields === undefined ? undefined : parseFields(globals.fields)
  /** The platform's time at its last answer, where it is another than ours. */
  let theirs: number | undefined
  const output: OutputSettings = {
    form,
    header: globals.header !== false,
    utc: globals.utc === true,
    colour: colourFor(streams.stdout, globals, env),
    terminal,
    columns: streams.stdout.columns,
    get now() {
      return theirs ?? world.now()
    },
    ...(fields && !wantsFieldHelp(fields) && { fields }),
  }
  const colour = colourFor(streams.stderr, globals, env)
  const quiet = globals.quiet === true
  const json = form === 'json' || form === 'ndjson' || form === 'yaml'
  const notes = createNotes(streams.stderr, { json, quiet, colour })
  const interactive = globals.input !== false && !isOn(env.PARLEY_NO_INPUT) && !isMachine(form) && streams.stdin.isTTY && streams.stderr.isTTY
  const open: { connected?: Promise<Connected>; prompts?: Promise<Prompts>; log?: Log | undefined; progress?: Progress } = {}
  const debug = globals.debug || isOn(env.PARLEY_DEBUG)

  const log = async (): Promise<Log | undefined> => {
    if (!debug && !globals.verbose) return undefined
    const { createLog } = await import('../client/log.ts')
    return createLog(debug ? 'debug' : 'verbose', (line) => void streams.stderr.write(`${line}\n`).catch(() => {}))
  }
  const journal = async (): Promise<Journal> => {
    const { openJournal } = await import('../client/journal.ts')
    const { uuidFrom } = await import('../client/uuid.ts')
    return openJournal({ file: join(dataDir(world), 'spends.ndjson'), now: world.now, newId: () => uuidFrom(world.random) })
  }
  // Whoever reads JSON reads what went wrong as one document too; --verbose tells of every try.
  const onWait = ({ waitMs, because }: Wait): void => {
    if (!quiet && (!json || globals.verbose))
      void streams.stderr.write(`${because}; trying again in ${Math.max(0.1, Math.round(waitMs / 100) / 10)} s.\n`).catch(() => {})
  }

  const answers = new Map<Endpoint, unknown>()
  const onAnswer = (endpoint: Endpoint, output: unknown, headers: Readonly<Record<string, string>>): void => {
    answers.set(endpoint, output)
    const { date } = headers
    for (const it of ignoredIn(headers)) context.ignored.add(it)
    const at = date === undefined ? Number.NaN : Date.parse(date)
    // Dates are told to the second; only a clock that is really another one's counts.
    theirs = Math.abs(at - world.now()) > 90_000 ? at : undefined
  }

  const context: Context = {
    answers,
    ignored: new Set(),
    seen: [],
    kept: [],
    unchanged,
    spending,
    world,
    globals,
    command,
    words,
    taken: { targets: [], looks: false },
    answered: [],
    notes,
    interactive,
    out: createOutput(streams.stdout, notes, output),
    get progress() {
      open.progress ??= createProgress({ stderr: streams.stderr, stream: world.terminal.output, env, quiet, colour })
      return open.progress
    },
    settings: settle,
    journal,
    connected: () => (open.connected ??= settle().then(context.connectTo)),
    connectTo: async (settings) =>
      connect({ world, settings, insecure: globals.insecure === true, log: await log(), onWait, onAnswer, journal, spending, empty: command.onEmpty === true }),
    call: lazyCall(() => context),
    async has(capability) {
      const { call } = await context.connected()
      if (!call.capabilities()) await call.raw((await import('../contract/keys.ts')).keys.list, {}, { asIs: true })
      return call.capabilities()?.has(capability) === true
    },
    prompts: () =>
      (open.prompts ??= world.prompts({ streams, input: world.terminal.input, output: world.terminal.output, env, interactive, colour, signal: world.signal })),
    async close() {
      const connected = await open.connected?.catch(() => undefined)
      // What is left over is no failure of the command: the next one, or a server, does it.
      if (riskOf(command) !== 'read') await connected?.settle().catch(() => {})
      await connected?.close()
    },
  }
  return context
}

/** Answers that are remembered of a command that writes. */
const mostSeen = 200

const fullDetails = { [detailsHeader]: detailsFull }

/** Whether a reading may ask for fields that the specification does not list. */
const hasDetails = ({ risk, headers }: Endpoint, given: CallMore | undefined): boolean =>
  risk === 'read' && given?.asIs !== true && headers !== undefined && Object.hasOwn(headers, detailsHeader)

/** A call whose client is made at the first use. Writes are recorded, what a deletion took away is forgotten. */
function lazyCall(of: () => Context): Call {
  const recordedExchange = async (context: Context, endpoint: Endpoint, input: unknown, exchange: () => Promise<Reply<unknown>>, unrecorded?: true) =>
    (await import('./history/recorder.ts')).recorded(context, endpoint, input as Record<string, unknown>, exchange, unrecorded)
  const raw = async (endpoint: Endpoint, input: unknown, given?: CallMore) => {
    const context = of()
    const { call: client } = await context.connected()
    const more = hasDetails(endpoint, given) && (await context.has('details')) ? { ...given, headers: { ...given?.headers, ...fullDetails } } : given
    const exchange = async () => {
      const reply = await client.raw(endpoint, input as never, more)
      if (endpoint.name === 'user.me' && !more?.asIs) await (await import('./account.ts')).noteAccount(context, reply.output)
      return reply
    }
    if (endpoint.risk !== 'read') {
      if (endpoint.auth === 'control' || more?.asIs || more?.recall) return exchange()
      if (endpoint.risk === 'spends' && context.spending.idempotencyKey !== undefined && !more?.isTracked)
        return (await import('./spending/keyed.ts')).underKey(context, more?.idempotencyKey ?? context.spending.idempotencyKey, () =>
          recordedExchange(context, endpoint, input, exchange),
        )
      return recordedExchange(context, endpoint, input, exchange, more?.unrecorded)
    }
    if (riskOf(context.command) === 'read') return exchange()
    const see = (it: Pick<Seen, 'output' | 'failed'>): void => {
      if (context.seen.length >= mostSeen) context.seen.shift()
      context.seen.push({ endpoint, input, ...it })
    }
    try {
      const reply = await exchange()
      see({ output: reply.output })
      return reply
    } catch (error) {
      see({ failed: true })
      throw error
    }
  }
  const call = async (endpoint: Endpoint, input: unknown, more?: CallMore) => {
    const { output } = await raw(endpoint, input, more)
    if (endpoint.risk === 'destructive') await (await import('./remember.ts')).forget(of(), endpoint, input as Record<string, unknown>)
    return output
  }
  return Object.assign(call, { raw }) as unknown as Call
}
