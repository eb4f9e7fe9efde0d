import { Failure } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { missing, readMarker } from '../../../node/folder-marker.ts'
import { requireValue } from '../../../node/require-value.ts'
import { createInventory } from '../../providers/telephony/number-inventory.ts'
import { hashSecret, issueKey, parseToken, toToken } from '../../services/runtime/api-keys.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import { findKeyOfHash, listAccounts } from '../../store/accounts/accounts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import { eraseDatabase } from '../../store/database/erase-data.ts'
import { readMeta, seedKey, writeMeta } from '../../store/database/meta.ts'
import { requireKnownSchema } from '../../store/database/migrate.ts'
import { writeClock } from '../../store/runtime/clock.ts'
import { type Credentials, writeCredentials } from '../data-folder/credentials.ts'
import { createSecretGenerator } from '../data-folder/secret-generator.ts'
import type { LoadOptions } from './load-sample-data.ts'

/** Returns the key whose secret is in the credentials file, if it is in the database. `read` may be that of a transaction. */
export async function findLocalKey(
  connection: Pick<Connection, 'read' | 'isSharded'>,
  secret: string,
): Promise<string | undefined> {
  const row = await findKeyOfHash(connection, hashSecret(secret))
  return row && toToken(row.id, secret)
}

/**
 * Inserts a key with the file's secret for the first account. This is needed when another host filled the database,
 * which then has no key of this folder.
 */
async function insertLocalKey({ connection, clock, credentials }: ControlDeps): Promise<string | null> {
  return connection.write('everything', async (query) => {
    // Another process with the same file may have inserted it first.
    const known = await findLocalKey({ ...connection, read: query }, credentials.current.secret)
    if (known) return known
    const [account] = await listAccounts(query)
    if (!account) return null
    const { token } = await issueKey(accountQuery(query, account.id), {
      name: 'local',
      secret: credentials.current.secret,
      now: await clock.now(query),
    })
    return token
  })
}

/** Makes a token the key of the folder, replacing a deleted one. */
export function replaceLocalKey(
  { credentials, dataDir }: Pick<ControlDeps, 'credentials' | 'dataDir'>,
  token: string,
): void {
  credentials.current = writeCredentials(dataDir, {
    ...credentials.current,
    secret: requireValue(parseToken(token)).secret,
    key: token,
  })
}

/** Dependencies of the control API. */
export interface ControlDeps extends Deps {
  readonly dataDir: string
  /** Id of this process. */
  readonly pid: number
  readonly credentials: { current: Credentials }
  /** Whether data must survive a power failure. */
  readonly isDurable: boolean
  /** Stores the secrets for other servers, in the caller's transaction; absent if the database is a file. */
  readonly shareSecrets?: (query: PlatformQuery, vault: Vault, secrets: Credentials) => Promise<void>
  /** Whether other machines can reach the platform. Then predictable secrets of a seed are not allowed. */
  readonly isReachable: boolean
  /** Returns the ids of other processes that use this data. */
  readonly otherProcesses: () => readonly number[]
  /** Time at which the clock was frozen when this process started; a reset returns to it. */
  readonly startTime?: Micros | undefined
  /** Fault rules with which this process started. */
  readonly startFaults?: readonly object[] | undefined
  /** Called when the platform was filled with another seed. */
  readonly onReseeded: (seed: number | null) => void
  /** Called when other data was restored, with its seed. */
  readonly onRestored: (seed: number | null) => void
  /**
   * Runs `body`, which is called while a request is handled, when nothing else is in progress in this process, and
   * holds new requests back. Automations and deliveries in progress are aborted first and resumed later. Returns
   * undefined when other requests do not end in time.
   */
  readonly runExclusively: <T>(body: () => Promise<T>) => Promise<T | undefined>
}

/** Returns the seed of the platform: undefined while it is empty, null when it was filled with random secrets. */
export async function readPlatformSeed({ connection }: Pick<Deps, 'connection'>): Promise<number | null | undefined> {
  const value = await readMeta(connection.read, seedKey)
  return value === undefined ? undefined : value === 'random' ? null : Number(value)
}

/**
 * Fills the platform with sample data, or with that of `data`, and returns its first key. Erasing and filling are one
 * transaction, so a crash changes nothing.
 * @throws Failure `platform.not_empty` without `replace`, `snapshots.seeded` with a seed on a reachable platform, or 422
 * for invalid data
 */
