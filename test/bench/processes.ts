import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const program = join(import.meta.dirname, '../../bin/parley.js')

export type Env = Readonly<Record<string, string | undefined>>

/** Temporary home for a measured program. Variables that change how Node or Parley starts are not inherited. */
export interface Home {
  readonly folder: string
  readonly env: Env
  remove(): void
}

/** Creates a temporary home. */
export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  for (const name of ['home', 'config']) mkdirSync(join(folder, name))
  const saved = Object.entries(process.env).filter(([name]) => !/^(NODE_|PARLEY_|XDG_|npm_)/.test(name))
  const home = join(folder, 'home')
  const own = {
    HOME: home,
    USERPROFILE: home,
    LOCALAPPDATA: home,
    PARLEY_DATA_DIR: join(folder, 'data'),
    PARLEY_CONFIG_DIR: join(folder, 'config'),
  }
  return {
    folder,
    env: { ...Object.fromEntries(saved), ...own },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Returns the milliseconds until `node ...args` has ended and all its output has arrived. Rejects if it fails. */
export const timed = (args: readonly string[], env: Env, cwd?: string): Promise<number> =>
  timedProgram(process.execPath, args, env, cwd)

/** Returns the milliseconds until a program has ended and all its output has arrived. Rejects if it fails. */
export async function timedProgram(file: string, args: readonly string[], env: Env, cwd?: string): Promise<number> {
  const start = performance.now()
  const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end()
  child.stdout.resume()
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${[file, ...args].join(' ')} ended with ${code}: ${errors}`)
  return performance.now() - start
}

/**
 * Uses the kernel's value of the process if there is one: `maxRSS` starts with the memory of the parent at the time of
 * the fork.
 */
const reporter = `const peak = () => {
  try {
    return /VmHWM:\\s*(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1]
  } catch (_) {
    return String(process.resourceUsage().maxRSS)
  }
}
process.once('exit', () => {
  const { user, system } = process.cpuUsage()
  require('fs').writeSync(3, peak() + ' ' + (user + system) / 1000)
})
const writes = () => {
  try {
    return Number(/syscw: (\\d+)/.exec(require('fs').readFileSync('/proc/self/io', 'utf8'))[1])
  } catch (_) {
    return NaN
  }
}
process.on('message', () => {
  const pauses = process.resourceUsage().voluntaryContextSwitches
  process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss(), writes: writes(), pauses })
})
if (process.channel) process.channel.unref()
`

/** Writes a file that makes a process report its memory and CPU time: at its end, and on request over the channel. */
export function reporterIn(folder: string): string {
  const file = join(folder, 'reporter.cjs')
  writeFileSync(file, reporter)
  return file
}

/** What a run used. */
export interface RunUsage {
  /** Milliseconds from the start of the process to its end. */
  readonly ms: number
  readonly cpuMs: number
  readonly peakMb: number
}

/** Returns the peak resident memory of a run in MB. Rejects if it fails. */
export const peak = async (args: readonly string[], env: Env, folder: string): Promise<number> =>
  (await runUsage(args, env, folder)).peakMb

/** Runs `node ...args` and returns what it used. Rejects if it ends with another exit code. */
export async function runUsage(
  args: readonly string[],
  env: Env,
  folder: string,
  exitCodes: readonly number[] = [0],
): Promise<RunUsage> {
  const start = performance.now()
  const child = spawn(process.execPath, ['--require', reporterIn(folder), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    text += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === null || !exitCodes.includes(code) || text === '')
    throw new Error(`node ${args.join(' ')} ended with ${code}.`)
  const [kilobytes, cpuMs] = text.split(' ').map(Number) as [number, number]
  return { ms: performance.now() - start, cpuMs, peakMb: kilobytes / 1024 }
}

export interface Usage {
  /** CPU time since the start in milliseconds. */
  readonly cpuMs: number
  /** Resident memory in MB. */
  readonly rssMb: number
  /** System calls that wrote since the start, most of them to sockets; not a number where it is unknown. */
  readonly writes: number
  /** How often its threads have waited since the start, for a socket, a timer or each other. */
  readonly pauses: number
}

export interface Running {
  readonly port: number
  /** Milliseconds from the start of the process to the end of its first response. */
  readonly firstMs: number
  usage(): Promise<Usage>
  stop(): Promise<void>
}

/**
 * Starts `node ...args`, a server that will listen on `port` of loopback, and waits for a success response to GET
 * `path`.
 */
export async function startServer(
  args: readonly string[],
  { env, folder, port, path, headers }: ServerOptions,
): Promise<Running> {
  const start = performance.now()
  const stdio = ['ignore', 'ignore', 'pipe', 'ignore', 'ipc'] as const
  const child = spawn(process.execPath, ['--require', reporterIn(folder), ...args], { env, stdio: [...stdio] })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += String(chunk)
  })
  while (!(await answers(port, path, headers))) {
    if (child.exitCode !== null || performance.now() - start > 20_000) {
      child.kill('SIGKILL')
      throw new Error(`The server did not start: ${errors}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { port, firstMs: performance.now() - start, usage: () => ask(child), stop: () => end(child) }
}

export interface ServerOptions {
  readonly env: Env
  /** Folder for files of the measurement. */
  readonly folder: string
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

async function ask(child: ChildProcess): Promise<Usage> {
  child.send('usage')
  const [{ cpu, rss, writes, pauses }] = (await once(child, 'message')) as [
    { cpu: { user: number; system: number }; rss: number; writes: number | null; pauses: number },
  ]
  return { cpuMs: (cpu.user + cpu.system) / 1000, rssMb: rss / 1024 / 1024, writes: writes ?? Number.NaN, pauses }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
  child.kill('SIGTERM')
  await closed
  clearTimeout(timer)
}

function answers(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 200))
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}

/** Returns a port of loopback that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Returns the key of the platform in a home, which an earlier command has created. */
export const keyOf = ({ env }: Home): string =>
  (JSON.parse(readFileSync(join(env.PARLEY_DATA_DIR ?? '', 'credentials.json'), 'utf8')) as { key: string }).key
