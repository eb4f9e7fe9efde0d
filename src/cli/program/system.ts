import type { Transport } from '../../client/transport/transport.ts'
import type { DataTransfer } from '../../platform/control/transfer/data-transfer.ts'
import type { LocalPlatform, LocalPlatformOptions, RunningServer, ServeOptions } from '../../platform/server-options.ts'
import type { TemporaryPlatformOptions } from '../../platform/temporary-platform.ts'
import type { PromptOptions, Prompts } from './prompts/prompts.ts'
import type { BackgroundProcess, RestartOptions } from './start-again.ts'
import type { ProcessResult, ProgramOptions } from './terminal/run-program.ts'
import type { NodeInput, NodeOutput, Streams } from './terminal/streams.ts'

export type {
  DatabaseStatus,
  DistributionAccess,
  DistributionPlan,
  DistributionResult,
} from '../../platform/control/transfer/distribute-data.ts'
export type {
  DatabaseOptions,
  LanguageFlags,
  LocalPlatformOptions,
  RunningServer,
  ServeOptions,
} from '../../platform/server-options.ts'

/** Returns the system with other parts. The rest is still created when it is first used. */
export const withParts = (system: System, parts: Partial<System>): System =>
  Object.create(
    system,
    Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, { value, enumerable: true }])),
  )

/** Returns how the program names itself to platforms and other servers. */
export const userAgentOf = ({ version }: Pick<System, 'version'>): string => `parley/${version}`

/**
 * What the commands of another program, such as a client of `parley mcp`, may send at most: requests that read, also those that
 * change something and need no approval, or also those that a person has approved.
 */
export type Access = 'read' | 'write' | 'approved'

/**
 * Everything outside the program, as one argument of `main`. A test can run the whole product without a socket, a mock
 * or an exit.
 */
export interface System {
  /** Set when another program runs commands: what needs approval waits for a person, whatever the profile says. */
  readonly access?: Access
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly os: string
  readonly pid: number
  readonly version: string
  /** The runtime, such as `Node 20.18.0`. */
  readonly runtime: string
  readonly streams: Streams
  /** The Node streams of stdin and stderr, for prompts and spinners. */
  readonly terminal: { readonly input: NodeInput; readonly output: NodeOutput }
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP; `reason` is the exit code: 130, 143 or 129. */
  readonly signal: AbortSignal
  /** Returns the wall time in milliseconds. */
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
  isAlive(pid: number): boolean
  /** Sends SIGTERM to a process. */
  terminate(pid: number): void
  /**
   * Starts the program again in the background, with the same arguments but some flags.
   */
  startAgain(options: RestartOptions): Promise<BackgroundProcess>
  openPlatform(options: LocalPlatformOptions): Promise<LocalPlatform>
  /** Opens a platform in a temporary folder. Closing it deletes the folder. */
  openTemporaryPlatform(options: TemporaryPlatformOptions): Promise<LocalPlatform>
  serve(options: ServeOptions): Promise<RunningServer>
  /** Returns functions that copy all data: migrations and backups. */
  dataTransfer(): Promise<DataTransfer>
  /** Creates a transport to a remote deployment. */
  connect(
    baseUrl: string,
    options: { readonly env: Readonly<Record<string, string | undefined>>; readonly insecure: boolean },
  ): Promise<Transport>
  prompts(options: PromptOptions): Promise<Prompts>
  /** Runs a program of the user: an editor or pager on the terminal, or a command that prints or saves a key. */
  run(command: string, args: readonly string[], options: ProgramOptions): Promise<ProcessResult>
}
