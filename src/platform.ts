import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How a deployment spells the neutral words: left the neutral word, right the deployment's. */
export interface Words {
  /** Whole path segments. */
  readonly paths: Readonly<Record<string, string>>
  /** JSON keys and query names. */
  readonly keys: Readonly<Record<string, string>>
  /** Enumerated values, by the key they stand at. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Beginnings of values, by key; under `*` beginnings of keys. */
  readonly prefixes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Requests that fail on purpose: all that `parley server faults create` takes. */
export interface FaultRule {
  /** Endpoint whose requests meet it: `numbers.buy`, `numbers.*`, or `*`. */
  readonly endpoint: string
  /** Refuse as the platform does: an error of docs/errors.md. */
  readonly error?: string
  /** Answer this status, and do nothing. */
  readonly status?: number
  readonly socket?: 'cut' | 'drop' | 'truncate' | 'html' | 'garbage'
  /** Change the answer: `remove data.*.price`, `text data.id`. */
  readonly drift?: readonly string[]
  readonly latency_ms?: number
  /** How often it strikes; always unless given. */
  readonly times?: number
  readonly probability?: number
  readonly seed?: number
  readonly account?: number
  /** Only requests with these values, by path in what was asked. */
  readonly where?: Readonly<Record<string, unknown>>
}

/** What the clock shows, and the due work its turning did, in order. */
export interface Time {
  readonly now: string
  readonly frozen: boolean
  readonly done: readonly { readonly kind: string; readonly subject: string; readonly due_at: string }[]
}

/** Options of `startPlatform`; nothing is required. */
export interface StartOptions {
  /** 0, a free one, unless given. */
  readonly port?: number
  /** Folder to keep the data in; a throw-away one unless given. */
  readonly dataDir?: string
  /** `postgres://...` to keep the data there. */
  readonly database?: string
  /** The same number makes the same world, its secrets too. */
  readonly seed?: number
  /** Stops its time at this moment, ISO 8601, before anything is in it: the world is made as of then, and time moves only when it is told to. */
  readonly clock?: string
  /** Faults it begins with. */
  readonly faults?: readonly FaultRule[]
  /** Whether webhooks, tools and automations may ask servers of this machine and of private networks: yes unless told otherwise, as receivers of tests are there. */
  readonly privateAddresses?: boolean
  /** Leaves a new platform empty: no account, no key. */
  readonly empty?: boolean
  /** At most `max` requests in so many seconds, per account. */
  readonly limit?: { readonly name: string; readonly max: number; readonly seconds: number }
  /** How its interface spells the neutral words: `public`, or words of your own. */
  readonly vocabulary?: 'public' | Words
  /** Who reads the websites of knowledge bases: `http` fetches them; `local`, unless given, makes them of their addresses. */
  readonly reader?: 'local' | 'http'
  /** What its assistants think with: an OpenAI-compatible endpoint (`url`, `key`, `model`), or a script of intents for the local model (`script`, a path). */
  readonly language?: {
    readonly url?: string
    readonly key?: string
    readonly model?: string
    readonly script?: string
  }
}

/** A platform for somebody else's tests. */
export interface TestPlatform {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** A key of the seeded account. */
  readonly key: string | null
  readonly clock: {
    now(): Promise<Time>
    /** Stops time, where it is or at a moment, ISO 8601. */
    freeze(at?: string): Promise<Time>
    /** Moves time forward (`90s`, `30m`, `24h`, `31d`, `4w`) and does what falls due, in order. */
    advance(by: string): Promise<Time>
    /** Moves time forward to a moment, to the `next` due work, or to that of a kind: `delivery`. */
    until(what: string): Promise<Time>
    /** Back to the wall's time. */
    resume(): Promise<Time>
  }
  readonly faults: {
    add(rule: FaultRule): Promise<{ readonly id: number }>
    /** Those that are set, and how often each struck. */
    list(): Promise<readonly (FaultRule & { readonly id: number; readonly fired: number })[]>
    clear(): Promise<void>
  }
  /** Anything else of the control interface: `control('POST', 'simulate/message', { ... })`. Rejects with what it refused. */
  control(method: string, path: string, body?: object): Promise<unknown>
  /** Ends it; what it kept in a throw-away folder is gone. */
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

/** Starts a platform on loopback, in this process, in a throw-away folder unless one is given. The same `seed` and `clock` give the same world and the same answers, byte for byte. */
export async function startPlatform(options: StartOptions = {}): Promise<TestPlatform> {
  const { serve } = await import('./serve.ts')
  const { port = 0, dataDir, clock, faults = [], privateAddresses = true, ...rest } = options
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'parley-platform-'))
  const remove = (): void => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const at = { dataDir: folder, durable: dataDir !== undefined, host: '127.0.0.1', port, pid: process.pid, isAlive }
  const platformOptions = { ...rest, privateAddresses, ...(clock !== undefined && { frozenAt: clock }) }
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
