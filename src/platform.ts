import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaTemplate } from './environment-settings.ts'

/** The vocabulary of a deployment: neutral words on the left, the deployment's on the right. */
export interface Words {
  /** Whole path segments. */
  readonly paths: Readonly<Record<string, string>>
  /** JSON keys and query names. */
  readonly keys: Readonly<Record<string, string>>
  /** Enumerated values, by their key. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Prefixes of values, by key. Under `*`, prefixes of keys. */
  readonly prefixes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

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

/** A platform for tests. */
export interface TestPlatform {
  /** Base URL: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** API key of the sample account. */
  readonly key: string | null
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
  /**
   * Calls any endpoint of the control API: `control('POST', 'simulate/message', { ... })`. Rejects with the message of
   * an error response.
   */
  control(method: string, path: string, body?: object): Promise<unknown>
  /** Stops the platform and deletes a temporary folder. */
  close(): Promise<void>
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Starts a platform on loopback in this process. The same `seed` and `clock` produce the same data and the same
 * responses, byte for byte.
 */
export async function startPlatform(options: StartOptions = {}): Promise<TestPlatform> {
  const { serve } = await import('./serve.ts')
  const { port = 0, dataDir, database, secretKey, clock, faults = [], privateAddresses = true, ...rest } = options
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'parley-platform-'))
  const remove = (): void => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const at = {
    dataDir: folder,
    durable: dataDir !== undefined,
    isTemporary: dataDir === undefined,
    host: '127.0.0.1',
    port,
    pid: process.pid,
    isAlive,
  }
  const databaseSettings = {
    urls: database === undefined ? [] : [{ url: database, source: 'the option "database"', use: 'given' as const }],
    ...(secretKey && { secretKey: { text: secretKey, source: 'the option "secretKey"', isStored: false } }),
  }
  const platformOptions = {
    ...rest,
    database: databaseSettings,
    privateAddresses,
    template: schemaTemplate(process.env, process.platform),
    ...(clock !== undefined && { frozenAt: clock }),
  }
  const server = await serve({ ...platformOptions, ...at }).catch((error) => {
    remove()
    throw error
  })
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await server.control(method, `/control/${path}`, body)
    const response = JSON.parse(answer.body) as { readonly message?: string }
    if (answer.status >= 400)
      throw new Error(`${method} ${path} failed with status ${answer.status}: ${response.message ?? answer.body}`)
    return response as T
  }
  let closing: Promise<void> | undefined
  const platform: TestPlatform = {
    url: server.url,
    key: server.key,
    clock: {
      now: () => control('GET', 'clock'),
      freeze: (moment) => control('POST', 'clock/freeze', moment === undefined ? {} : { at: moment }),
      advance: (by) => control('POST', 'clock/advance', { by }),
      until: (what) => control('POST', 'clock/until', { what }),
      resume: () => control('POST', 'clock/resume', {}),
    },
    faults: {
      add: async (rule) => ({ id: (await control<{ data: { id: number } }>('POST', 'faults', rule)).data.id }),
      list: async () => (await control<{ data: never[] }>('GET', 'faults')).data,
      clear: async () => void (await control('DELETE', 'faults')),
    },
    control,
    close: () => (closing ??= server.stop().finally(remove)),
  }
  try {
    for (const rule of faults) await platform.faults.add(rule)
  } catch (error) {
    await platform.close()
    throw error
  }
  return platform
}
