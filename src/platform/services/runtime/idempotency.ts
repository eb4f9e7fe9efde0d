// Idempotency keys of writes. Two ways: the key is claimed in the transaction of the work (`runOnce`), or the work can be
// resumed by key (`runResumable`). Either way the work is done once.

import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import { crypto } from '../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { accountQuery, scopedQuery } from '../../store/database/account-query.ts'
import type { AccountQuery, Connection, WriteScope } from '../../store/database/connection.ts'
import {
  claimIdempotencyKey,
  findByRequestKey,
  findIdempotencyKey,
  type IdempotencyRow,
  keyedTables,
  releaseIdempotencyKey,
  saveIdempotentResult,
  storeIdempotentResponse,
} from '../../store/runtime/idempotency-keys.ts'
import type { Deps } from './deps.ts'
import type { Vault } from './vault.ts'

/**
 * Returns whether a billable operation stored a row under this key since a time. A process may crash after it claims a
 * key and before it stores a row.
 */
async function hasStartedOperation(query: AccountQuery, key: string, since: number): Promise<boolean> {
  for (const table of keyedTables) if (await findByRequestKey(query, table, key, since)) return true
  return false
}

/** The first response to a key. It is stored with its body encrypted, and a repeated request gets it. */
interface StoredResponse {
  readonly status: number
  readonly body: string
}

/**
 * The idempotency key of a write, valid for 24 hours of platform time. The same request gets the first response
 * again; another request with the key is refused.
 */
interface IdempotencyClaim {
  readonly account: number
  readonly key: string
  readonly request: PlainRequest
}

type ReplayableResponse = StoredResponse & { readonly replayed: boolean }

/**
 * Runs a request of a service that can resume its work by key. After a crash or an interruption, the repeated request
 * continues the work. Refusals are stored too.
 */
export async function runResumable(
  deps: Deps,
  claim: IdempotencyClaim,
  run: () => Promise<StoredResponse>,
): Promise<ReplayableResponse> {
  const { connection } = deps
  const take = claimInTransaction(deps, claim)
  const replayed = replayStored(await connection.write({ account: claim.account }, (query) => take(query)), claim)
  if (replayed) return replayed
  const answer = await run()
  await connection.write({ account: claim.account }, (query) =>
    storeIdempotentResponse(query, claim.key, sealResponse(deps.vault, claim.account, answer)),
  )
  return { ...answer, replayed: false }
}

/**
 * Returns the stored response of a key at any age, for requests that only query an outcome (`Parley-Recall`). Returns
 * undefined when the work was started and may be resumed. Starts nothing. @throws Failure 404 for an unused key
 */
export async function findEarlierResponse(
  deps: Deps,
  { account, key }: IdempotencyClaim,
  atomic = false,
): Promise<ReplayableResponse | undefined> {
  const { connection, clock } = deps
  requireValidKey(key)
  const row = openResponse(deps.vault, await findIdempotencyKey(accountQuery(connection.read, account), key))
  if (!row) throw new Failure('idempotency_unknown')
  if (row.status !== null) return { status: row.status, body: row.body ?? '', replayed: true }
  const since = (await clock.now()) - day
  if (row.created_at < since) throw new Failure('idempotency_interrupted')
  // The claim was committed together with the work, and only the response was lost. It is built from the saved result.
  if (atomic && row.body !== null) return undefined
  if (atomic) throw unfinished(deps, row)
  // A claim without started work cannot be resumed, and a query must not start it.
  if (!(await hasStartedOperation(accountQuery(connection.read, account), key, since)))
    throw new Failure('idempotency_unknown')
  return undefined
}

/**
 * Runs a request of a service whose work is one transaction. The key is claimed in that transaction, so that a crash
 * leaves both or neither, and a refusal leaves the key free. Work is never repeated. With `savesResult`, the result of
 * the transaction is saved in it, so that a repeated request builds the response from it after a crash; otherwise the key
 * stays busy.
 */
export async function runOnce(
  deps: Deps,
  claim: IdempotencyClaim,
  run: (own: Deps) => Promise<StoredResponse>,
  savesResult = false,
): Promise<ReplayableResponse> {
  const { connection } = deps
  const { account, key } = claim
  const take = claimInTransaction(deps, claim)
  let isClaimed = false
  /** Claim of an earlier request that has done the work, and whose response was lost. */
  let resumed: IdempotencyRow | undefined
  const claimed: Connection = {
    ...connection,
    async write(scope, body) {
      // Only the first transaction is known to have been saved.
      if (resumed) throw new KeyClaimedError(resumed)
      if (isClaimed) return connection.write(scope, body)
      const done = await connection.write(scopeWithAccount(scope, account), async (query) => {
        const earlier = await take(accountQuery(query, account))
        const saved = savesResult ? savedResult(earlier, claim) : undefined
        if (earlier && !saved) throw new KeyClaimedError(earlier)
        if (saved) return { value: saved.value as Awaited<ReturnType<typeof body>>, earlier }
        const value = await body(scopedQuery(query, scope))
        const result = savesResult ? resultText(value) : undefined
        if (result !== undefined)
          await saveIdempotentResult(accountQuery(query, account), key, sealText(deps.vault, account, result))
        return { value, earlier: undefined }
      })
      isClaimed = true
      resumed = done.earlier
      return done.value
    },
  }
  try {
    const answer = await run({ ...deps, connection: claimed })
    await (isClaimed ? connection : claimed).write({ account }, (query) =>
      storeIdempotentResponse(query, key, sealResponse(deps.vault, account, answer)),
    )
    return { ...answer, replayed: resumed !== undefined }
  } catch (error) {
    const claimedBy = error instanceof KeyClaimedError ? error.row : undefined
    // A handler may find that its resource is gone before its first transaction, because the first request deleted it.
    const earlier = claimedBy ?? (error instanceof Failure && !isClaimed ? await findClaim(deps, claim) : undefined)
    const stored = replayStored(earlier, claim)
    if (stored) return stored
    if (resumed && error instanceof Failure) throw new Failure('idempotency_busy')
    // A service with several transactions has reverted its work when it refuses.
    if (isClaimed && error instanceof Failure)
      await connection.write({ account }, (query) => releaseIdempotencyKey(query, key))
    throw earlier ? unfinished(deps, earlier) : error
  }
}

