import { Failure } from '../../contract/errors/failures.ts'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import { day } from '../../jobs/clock.ts'
import { crypto } from '../../node/crypto.ts'
import { hasStartedOperation } from '../../services/billing/started-operations.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { Connection, Query } from '../../store/database/connection.ts'
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyRow,
  releaseIdempotencyKey,
  storeIdempotentResponse,
} from '../../store/runtime/idempotency-keys.ts'

interface StoredResponse {
  readonly status: number
  readonly body: string
}

/** `Idempotency-Key` on a POST, for 24 hours of platform time: the same key and request gives the first answer again, another request is refused. */
export interface IdempotencyClaim {
  readonly account: number
  readonly key: string
  readonly request: PlainRequest
}

type ReplayableResponse = StoredResponse & { readonly replayed: boolean }

/**
 * For a service that finds its work again by the key: a request whose process died, or that broke off, is run again and goes on where it stood.
 * Its refusals are kept too.
 */
export async function runResumable(
  deps: Deps,
  claim: IdempotencyClaim,
  run: () => Promise<StoredResponse>,
): Promise<ReplayableResponse> {
  const { connection } = deps
  const take = claimInTransaction(deps, claim)
  const replayed = replayStored(await connection.write((query) => take(query)), claim)
  if (replayed) return replayed
  const answer = await run()
  await connection.write((query) => storeIdempotentResponse(query, claim.account, claim.key, answer))
  return { ...answer, replayed: false }
}

/**
 * For who only wants to know what became of a request (`Parley-Recall`): what was answered to the key, whatever its age, and undefined where
 * the work was begun and may be gone on with. Nothing new is begun. @throws Failure 404 for a key nobody used
 */
export async function findEarlierResponse(
  { connection, clock }: Deps,
  { account, key }: IdempotencyClaim,
  atomic = false,
): Promise<ReplayableResponse | undefined> {
  checkKey(key)
  const row = await findIdempotencyKey(connection.read, account, key)
  if (!row) throw new Failure('idempotency_unknown')
  if (row.status !== null) return { status: row.status, body: row.body ?? '', replayed: true }
  const since = (await clock.now()) - day
  if (row.created_at < since) throw new Failure('idempotency_busy')
  // Its claim was committed with its work; the answer alone is lost.
  if (atomic) throw new Failure('idempotency_busy')
  // A claim alone is nothing to go on with, and asking must not begin it.
  if (!(await hasStartedOperation(connection.read, account, key, since))) throw new Failure('idempotency_unknown')
  return undefined
}

/**
 * For a service whose work is one transaction: the key is claimed in it, so that a process that dies leaves both or neither,
 * and a refusal leaves the key free. Nothing is ever done twice; where a process died between its work and its answer, the key stays busy.
 */
export async function runOnce(
  deps: Deps,
  claim: IdempotencyClaim,
  run: (own: Deps) => Promise<StoredResponse>,
): Promise<ReplayableResponse> {
  const { connection } = deps
  const take = claimInTransaction(deps, claim)
  let isClaimed = false
  const claimed: Connection = {
    ...connection,
    async write(body) {
      if (isClaimed) return connection.write(body)
      const value = await connection.write(async (query) => {
        const earlier = await take(query)
        if (earlier) throw new KeyClaimedError(earlier)
        return body(query)
      })
      isClaimed = true
      return value
    },
  }
  try {
    const answer = await run({ ...deps, connection: claimed })
    await claimed.write((query) => storeIdempotentResponse(query, claim.account, claim.key, answer))
    return { ...answer, replayed: false }
  } catch (error) {
    const stored = error instanceof KeyClaimedError && replayStored(error.row, claim)
    if (stored) return stored
    // A service of several transactions has taken back what it began when it refuses.
    if (isClaimed && error instanceof Failure)
      await connection.write((query) => releaseIdempotencyKey(query, claim.account, claim.key))
    throw error instanceof KeyClaimedError ? new Failure('idempotency_busy') : error
  }
}

/** Ends a transaction whose key somebody has. */
class KeyClaimedError extends Error {
  readonly row: IdempotencyRow

  constructor(row: IdempotencyRow) {
    super('The key is claimed.')
    this.row = row
  }
}

const requestHash = ({ method, url, body = '' }: PlainRequest): string =>
  crypto().createHash('sha256').update(`${method} ${url}\n${body}`).digest('hex')

/** Neither too long, nor with characters that no database keeps as they are. */
function checkKey(key: string): void {
  if (key.length > 255)
    throw new Failure('invalid', { text: 'The Idempotency-Key must not be longer than 255 characters.' })
  if (/[\p{Cc}\p{Cs}]/u.test(key))
    throw new Failure('invalid', { text: 'The Idempotency-Key must not contain control characters.' })
}

function claimInTransaction(
  { clock }: Deps,
  { account, key, request }: IdempotencyClaim,
): (query: Query) => Promise<IdempotencyRow | undefined> {
  checkKey(key)
  const hash = requestHash(request)
  return async (query) => {
    const now = await clock.now(query)
    return claimIdempotencyKey(query, { account, key, request: hash, now, expired: now - day })
  }
}

/** The answer that was given, if there was one. @throws Failure 409 when the key belongs to another request */
function replayStored(row: IdempotencyRow | undefined, { request }: IdempotencyClaim): ReplayableResponse | undefined {
  if (row && row.request !== requestHash(request)) throw new Failure('idempotency_conflict')
  return row && row.status !== null ? { status: row.status, body: row.body ?? '', replayed: true } : undefined
}
