import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { possibleExits } from '../../src/cli/command-reference/possible-exits.ts'
import { findCommand } from '../../src/cli/commandline/find-command.ts'
import { ClosedPipe, OutputFailed, type Source } from '../../src/cli/terminal/streams.ts'
import type { Transport } from '../../src/client/transport/transport.ts'
import { openPlatform } from '../../src/compose.ts'
import { exitCodes } from '../../src/contract/errors/exit-codes.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/mechanics/http-message.ts'
import { publicVocabulary } from '../../src/contract/vocabulary/public-vocabulary.ts'
import { routes } from '../../src/generated/routes.ts'
import { main } from '../../src/main.ts'
import { listen } from '../../src/server/http/listen.ts'
import { withVocabulary } from '../../src/server/middleware/vocabulary-codec.ts'
import type { RunningServer, System } from '../../src/system.ts'
import { afterFile } from './cleanup.ts'
import { memorySink } from './memory-sink.ts'
import { reusePlatform } from './platform-reuse.ts'
import { type Answer, scripted } from './scripted-prompts.ts'
import { splitWords } from './split-words.ts'

/** When every operator's day begins, unless a real clock is asked for. */
export const today = Date.parse('2026-08-04T12:00:00Z')
/** Seed of the world every operator begins with: the account "Northwind Dental" with three keys, four tools and three numbers. */
export const sampleSeed = 7

export type Handle = (request: PlainRequest) => Promise<PlainResponse>

/** How one command line is run. */
export interface RunOptions {
  /** Over the operator's own environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What is piped in. */
  readonly stdin?: string
  /** Whether stdin, stdout and stderr are a terminal (of 100 columns); or some of them. */
  readonly terminal?: boolean | { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean }
  readonly columns?: number
  /** What is answered to the questions, in order; implies a terminal. A question too many or too few fails the test. */
  readonly answers?: readonly Answer[]
  readonly cwd?: string
  /** Stands between the command and its platform, to watch or to break things. */
  readonly through?: (handle: Handle, request: PlainRequest) => Promise<PlainResponse>
  /** A connection instead of the real one to a platform elsewhere. */
  readonly connect?: System['connect']
  /** Ctrl-C (130) and SIGTERM (143). */
  readonly interrupt?: AbortController
  readonly os?: string
  /** What a person does to a text in an editor. */
  readonly editor?: (text: string) => string
  /** Nothing more can be written to stdout. */
  readonly full?: true
  /** Nobody reads stdout any more. */
  readonly closed?: true
}

/** What a command line did. */
export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Questions that were asked, each with the names of its choices after it. */
  readonly asked: readonly string[]
  /** What was asked of a platform: `GET /api/user/tools`. */
  readonly requests: readonly string[]
}

export interface OperatorOptions {
  /** Cleaned up after the test, or after the file: for operators made outside a test, or used by several. */
  readonly lasts?: 'test' | 'file'
  /** `real`: wall time instead of a fixed one. */
  readonly clock?: 'real'
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Begins without a data folder, as on a new machine. */
  readonly fresh?: boolean
  /** Opens the platform for each command, as the program does, instead of keeping it open between them: for tests of what is left in the folder. */
  readonly reopens?: boolean
  /** `public`: every command goes over a socket to a server that speaks the public vocabulary, and so does the client. PARLEY_TEST_SPEAKS says it for all. */
  readonly supports?: 'public' | 'neutral'
}

