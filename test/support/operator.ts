import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import type { RunningServer, System } from '../../src/cli/program/system.ts'
import { ClosedPipe, OutputFailed, type Sink, type Source } from '../../src/cli/program/terminal/streams.ts'
import type { Transport } from '../../src/client/transport/transport.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import { exitCodes } from '../../src/contract/errors/exit-codes.ts'
import { possibleExits } from '../../src/generate/possible-exits.ts'
import { main } from '../../src/main.ts'
import { openPlatform } from '../../src/platform/compose.ts'
import { createDataTransfer } from '../../src/platform/control/transfer/data-transfer.ts'
import { openTemporaryPlatform } from '../../src/platform/temporary-platform.ts'
import { sleep } from './abortable-sleep.ts'
import { afterFile } from './cleanup.ts'
import { schemaTemplate } from './databases.ts'
import { memorySink } from './memory-sink.ts'
import { reusePlatform } from './platform-reuse.ts'
import { programRunner } from './program-runner.ts'
import { type Answer, scripted } from './scripted-prompts.ts'
import { publicServer } from './servers/public-server.ts'
import { expectBudgetFlag } from './spending-requests.ts'
import { splitWords } from './split-words.ts'

/** Time at which the fixed clock of every operator starts. */
export const today = Date.parse('2026-08-04T12:00:00Z')
/** Seed of the default sample data: the account "Northwind Dental" with three keys, four tools and three numbers. */
export const sampleSeed = 7

export type Handle = (request: PlainRequest) => Promise<PlainResponse>

/** Options of one command line. */
export interface RunOptions {
  /** Added to the environment of the operator; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Text that is piped to stdin, also piece by piece. */
  readonly stdin?: string | Source
  /** Receives each piece that is written to stdout. */
  readonly onOutput?: (text: string) => void
  /** Receives what is drawn on the terminal, such as progress. */
  readonly onScreen?: (text: string) => void
  /** Whether stdin, stdout and stderr are a terminal (of 100 columns); or some of them. */
  readonly terminal?: boolean | { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean }
  readonly columns?: number
  /** Lines of the terminal (default: unknown). */
  readonly rows?: number
  /** Answers to prompts in order; implies a terminal. The test fails if there are too many or too few. */
  readonly answers?: readonly Answer[]
  readonly cwd?: string
  /** Runs between the command and its platform, to observe or change requests. */
  readonly through?: (handle: Handle, request: PlainRequest) => Promise<PlainResponse>
  /** Replaces the connection to a remote deployment. */
  readonly connect?: System['connect']
  /** Ctrl-C (130) and SIGTERM (143). */
  readonly interrupt?: AbortController
  readonly os?: string
  /** Simulates the edits of a user in an editor. */
  readonly editor?: (text: string) => string | Promise<string>
  /** Receives what a pager or another program of the user reads, and returns its exit code. */
  readonly program?: (command: readonly string[], input: string) => number
  /** Lets writes to stdout fail because the disk is full. */
  readonly full?: true
  /** Closes the reader of stdout. */
  readonly closed?: true
}

/** Result of a command line. */
export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Prompts that were shown, each followed by the names of its choices. */
  readonly asked: readonly string[]
  /** Requests to a platform: `GET /api/user/tools`. */
  readonly requests: readonly string[]
}

export interface OperatorOptions {
  /** Whether files are deleted after the test or the file, for operators created outside tests or shared by several. */
  readonly lasts?: 'test' | 'file'
  /** `real`: a clock that runs in real time, from the time of the sample data, instead of a fixed one. */
  readonly clock?: 'real'
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Lets the platform deliver webhooks to this machine, as the built program does. */
  readonly reachesLoopback?: boolean
  /** Starts without a data folder, as on a new machine. */
  readonly fresh?: boolean
  /** Opens the platform for each command, as the program does, instead of reusing it: for tests of the data folder. */
  readonly reopens?: boolean
  /** `public`: every command connects to a server with the public vocabulary. PARLEY_TEST_SPEAKS sets it for all. */
  readonly supports?: 'public' | 'neutral'
}

