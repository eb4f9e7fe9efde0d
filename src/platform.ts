// Before a test can install fake timers.
import './node/real-time.ts'
import type { Client, Words } from './typed-client.ts'

export type { Words }

/** A fault rule with all options of `parley server faults create`. */
export interface FaultRule {
  /** Endpoint whose requests match: `numbers.buy`, `numbers.*`, or `*`. */
  readonly endpoint: string
  /** Fail with an error of docs/errors.md. */
  readonly error?: string
  /** Return this status without an effect. */
  readonly status?: number
  readonly socket?: 'cut' | 'drop' | 'truncate' | 'html' | 'garbage'
  /** Change the response: `remove data.*.price`, `text data.id`. */
  readonly drift?: readonly string[]
  readonly latency_ms?: number
  /** How often the rule triggers (default: always). */
  readonly times?: number
  readonly probability?: number
  readonly seed?: number
  readonly account?: number
  /** Match only requests with these values, by path in the request. */
  readonly where?: Readonly<Record<string, unknown>>
}

/** The state of the clock, and the jobs that the change ran, in order. */
export interface Time {
  readonly now: string
  readonly frozen: boolean
  readonly done: readonly { readonly kind: string; readonly subject: string; readonly due_at: string }[]
}

/** Options of `startPlatform`. All are optional. */
export interface StartOptions {
  /** Port to listen on; 0 uses a free one (default: 0). */
  readonly port?: number
  /** Folder of the data (default: a temporary folder). */
  readonly dataDir?: string
  /** `postgres://...` to store the data there. */
  readonly database?: string
  /**
   * Encryption key of the database, 64 hexadecimal digits (default: the file `secret.key` of the folder). A database
   * that another folder has used needs its key.
   */
  readonly secretKey?: string
  /** Makes the sample data and its secrets reproducible. */
  readonly seed?: number
  /**
   * Sample data instead of the built-in one: an object in the format of `parley server export`, or the path of a YAML or
   * JSON file.
   */
  readonly data?: SampleData | string
  /** Base URL in responses, such as links to pages and webhook URLs (default: `url`, which contains the port). */
  readonly publicUrl?: string
  /**
   * Freezes the clock at this time, ISO 8601, before the sample data is created. Time then moves only when it is
   * advanced.
   */
  readonly clock?: string
  /** Initial fault rules. */
  readonly faults?: readonly FaultRule[]
  /**
   * Whether webhooks, tools and automations may connect to private addresses (default: true, because receivers of tests
   * use them).
   */
  readonly privateAddresses?: boolean
  /** Leaves a new platform empty: no account, no key. */
  readonly empty?: boolean
  /** Maximum requests per account: `max` in `seconds`. */
  readonly limit?: { readonly name: string; readonly max: number; readonly seconds: number }
  /** The vocabulary of its API: `public`, or a custom one. */
  readonly vocabulary?: 'public' | Words
  /** Reader of websites: `http` fetches them, `local` generates content from URLs (default: `local`). */
  readonly reader?: 'local' | 'http'
  /**
   * Language model of the assistants: an OpenAI-compatible endpoint (`url`, `key`, `model`), or a script of intents for
   * the local model (`script`, a path).
   */
  readonly language?: {
    readonly url?: string
    readonly key?: string
    readonly model?: string
    readonly script?: string
  }
}

/**
 * Sample data: accounts with lists of records, which refer to each other by name. `parley schema sample-data`
 * describes every field.
 */
export interface SampleData {
  readonly $schema?: string
  readonly version: 1
  readonly accounts: readonly Readonly<Record<string, unknown>>[]
}

/** An error response of the control API. */
export interface ControlError extends Error {
  readonly name: 'ControlError'
  /** HTTP status. */
  readonly status: number
  /** Invalid fields, with the messages for each. */
  readonly errors: Readonly<Record<string, readonly string[]>>
}

/** A platform for tests. */
export interface TestPlatform {
  /** Base URL: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** API key of the sample account. A reset without a seed creates another. */
  readonly key: string | null
  /** Typed client of the API with this key: `platform.client.numbers.buy({ ... })`. */
  readonly client: Client
  readonly clock: {
    now(): Promise<Time>
    /** Stops the clock, at the current time or at a time, ISO 8601. */
    freeze(at?: string): Promise<Time>
    /** Advances the clock (`90s`, `30m`, `24h`, `31d`, `4w`) and runs the jobs that become due, in order. */
    advance(by: string): Promise<Time>
    /** Advances the clock to a time, to the `next` job, or to the next job of a kind such as `delivery`. */
    until(what: string): Promise<Time>
    /** Returns to the wall time. */
    resume(): Promise<Time>
  }
  readonly faults: {
    add(rule: FaultRule): Promise<{ readonly id: number }>
    /** Returns the fault rules and how often each has triggered. */
    list(): Promise<readonly (FaultRule & { readonly id: number; readonly fired: number })[]>
    clear(): Promise<void>
  }
  /** Sends a request to a path such as `/api/user/me`, with the API key unless the headers have another. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /**
   * Calls any endpoint of the control API: `control('POST', 'simulate/message', { ... })`. Rejects with a ControlError
   * for an error response.
   */
  control(method: string, path: string, body?: object): Promise<unknown>
  /**
   * Replaces all data by new sample data, and returns clock and fault rules to those of the start. With a seed, data and
   * key are those of the start, too.
   */
  reset(): Promise<void>
  /** Stops the platform and deletes a temporary folder. */
  close(): Promise<void>
  /** Closes the platform at the end of a block: `await using platform = await startPlatform()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a platform on loopback in this process. The same `seed` and `clock` produce the same data and the same
 * responses, byte for byte. A platform that is not closed does not keep the process running.
 * @throws TypeError for unknown or invalid options
 */
export async function startPlatform(options: StartOptions = {}): Promise<TestPlatform> {
  return (await import('./testing/start-test-platform.ts')).startTestPlatform(options)
}
