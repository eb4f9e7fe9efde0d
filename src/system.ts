import { createPrompts } from './cli/program/prompts/create-prompts.ts'
import type { System } from './cli/program/system.ts'
import { runProgram } from './cli/program/terminal/run-program.ts'
import { standardStreams } from './cli/program/terminal/standard-streams.ts'
import { realTime, sleep } from './node/real-time.ts'
import { homeFolder, languageSettings, platformSettings } from './platform/environment-settings.ts'

/** Milliseconds after which a server that has stopped exits, even if something still runs. */
const exitDelayMs = 500

declare const PARLEY_VERSION: string | undefined

/** Creates the system of this process. */
export function createSystem(): System {
  const { env, platform: os, pid } = process
  const version = typeof PARLEY_VERSION === 'string' ? PARLEY_VERSION : '0.0.0'
  const interrupt = listenForSignals()
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  }
  return {
    env,
    cwd: process.cwd(),
    get home() {
      return homeFolder(() => process.getBuiltinModule('node:os').homedir())
    },
    os,
    pid,
    version,
    runtime: `Node ${process.versions.node}`,
    streams: standardStreams(process),
    terminal: {
      get input() {
        endWithTerminal()
        return process.stdin
      },
      get output() {
        return process.stderr
      },
    },
    get signal() {
      return interrupt().signal
    },
    now: realTime.now,
    sleep,
    random: Math.random,
    isAlive,
    terminate: (it) => process.kill(it, 'SIGTERM'),
    startAgain: async (options) => (await import('./cli/program/start-again.ts')).startAgain(options),
    async openPlatform(options) {
      const { openPlatform } = await import('./platform/compose.ts')
      const language = languageSettings(env, resolvePath)
      return openPlatform({
        ...options,
        ...platformSettings(env, os),
        language,
        version,
        pid,
        isAlive,
        inProcess: true,
      })
    },
    openTemporaryPlatform: async (options) =>
      (await import('./platform/temporary-platform.ts')).openTemporaryPlatform(options, {
        pid,
        isAlive,
        version,
        env,
        os,
      }),
    async serve(options) {
      const { serve } = await import('./platform/serve.ts')
      hideDatabaseUrls('parley server start')
      const language = { ...languageSettings(env, resolvePath), ...options.language }
      const server = await serve({
        ...platformSettings(env, os),
        ...options,
        language,
        version,
        pid,
        isAlive,
        processUsage,
      })
      return {
        ...server,
        async stop(limits) {
          await server.stop(limits)
          // Work that could not be aborted must not keep the process alive.
          realTime.setTimeout(() => process.exit(), exitDelayMs).unref()
        },
      }
    },
    async dataTransfer() {
      hideDatabaseUrls('parley server')
      return (await import('./platform/control/transfer/data-transfer.ts')).createDataTransfer({
        pid,
        isAlive,
        wall: realTime.now,
      })
    },
    connect: async (baseUrl, options) =>
      (await import('./client/transport/remote-transport.ts')).remoteTransport(baseUrl, options),
    prompts: async (options) => createPrompts(options),
    run: async (...given) => runProgram(...given),
  }
}

const resolvePath = (path: string): string => process.getBuiltinModule('node:path').resolve(process.cwd(), path)

/** Other users see the arguments of a process. If they have a URL of a database, the title replaces them. */
function hideDatabaseUrls(title: string): void {
  if (process.argv.some((it) => /^(--[a-z]+=)?postgres(ql)?:\/\//i.test(it))) process.title = title
}

/** Returns CPU time and memory of this process. */
function processUsage(): { cpuSeconds: number; residentBytes: number } {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: (user + system) / 1_000_000, residentBytes: process.memoryUsage.rss() }
}

let watchesTerminal = false

/** Ends the process as SIGHUP does if the terminal of its input is gone when it exits. */
function endWithTerminal(): void {
  if (watchesTerminal || !process.stdin.isTTY) return
  watchesTerminal = true
  process.once('exit', () => {
    if (!process.getBuiltinModule('node:tty').isatty(0)) endByHangUp()
  })
}

/** Ends the process by SIGHUP. Node resets the terminal at another exit, and aborts if that was closed. */
function endByHangUp(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

/**
 * Handles signals: the first one requests a clean end, the second one of any kind exits. The controller is created on
 * first use, because help needs none.
 */
function listenForSignals(): () => AbortController {
  let controller: AbortController | undefined
  const interrupt = (): AbortController => (controller ??= new AbortController())
  // The codes are those of contract/errors/exit-codes.ts.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      if (signal === 'SIGHUP') process.once('exit', endByHangUp)
      if (interrupt().signal.aborted) process.exit(code)
      interrupt().abort(code)
    })
  }
  return interrupt
}