/** Maximum milliseconds that a request takes, including the test of an automation. */
const leaseMs = 150_000

/** Returns the failure for a claim without a response: its request is in progress, or its process has ended. */
function unfinished({ wall, isOwnerAlive }: Deps, { owner, leased_until }: IdempotencyRow): Failure {
  const isRunning = leased_until > wall() && (owner === null || isOwnerAlive?.(owner) !== false)
  return new Failure(isRunning ? 'idempotency_busy' : 'idempotency_interrupted')
}

/** Returns the result of a transaction as text; undefined if JSON does not preserve it. */
function resultText(value: unknown): string | undefined {
  return isPlainData(value) ? stringifyJson({ value }) : undefined
}

/** Returns whether a value consists of JSON types only. */
function isPlainData(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlainData)
  if (typeof value !== 'object')
    return ['string', 'boolean', 'bigint', 'undefined'].includes(typeof value) || Number.isFinite(value)
  return value === null || (isPlainObject(value) && Object.values(value).every(isPlainData))
}

/** Returns whether an object has no class. A driver may create rows in another realm, or without a prototype. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns the result of the transaction that claimed a key, if the response of the same request was lost. */
function savedResult(row: IdempotencyRow | undefined, { request }: IdempotencyClaim): { value: unknown } | undefined {
  if (!row || row.status !== null || row.body === null || row.request !== requestHash(request)) return undefined
  return parseJson(row.body)
}

/** Returns a scope that includes an account, which the claim of a key must hold, and everything that `scope` holds. */
function scopeWithAccount(scope: WriteScope, account: number): WriteScope {
  if (scope === 'rows' || (typeof scope === 'object' && 'rows' in scope && scope.rows === account)) return { account }
  return typeof scope === 'object' && 'account' in scope && scope.account === account ? scope : 'everything'
}

/** Rolls back a transaction whose key is claimed already. */
class KeyClaimedError extends Error {
  readonly row: IdempotencyRow

  constructor(row: IdempotencyRow) {
    super('The key is claimed.')
    this.row = row
  }
}

/** Returns the hash of a request, which is stored for a day and compared with a repeated request: it never changes. */
const requestHash = ({ method, url, body = '' }: PlainRequest): string =>
  crypto().createHash('sha256').update(`${method} ${url}\n${body}`).digest('hex')

/** Validates a key: its length, and no characters that databases do not store reliably. */
function requireValidKey(key: string): void {
  if (key.length > 255)
    throw new Failure('invalid', { text: 'The Idempotency-Key must not be longer than 255 characters.' })
  if (/[\p{Cc}\p{Cs}]/u.test(key))
    throw new Failure('invalid', { text: 'The Idempotency-Key must not contain control characters.' })
}

function claimInTransaction(
  { clock, owner, wall, vault }: Deps,
  { key, request }: IdempotencyClaim,
): (query: AccountQuery) => Promise<IdempotencyRow | undefined> {
  requireValidKey(key)
  const hash = requestHash(request)
  return async (query) => {
    const now = await clock.now(query)
    const earlier = await claimIdempotencyKey(query, {
      key,
      request: hash,
      now,
      expired: now - day,
      owner,
      leasedUntil: wall() + leaseMs,
    })
    return openResponse(vault, earlier)
  }
}

/** Returns the vault label of the stored responses and results of an account. Stored values open only with it, so it never changes. */
const responseLabel = (account: number): string => `idempotent response of account ${account}`

const sealText = (vault: Vault, account: number, text: string): string => vault.seal(text, responseLabel(account))

/** Returns the stored form of a response, which may have any secret of a resource. */
const sealResponse = (vault: Vault, account: number, { status, body }: StoredResponse): StoredResponse => ({
  status,
  body: sealText(vault, account, body),
})

/** Returns a claim with a readable response. Rows of earlier versions are not sealed. @throws VaultError */
const openResponse = <T extends IdempotencyRow | undefined>(vault: Vault, row: T): T =>
  row?.body && /^v\d+\./.test(row.body) ? { ...row, body: vault.open(row.body, responseLabel(row.account_id)) } : row

/** Returns the valid claim of a key, if there is one. */
async function findClaim({ connection, clock, vault }: Deps, { account, key }: IdempotencyClaim) {
  const row = await findIdempotencyKey(accountQuery(connection.read, account), key)
  return row && row.created_at >= (await clock.now()) - day ? openResponse(vault, row) : undefined
}

/** Returns the stored response if there is one. @throws Failure 409 when the key belongs to another request */
function replayStored(row: IdempotencyRow | undefined, { request }: IdempotencyClaim): ReplayableResponse | undefined {
  if (row && row.request !== requestHash(request)) throw new Failure('idempotency_conflict')
  return row && row.status !== null ? { status: row.status, body: row.body ?? '', replayed: true } : undefined
}
