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
  /** Leaves a new platform empty: no account, no key. */
  readonly empty?: boolean
  /** At most `max` requests in so many seconds, per account. */
  readonly limit?: { readonly name: string; readonly max: number; readonly seconds: number }
  /** How its interface spells the neutral words: `public`, or words of your own. */
  readonly vocabulary?: 'public' | Words
  /** What its assistants think with: an OpenAI-compatible endpoint (`url`, `key`, `model`), or a script of intents for the local model (`script`, a path). */
  readonly language?: { readonly url?: string; readonly key?: string; readonly model?: string; readonly script?: string }
}

/** A platform for somebody else's tests. */
export interface TestPlatform {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** A key of the seeded account. */
  readonly key: string | null
  stop(): Promise<void>
}

/** Starts a platform on loopback, in a throw-away folder unless one is given. The same `seed` gives the same world, its secrets too. */
export async function startPlatform(options: StartOptions = {}): Promise<TestPlatform> {
  const { serve } = await import('./serve.ts')
  const { port = 0, dataDir, ...rest } = options
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'parley-platform-'))
  const server = await serve({ ...rest, dataDir: folder, host: '127.0.0.1', port, pid: process.pid, isAlive: () => true })
  return {
    url: server.url,
    key: server.key,
    async stop() {
      await server.stop()
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