/** Somebody at a command line, with folders of their own that are gone afterwards. */
export interface Operator {
  readonly dataDir: string
  readonly configDir: string
  /** The working folder, empty at first. */
  readonly cwd: string
  /** Moves this operator's fixed clock on. */
  wait(ms: number): void
  run(line: string | readonly string[], options?: RunOptions): Promise<Run>
  /** Runs with `--json`, which must succeed, and gives back what it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: what is printed is for the test to know
  json<T = any>(line: string, options?: RunOptions): Promise<T>
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

let template: Promise<string> | undefined

/** A data folder with the seeded world, made once per run of the tests (its temporary folder is the run's) and copied for each operator. */
function seeded(): Promise<string> {
  template ??= (async () => {
    const made = join(tmpdir(), 'seeded-world')
    if (existsSync(made)) return made
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-template-'))
    const platform = await openPlatform({
      dataDir,
      seed: sampleSeed,
      wall: () => today,
      durable: false,
      pid: process.pid,
      isAlive,
    })
    // The key is noted as used beside the first answer; later ones within a minute leave it alone.
    await platform.handle({
      method: 'GET',
      url: '/api/user/me',
      headers: { authorization: `Bearer ${platform.credentials().key}` },
    })
    await platform.close()
    try {
      renameSync(dataDir, made)
    } catch {
      // Another worker was first.
      rmSync(dataDir, { recursive: true, force: true })
    }
    return made
  })()
  return template
}

const testVocabulary = process.env.PARLEY_TEST_SPEAKS === 'public' ? 'public' : 'neutral'

type Watch = (handle: Handle) => Handle

/** A server of a data folder that speaks the public vocabulary, there while any command runs; each is watched behind its words. */
function publicServer(dataDir: string, wall: () => number) {
  const lock = join(dataDir, 'server.json')
  const watches = new Map<string, Watch>()
  let runs = 0
  let serving: ReturnType<typeof begin> | undefined

  async function begin() {
    const platform = await openPlatform({
      dataDir,
      wall,
      durable: false,
      version: '0.0.0-test',
      pid: process.pid,
      isAlive,
    })
    const handle: Handle = (request) =>
      (watches.get(request.headers['x-run'] ?? '') ?? ((it: Handle) => it))(platform.handle)(request)
    const server = await listen({
      handle: withVocabulary(handle, publicVocabulary, routes),
      host: '127.0.0.1',
      port: 0,
      log: () => {},
    })
    writeFileSync(
      lock,
      JSON.stringify({
        url: server.url,
        pid: process.pid,
        started_at: new Date(wall()).toISOString(),
        vocabulary: 'public',
      }),
    )
    return { platform, server }
  }

  async function end({ platform, server }: Awaited<ReturnType<typeof begin>>): Promise<void> {
    rmSync(lock, { force: true })
    await server.close()
    await platform.due.drain(2000)
    await platform.close()
  }

  /** Serves for one command; nothing where there is nothing to serve, or where the test has a server of its own. */
  return async (watch: Watch): Promise<{ url: string; as: string; leave(): Promise<void> } | undefined> => {
    if (!serving && (!existsSync(join(dataDir, 'platform.db')) || existsSync(lock))) return undefined
    serving ??= begin()
    const as = String(++runs + Math.random())
    watches.set(as, watch)
    const started = await serving
    return {
      url: started.server.url,
      as,
      async leave() {
        watches.delete(as)
        if (watches.size > 0) return
        serving = undefined
        await end(started)
      },
    }
  }
}

/** A new operator. */
export function operator({
  lasts = 'test',
  clock,
  env: ownEnv = {},
  fresh = false,
  reopens = false,
  supports = testVocabulary,
}: OperatorOptions = {}): Operator {
  const folder = mkdtempSync(join(tmpdir(), 'parley-operator-'))
  const [dataDir, configDir, cwd] = [join(folder, 'data'), join(folder, 'config'), join(folder, 'work')]
  mkdirSync(cwd)
  let waited = 0
  const now = clock === 'real' ? Date.now : (): number => today + waited
  let ready: Promise<void> | undefined
  const prepare = (): Promise<void> =>
    (ready ??= (async () => {
      if (!fresh) cpSync(await seeded(), dataDir, { recursive: true })
    })())
  const platforms = reusePlatform(
    dataDir,
    (given) => openPlatform({ ...given, durable: false, wall: now, version: '0.0.0-test', pid: process.pid, isAlive }),
    reopens,
  )
  const end = async (): Promise<void> => {
    await platforms.close()
    rmSync(folder, { recursive: true, force: true })
  }
  if (lasts === 'test') onTestFinished(end)
  else afterFile(end)
  const servers = new Set<AbortController>()
  const servePublicly = publicServer(dataDir, now)

  async function run(line: string | readonly string[], options: RunOptions = {}): Promise<Run> {
    await prepare()
    const argv = typeof line === 'string' ? splitWords(line) : line
    const isOn = terminals(options)
    const stdout = memorySink(sinkOf(isOn.stdout, options.columns))
    // Wide enough that no sentence is wrapped, unless a test is about that.
    const stderr = memorySink(sinkOf(isOn.stderr, options.columns ?? 1000))
    const requests: string[] = []
    const asked: string[] = []
    const interrupt = options.interrupt ?? new AbortController()
    const prompts = scripted(options.answers ?? [], asked)
    const watched =
      (handle: Handle): Handle =>
      (request) => {
        requests.push(`${request.method} ${request.url}`)
        return options.through ? options.through(handle, request) : handle(request)
      }
    const served = supports === 'public' ? await servePublicly(watched) : undefined
    const world: System = {
      env: { HOME: folder, PARLEY_DATA_DIR: dataDir, PARLEY_CONFIG_DIR: configDir, ...ownEnv, ...options.env },
      cwd: options.cwd ?? cwd,
      home: folder,
      os: options.os ?? 'linux',
      pid: process.pid,
      version: '0.0.0-test',
      runtime: 'Node 20.18.0',
      streams: {
        stdin: sourceOf(options.stdin ?? '', isOn.stdin),
        stdout:
          options.full || options.closed
            ? { ...sinkOf(isOn.stdout), columns: 0, write: options.closed ? closes : fails }
            : stdout,
        stderr,
      },
      terminal: { input: new PassThrough(), output: new PassThrough().resume() },
      signal: interrupt.signal,
      now,
      sleep: (ms, signal) => sleep(clock === 'real' ? ms : Math.min(ms, 5), signal),
      random: Math.random,
      isAlive,
      terminate() {
        for (const it of servers) it.abort(143)
      },
      async openPlatform(given) {
        const platform = await platforms.open(given)
        return {
          ...platform,
          handle: watched(platform.handle),
          drain: async (budget) => void (await platform.due.drain(budget)),
        }
      },
      async serve(given) {
        await platforms.close()
        const { serve } = await import('../../src/serve.ts')
        const server: RunningServer = await serve({
          ...given,
          durable: false,
          wall: now,
          version: '0.0.0-test',
          pid: process.pid,
          isAlive,
        })
        servers.add(interrupt)
        return { ...server, stop: () => server.stop().finally(() => servers.delete(interrupt)) }
      },
      async connect(baseUrl, given) {
        const transport: Transport = options.connect
          ? await options.connect(baseUrl, given)
          : (await import('../../src/client/transport/remote-transport.ts')).remoteTransport(baseUrl, given)
        const send: Transport['send'] =
          baseUrl === served?.url
            ? (request, how) => transport.send({ ...request, headers: { ...request.headers, 'x-run': served.as } }, how)
            : (request, how) => watched((it) => transport.send(it, how))(request)
        return { ...transport, send }
      },
      prompts: async (given) => prompts.open(given),
      async run(command, args, { interactive }) {
        if (interactive) return edit(args.at(-1) as string, options.editor)
        const { execa } = await import('execa')
        const {
          exitCode = 1,
          stdout: out,
          stderr: err,
        } = await execa(command, args, { reject: false, stdio: ['ignore', 'pipe', 'pipe'] })
        return { exitCode, stdout: out, stderr: err }
      },
    }
    const exitCode = await main(argv, world).finally(served?.leave)
    prompts.check(argv)
    await expectDeclared(argv, exitCode)
    if (exitCode === 0 && asked.length > 0) expectSame(argv, stderr.all)
    return { exitCode, stdout: stdout.all, stderr: stderr.all, asked, requests }
  }

  return {
    dataDir,
    configDir,
    cwd,
    wait: (ms) => {
      waited += ms
    },
    run,
    async json(line, options) {
      const { exitCode, stdout, stderr } = await run(`${line} --json`, options)
      if (exitCode !== 0) throw new Error(`parley ${line}: exit ${exitCode}\n${stderr}`)
      return JSON.parse(stdout)
    },
  }
}

/** Commands that are all questions, or were told to keep quiet. */
const isUntold = (argv: readonly string[]): boolean =>
  argv.includes('chat') || argv.includes('-q') || argv.includes('--quiet')

/** Whoever was asked is told the line that asks nothing. */
function expectSame(argv: readonly string[], stderr: string): void {
  if (!isUntold(argv) && !stderr.includes('Equivalent command: parley '))
    throw new Error(`parley ${argv.join(' ')} asked and does not tell how not to be asked`)
}

/** A command ends in no way that it does not tell of. */
async function expectDeclared(argv: readonly string[], exitCode: number): Promise<void> {
  const { node, path } = findCommand(argv)
  if (!node?.load) return
  const declared = possibleExits(await node.load()).map((name) => exitCodes[name].code)
  if (!(declared as readonly number[]).includes(exitCode))
    throw new Error(`parley ${path.join(' ')} tells of ${declared.join(', ')} and ended with ${exitCode}`)
}

const terminals = ({ terminal = false, answers }: RunOptions): { stdin: boolean; stdout: boolean; stderr: boolean } => {
  const all = terminal === true || answers !== undefined
  return { stdin: all, stdout: all, stderr: all, ...(typeof terminal === 'object' && terminal) }
}

function edit(file: string, editor: RunOptions['editor']): { exitCode: number; stdout: string; stderr: string } {
  if (!editor) throw new Error('Nobody is there to edit.')
  writeFileSync(file, editor(readFileSync(file, 'utf8')))
  return { exitCode: 0, stdout: '', stderr: '' }
}

const closes = (): Promise<never> => Promise.reject(new ClosedPipe())
const fails = (): Promise<never> => Promise.reject(new OutputFailed('ENOSPC', 'no space left on the device (ENOSPC)'))

const sinkOf = (isTTY: boolean, columns = 100): { isTTY: boolean; columns?: number } =>
  isTTY ? { isTTY, columns } : { isTTY }

const sourceOf = (text: string, isTTY: boolean): Source => ({
  isTTY,
  async *read() {
    yield text
  },
  text: async () => text,
})

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