/** User of the command line, with temporary folders. */
export interface Operator {
  readonly dataDir: string
  readonly configDir: string
  /** Working folder, empty at first. */
  readonly cwd: string
  /** Advances the clock of this operator. */
  wait(ms: number): void
  run(line: string | readonly string[], options?: RunOptions): Promise<Run>
  /** Runs with `--json`, expects success, and returns the parsed output. */
  // biome-ignore lint/suspicious/noExplicitAny: the test knows what is printed
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

/** Returns a data folder with sample data, created once per test run in its folder and copied for each operator. */
function seeded(): Promise<string> {
  template ??= (async () => {
    const made = join(tmpdir(), 'seeded-world')
    if (existsSync(made)) return made
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-template-'))
    const platform = await openPlatform({
      dataDir,
      seed: sampleSeed,
      template: schemaTemplate,
      wall: () => today,
      durable: false,
      pid: process.pid,
      isAlive,
    })
    // The last use of the key is stored at the first response, and not again within a minute.
    await platform.handle({
      method: 'GET',
      url: '/api/user/me',
      headers: { authorization: `Bearer ${platform.credentials().key}` },
    })
    await platform.close()
    try {
      renameSync(dataDir, made)
    } catch {
      rmSync(dataDir, { recursive: true, force: true }) // Another worker was first.
    }
    return made
  })()
  return template
}

const testVocabulary = process.env.PARLEY_TEST_SPEAKS === 'public' ? 'public' : 'neutral'

/** Creates an operator. */
export function operator({
  lasts = 'test',
  clock,
  env: ownEnv = {},
  fresh = false,
  reachesLoopback = false,
  reopens = false,
  supports = testVocabulary,
}: OperatorOptions = {}): Operator {
  const folder = mkdtempSync(join(tmpdir(), 'parley-operator-'))
  const [dataDir, configDir, cwd] = [join(folder, 'data'), join(folder, 'config'), join(folder, 'work')]
  mkdirSync(cwd)
  let waited = 0
  const startedAt = Date.now()
  // From the time of the sample data, which would otherwise be old enough to be purged. A server in a fresh place is compared
  // with the time of its database.
  const begin = clock === 'real' && fresh ? startedAt : today
  const now = (): number => begin + (clock === 'real' ? Date.now() - startedAt : 0) + waited
  let ready: Promise<void> | undefined
  const prepare = (): Promise<void> =>
    (ready ??= (async () => {
      if (!fresh) cpSync(await seeded(), dataDir, { recursive: true })
    })())
  const platforms = reusePlatform(
    dataDir,
    (given) =>
      openPlatform({
        ...given,
        ...(reachesLoopback && { privateAddresses: true }),
        template: schemaTemplate,
        durable: false,
        wall: now,
        version: '0.0.0-test',
        pid: process.pid,
        isAlive,
      }),
    reopens,
  )
  const end = async (): Promise<void> => {
    await platforms.close()
    rmSync(folder, { recursive: true, force: true })
  }
  if (lasts === 'test') onTestFinished(end)
  else afterFile(end)
  const servers = new Set<AbortController>()
  const servePublicly = publicServer(dataDir, now, isAlive)

  async function run(line: string | readonly string[], options: RunOptions = {}): Promise<Run> {
    await prepare()
    const argv = typeof line === 'string' ? splitWords(line) : line
    const isOn = terminals(options)
    const stdout = memorySink({ ...sinkOf(isOn.stdout, options.columns), rows: options.rows })
    // Wide enough that no sentence is wrapped, unless the test sets a width.
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
    const system: System = {
      env: { HOME: folder, PARLEY_DATA_DIR: dataDir, PARLEY_CONFIG_DIR: configDir, ...ownEnv, ...options.env },
      cwd: options.cwd ?? cwd,
      home: folder,
      os: options.os ?? 'linux',
      pid: process.pid,
      version: '0.0.0-test',
      runtime: 'Node 20.18.0',
      streams: {
        stdin: typeof options.stdin === 'object' ? options.stdin : sourceOf(options.stdin ?? '', isOn.stdin),
        stdout:
          options.full || options.closed
            ? { ...sinkOf(isOn.stdout), columns: 0, write: options.closed ? closes : fails }
            : observed(stdout, options.onOutput),
        stderr,
      },
      terminal: {
        input: new PassThrough(),
        output: new PassThrough().on('data', (it) => options.onScreen?.(String(it))),
      },
      signal: interrupt.signal,
      now,
      // A pause of many seconds waits for the platform, whose clock passes it.
      sleep(ms, signal) {
        if (clock === 'real' && ms >= 5000) waited += ms
        return sleep(clock === 'real' && ms < 5000 ? ms : Math.min(ms, 5), signal)
      },
      random: Math.random,
      isAlive,
      terminate() {
        for (const server of servers) server.abort(143)
      },
      async openPlatform(given) {
        const platform = await platforms.open(given)
        return { ...platform, handle: watched(platform.handle) }
      },
      openTemporaryPlatform: (given) => openTemporaryPlatform(given, { ...system, template: schemaTemplate }),
      async serve(given) {
        await platforms.close()
        const { serve } = await import('../../src/platform/serve.ts')
        const server: RunningServer = await serve({
          ...given,
          template: schemaTemplate,
          durable: false,
          wall: now,
          version: '0.0.0-test',
          pid: process.pid,
          isAlive,
        })
        servers.add(interrupt)
        return { ...server, stop: () => server.stop().finally(() => servers.delete(interrupt)) }
      },
      startAgain: () => Promise.reject(new Error('A process in the background needs the built program.')),
      async dataTransfer() {
        await platforms.close()
        return createDataTransfer({ pid: process.pid, isAlive, wall: now })
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
      run: programRunner(options),
    }
    const exitCode = await main(argv, system).finally(served?.leave)
    prompts.check(argv)
    await expectDeclared(argv, exitCode)
    if (supports === 'neutral') await expectBudgetFlag(argv, requests)
    // Two texts that were joined: each brought its own punctuation.
    const doubled = /^.*[\p{L}\d)"](?:\.\.|[?!:;,]\.)$/mu.exec(stderr.all)
    if (doubled) throw new Error(`Doubled punctuation: ${doubled[0]}`)
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

/** Returns whether a command does not print its equivalent: it only prompts, cannot do without, or is quiet. */
const isUntold = (argv: readonly string[]): boolean =>
  argv.includes('chat') || argv.includes('approve') || argv.includes('-q') || argv.includes('--quiet')

/** Checks that the equivalent command was printed after prompts. */
function expectSame(argv: readonly string[], stderr: string): void {
  if (!isUntold(argv) && !stderr.includes('Equivalent command: parley '))
    throw new Error(`parley ${argv.join(' ')} asked and does not tell how not to be asked`)
}

/** Checks that the exit code of a command is documented in its help. */
async function expectDeclared(argv: readonly string[], exitCode: number): Promise<void> {
  const { node, path } = findCommand(argv)
  if (!node?.load) return
  const declared = possibleExits(await node.load()).map((name) => exitCodes[name].code)
  if (!(declared as readonly number[]).includes(exitCode))
    throw new Error(`parley ${path.join(' ')} tells of ${declared.join(', ')} and ended with ${exitCode}`)
}

/** Returns a sink that also tells what is written. */
const observed = (sink: Sink, onOutput: RunOptions['onOutput']): Sink =>
  onOutput ? { ...sink, write: (text) => sink.write(text).then(() => onOutput(text)) } : sink

const terminals = ({ terminal = false, answers }: RunOptions): { stdin: boolean; stdout: boolean; stderr: boolean } => {
  const all = terminal === true || answers !== undefined
  return { stdin: all, stdout: all, stderr: all, ...(typeof terminal === 'object' && terminal) }
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
