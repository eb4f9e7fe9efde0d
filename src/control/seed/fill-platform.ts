import { Failure } from '../../contract/errors/failures.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { eraseDatabase } from '../../store/database/erase-data.ts'
import { readMeta, writeMeta } from '../../store/database/meta.ts'
import { type Credentials, writeCredentials } from '../data-folder/credentials.ts'
import { createSecretGenerator } from '../data-folder/secret-generator.ts'

export interface ControlDeps extends Deps {
  readonly dataDir: string
  /** Number of this process. */
  readonly pid: number
  readonly credentials: { current: Credentials }
  /** Whether others than this machine's users can ask: no secrets that anybody can make may be there. */
  readonly isReachable: boolean
  /** Numbers of other processes that work with this data. */
  readonly otherProcesses: () => readonly number[]
  /** Told when the data carries another seed from now on. */
  readonly onReseeded: (seed: number | null) => void
  /** Told that other data is there by now, of this seed. */
  readonly onRestored: (seed: number | null) => void
  /**
   * Runs `body`, called while one request is answered, when nothing else of this process is at work and while nothing begins. What automations and
   * deliveries had begun is broken off first, and left to whoever finds it. Undefined when others do not come to their end in time.
   */
  readonly runExclusively: <T>(body: () => Promise<T>) => Promise<T | undefined>
}

/** The seed this platform was filled with; undefined while it is empty, null when it was filled at random. */
export async function readPlatformSeed({ connection }: Pick<Deps, 'connection'>): Promise<number | null | undefined> {
  const value = await readMeta(connection.read, 'seed')
  return value === undefined ? undefined : value === 'random' ? null : Number(value)
}

/**
 * Fills the platform and answers its first key. Forgetting and filling are one transaction: whoever is killed in it changed nothing.
 * @throws Failure `platform.not_empty` unless `replace` says that what is there may go; `snapshots.seeded` where others could make the secrets
 */
export async function fillPlatform(
  deps: ControlDeps,
  options: { readonly seed: number | null; readonly replace: boolean },
): Promise<string> {
  const { connection, clock, credentials } = deps
  if (options.seed !== null && deps.isReachable) throw new Failure('snapshots.seeded')
  if (!options.replace && (await readPlatformSeed(deps)) !== undefined) throw new Failure('platform.not_empty')
  const before = credentials.current
  const secrets = createSecretGenerator(options.seed)
  // Without a seed a new world must not keep the secret of one that had one: anybody can make that.
  const secret = options.seed === null && !options.replace ? before.secret : secrets('key local', 40)
  // Written down before the world that knows it: whoever finds the file after a crash finds the key by its secret.
  if (secret !== before.secret) writeCredentials(deps.dataDir, { ...before, secret, key: null })
  try {
    // What a new platform holds is made once, and much of the contract with it.
    const { seedSampleData } = await import('./seed-sample-data.ts')
    const { createInventory } = await import('../../providers/telephony/number-inventory.ts')
    const inventory = createInventory(inventorySeed(options.seed))
    const key = await connection.write(async (query) => {
      if (options.replace) await eraseDatabase(query, connection.dialect)
      // Two processes that start at once on a new folder: the second finds it filled.
      else if ((await readMeta(query, 'seed')) !== undefined) throw new Failure('platform.not_empty')
      const now = await clock.now(query)
      await writeMeta(query, 'seed', options.seed === null ? 'random' : String(options.seed))
      return seedSampleData(query, {
        now,
        secret,
        secrets,
        payments: deps.providers.payments,
        vault: deps.vault,
        inventory,
      })
    })
    credentials.current = writeCredentials(deps.dataDir, { ...before, secret, key })
    deps.onReseeded(options.seed)
    return key
  } catch (error) {
    if (credentials.current === before && secret !== before.secret) writeCredentials(deps.dataDir, before)
    throw error
  }
}

/** What the local inventory is made from. Without a seed only secrets are random; what is for sale is the same everywhere. */
export const inventorySeed = (seed: number | null): string => String(seed ?? 'parley')