export async function fillPlatform(
  deps: ControlDeps,
  options: {
    readonly seed: number | null
    readonly replace: boolean
    readonly data?: object | undefined
    /** Time at which the clock is frozen, if the platform is replaced (default: real time). */
    readonly frozenAt?: Micros | undefined
  },
): Promise<string> {
  const { connection, clock, credentials } = deps
  if (options.seed !== null && deps.isReachable) throw new Failure('snapshots.seeded')
  if (!options.replace && (await readPlatformSeed(deps)) !== undefined) throw new Failure('platform.not_empty')
  const before = credentials.current
  const secrets = createSecretGenerator(options.seed)
  // With a seed, tests of users rely on the key, and so on this label: it never changes.
  // A platform without a seed must not reuse the secret of a seeded one, which is predictable.
  const secret = options.seed === null && !options.replace ? before.secret : secrets('key local', 40)
  // The secret is written before the database knows it, so that after a crash the key is found by its secret.
  if (secret !== before.secret) writeCredentials(deps.dataDir, { ...before, secret, key: null }, deps.isDurable)
  try {
    const inventory = createInventory(inventorySeed(options.seed))
    const { insertSampleRows } = await import('./sample-rows.ts')
    const load = options.data
      ? await (await import('./load-sample-data.ts')).prepareSampleData(deps, options.data)
      : (query: PlatformQuery, loaded: LoadOptions) => insertSampleRows(query, connection.dialect, loaded)
    const key = await connection.write('everything', async (query) => {
      if (options.replace) {
        await requireKnownSchema(query, connection.location)
        await eraseDatabase(query, connection.dialect)
        if (options.frozenAt !== undefined) await writeClock(query, { frozen_at: options.frozenAt, offset: 0 })
      }
      // Two processes may start at once on a new folder; the second one finds the platform filled.
      else if ((await readMeta(query, seedKey)) !== undefined) throw new Failure('platform.not_empty')
      const now = await clock.now(query)
      await deps.shareSecrets?.(query, deps.vault, { ...before, secret })
      await writeMeta(query, seedKey, options.seed === null ? 'random' : String(options.seed))
      const { payments } = deps.providers
      return load(query, { now, secret, secrets, payments, vault: deps.vault, inventory })
    })
    credentials.current = writeCredentials(deps.dataDir, { ...before, secret, key }, deps.isDurable)
    deps.onReseeded(options.seed)
    return key
  } catch (error) {
    if (credentials.current === before && secret !== before.secret) writeCredentials(deps.dataDir, before)
    throw error
  }
}

/**
 * Returns the seed of the local number inventory. Without a seed only secrets are random; the numbers for sale are
 * always the same.
 */
export const inventorySeed = (seed: number | null): string => String(seed ?? 'parley')

/**
 * Fills a new platform, and returns whether this process did. Recovers the key if a crash happened between the database
 * and the credentials file.
 */
export async function preparePlatform(
  deps: ControlDeps,
  { empty, seed = null, data }: { readonly empty?: boolean; readonly seed?: number | null; readonly data?: object },
): Promise<boolean> {
  const { credentials, connection, dataDir } = deps
  const filled = (await readPlatformSeed(deps)) !== undefined
  let isNew = !filled
  if (!filled) {
    if (empty) return false
    // A restore or reset of a lost database has failed: it is not a new one.
    if (readMarker(dataDir)?.files.includes(dataFiles.sqlite)) throw missing(dataDir, dataFiles.sqlite)
    await fillPlatform(deps, { seed, data, replace: false }).catch((error) => {
      if (!(error instanceof Failure && error.kind === 'platform.not_empty')) throw error
      isNew = false
    })
  }
  const { key: own, hash } = credentials.current
  if (own !== null && hash !== undefined && filled) return false
  // Servers share one key. If it was deleted, none of them adds another.
  const key =
    (filled && own) ||
    (await findLocalKey(connection, credentials.current.secret)) ||
    (deps.shareSecrets && filled ? null : await insertLocalKey(deps))
  if (key !== own || hash === undefined)
    credentials.current = writeCredentials(dataDir, { ...credentials.current, key })
  return isNew
}
