import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Step } from '../../support/terminal.ts'
import { type Finished, filledPlace, newPlace, type Place, parley, type RunOptions } from './built-program.ts'
import { rowsOf } from './holdings.ts'
import { atTerminal } from './program-terminal.ts'
import { type RelayOptions, relay } from './relay.ts'
import { type Served, serve } from './server-process.ts'

type Interference = { -readonly [K in keyof RelayOptions]: RelayOptions[K] }

/** An operator whose profile "staging" is a deployment elsewhere, with something in between that may interfere. */
export interface Staging {
  readonly server: Served
  /** Folders of the operator. */
  readonly at: Place
  /** What happens in between; a test sets it at any time. */
  readonly between: Interference
  /** Requests that arrived in between, as `METHOD path`. */
  readonly seen: string[]
  /** Requests that may have changed something. */
  readonly writes: () => string[]
  /** Runs a command without a terminal. */
  run(words: string | readonly string[], options?: RunOptions): Promise<Finished>
  /** Runs a command on a terminal of 200 columns. */
  ask(words: string, steps: readonly Step[]): Promise<{ readonly exitCode: number; readonly text: string }>
  /** Runs a command of somebody else, directly on the platform. */
  colleague(words: string | readonly string[]): Promise<Finished>
  /** Prints JSON and parses it. */
  // biome-ignore lint/suspicious/noExplicitAny: the test knows what is printed
  json(words: string): Promise<any>
  write(file: string, content: unknown): void
  /** Totals of the platform that money and sends leave. */
  books(): {
    readonly ledger: number
    readonly charges: number
    readonly numbers: number
    readonly messages: number
    readonly calls: number
  }
}

/** Serves a platform with sample data, and signs an operator in to it behind a relay, for the length of a test. */
export async function staging(options: { readonly plain?: boolean; readonly profile?: string } = {}): Promise<Staging> {
  const server = await serve(await filledPlace(7))
  const between: Interference = { plain: options.plain ?? false }
  const seen: string[] = []
  const url = await relay(server.url, {
    get plain() {
      return between.plain ?? false
    },
    before: (request) => {
      seen.push(`${request.method} ${request.url}`)
      return between.before?.(request)
    },
    after: (request) => between.after?.(request),
    instead: (request, body) => between.instead?.(request, body),
    alter: (request, answer) => between.alter?.(request, answer) ?? answer,
  })
  const at = newPlace()
  const run = (words: string | readonly string[], more: RunOptions = {}) => parley(words, { at, ...more })
  const signIn = await run(['login', 'staging', '--url', url, '--api-key-stdin'], { input: server.key })
  if (signIn.exitCode !== 0) throw new Error(`login: ${signIn.stderr}`)
  if (options.profile) {
    const set = await run(`profile set staging ${options.profile}`)
    if (set.exitCode !== 0) throw new Error(`profile set: ${set.stderr}`)
  }
  seen.length = 0
  const other = newPlace()
  const colleague = (words: string | readonly string[]) =>
    parley(words, { at: other, env: { PARLEY_API_KEY: server.key, PARLEY_BASE_URL: server.url } })
  return {
    server,
    at,
    between,
    seen,
    writes: () => seen.filter((it) => !it.startsWith('GET ')),
    run,
    async ask(words, steps) {
      const { exitCode, screen } = await atTerminal(words, steps, { at, columns: 200 })
      return { exitCode, text: screen.replaceAll(/\s+/g, ' ') }
    },
    colleague,
    async json(words) {
      const { exitCode, stdout, stderr } = await run(`${words} --json`)
      if (exitCode !== 0) throw new Error(`parley ${words}: exit ${exitCode}\n${stderr}`)
      return JSON.parse(stdout)
    },
    write: (file, content) =>
      writeFileSync(join(at.dir, file), typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
    books() {
      const count = (table: string): string => `select count(*) as n from ${table}`
      const [ledger, charges, numbers, messages, calls] = rowsOf(
        server.at,
        ['ledger', 'local_charge', 'phone_number', 'channel_message', 'phone_call'].map(count),
      ).map((rows) => Number(rows[0]?.n))
      return { ledger, charges, numbers, messages, calls } as never
    },
  }
}
