import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, program } from '../../bench/processes.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'

/** Milliseconds for a server to start. */
const startMs = 60_000
/** Characters of a log that are remembered: outages write about a thousand for each failed request. */
const maxLog = 20_000_000

/** A server of the built program that may be killed, stopped and cut off from its database. */
export interface ClusterServer {
  readonly name: string
  readonly url: string
  readonly dataDir: string
  readonly proxy: DatabaseProxy
  /** Everything it has written to standard error, the end of it. */
  readonly log: string
  /** Process number of the running process. */
  readonly pid: number
  start(): Promise<void>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Stops (SIGSTOP) and continues (SIGCONT) the process. */
  pause(): void
  resume(): void
  /** Ends it with SIGTERM, and reports a wrong exit code. */
  stop(): Promise<void>
}

export interface ClusterServerOptions {
  readonly folder: string
  readonly name: string
  readonly database: string
  /** Milliseconds by which its clock is ahead. */
  readonly skewMs: number
  /** Data folder with the `secret.key` that all servers of a database need. */
  readonly secretsOf?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called when a process ends that was not stopped, or with an exit code. */
  readonly onWrong: (text: string) => void
}

/** Creates a server on a free port of loopback, with a data folder and a proxy of its own. It is not started. */
export async function createClusterServer(options: ClusterServerOptions): Promise<ClusterServer> {
  const { folder, name, skewMs, onWrong } = options
  const dataDir = join(folder, name)
  mkdirSync(dataDir, { recursive: true })
  const proxy = await startDatabaseProxy(options.database)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  if (options.secretsOf !== undefined) copyFileSync(join(options.secretsOf, 'secret.key'), join(dataDir, 'secret.key'))
  const skew = join(folder, `${name}.cjs`)
  writeFileSync(skew, skewedClock(skewMs))
  const env = { ...options.env, PARLEY_DATA_DIR: dataDir, PARLEY_PRIVATE_ADDRESSES: '1' }
  const args = [
    '--require',
    skew,
    program,
    'server',
    'start',
    '--port',
    String(port),
    '--database',
    proxy.url,
    '--chat-limits',
    '0,0,0,0',
  ]
  let child: ChildProcess | undefined
  let log = ''
  /** Whether this test ends the process. */
  let isEnding = false

  async function end(signal: 'SIGKILL' | 'SIGTERM', limitMs: number): Promise<number | null> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return null
    isEnding = true
    const closed = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => {
      onWrong(`${name} did not end within ${limitMs / 1000} s of ${signal}`)
      child?.kill('SIGKILL')
    }, limitMs)
    const [code] = (await closed) as [number | null]
    clearTimeout(timer)
    return code
  }

  const orphaned = (): void => void child?.kill('SIGKILL')
  process.once('exit', orphaned)
  return {
    name,
    url,
    dataDir,
    proxy,
    get log() {
      return log
    },
    get pid() {
      return child?.pid ?? 0
    },
    async start() {
      isEnding = false
      const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
      child = started
      started.stderr?.on('data', (chunk: Buffer) => {
        log += String(chunk)
        if (log.length > 2 * maxLog) log = log.slice(-maxLog)
      })
      started.once('exit', (code, signal) => {
        if (!isEnding) onWrong(`${name} ended by itself with ${code ?? signal}: ${log.slice(-2000)}`)
      })
      const late = performance.now() + startMs
      while (!(await isReady(url))) {
        if (started.exitCode !== null || performance.now() > late)
          throw new Error(`${name} did not start: ${log.slice(-2000)}`)
        await sleep(20)
      }
    },
    async kill() {
      await end('SIGKILL', 10_000)
    },
    pause() {
      child?.kill('SIGSTOP')
    },
    resume() {
      child?.kill('SIGCONT')
    },
    async stop() {
      child?.kill('SIGCONT')
      const code = await end('SIGTERM', 30_000)
      if (code !== 0) onWrong(`${name} ended with ${code} after SIGTERM: ${log.slice(-2000)}`)
      process.off('exit', orphaned)
      proxy.close()
    },
  }
}

/** Returns the control token of a data folder. */
export const controlToken = (dataDir: string): string =>
  (JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as { control: string }).control

/** Returns a preloaded file that moves the clock of a process, but not its timers. */
const skewedClock = (ms: number): string => `const real = Date.now
const Real = Date
if (${ms} !== 0) {
  Date.now = () => real() + ${ms}
  globalThis.Date = class Date extends Real {
    constructor(...args) { args.length === 0 ? super(Real.now()) : super(...args) }
  }
}
`

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })).ok
  } catch {
    return false
  }
}
