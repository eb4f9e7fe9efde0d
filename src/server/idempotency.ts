import { Failure } from '../contract/errors.ts'
import type { PlainRequest } from '../contract/message.ts'
import { crypto } from '../crypto.ts'
import { day } from '../events/clock.ts'
import { isBegun } from '../services/begun.ts'
import type { Deps } from '../services/deps.ts'
import type { Connection, Query } from '../store/connection.ts'
import { claimKey, findKey, freeKey, type IdempotencyRow, settleKey } from '../store/idempotency.ts'

interface Kept {
  readonly status: number
  readonly body: string
}

/** `Idempotency-Key` on a POST, for 24 hours of platform time: the same key and request gives the first answer again, another request is refused. */
export interface Claim {
  readonly account: number
  readonly key: string
  readonly request: PlainRequest
}

type Answer = Kept & { readonly replayed: boolean }

/**
 * For a service that finds its work again by the key: a request whose process died, or that broke off, is run again and goes on where it stood.
 * Its refusals are kept too.
 */
export async function resumed(deps: Deps, claim: Claim, run: () => Promise<Kept>): Promise<Answer> {
  const { connection } = deps
  const take = taking(deps, claim)
  const kept = replay(await connection.write((query) => take(query)), claim)
  if (kept) return kept
  const answer = await run()
  await connection.write((query) => settleKey(query, claim.account, claim.key, answer))
  return { ...answer, replayed: false }
}

/**
 * For who only wants to know what became of a request (`Parley-Recall`): what was answered to the key, whatever its age, and undefined where
 * the work was begun and may be gone on with. Nothing new is begun. @throws Failure 404 for a key nobody used
 */
export async function recall({ connection, clock }: Deps, { account, key }: Claim, atomic = false): Promise<Answer | undefined> {
  checkKey(key)
  const row = await findKey(connection.read, account, key)
  if (!row) throw new Failure('idempotency_unknown')
  if (row.status !== null) return { status: row.status, body: row.body ?? '', replayed: true }
  const since = (await clock.now()) - day
  if (row.created_at < since) throw new Failure('idempotency_busy')
  // Its claim was committed with its work; the answer alone is lost.
  if (atomic) throw new Failure('idempotency_busy')
  // A claim alone is nothing to go on with, and asking must not begin it.
  if (!(await isBegun(connection.read, account, key, since))) throw new Failure('idempotency_unknown')
  return undefined
}

/**
 * For a service whose work is one transaction: the key is claimed in it, so that a process that dies leaves both or neither,
 * and a refusal leaves the key free. Nothing is ever done twice; where a process died between its work and its answer, the key stays busy.
 */
export async function once(deps: Deps, claim: Claim, run: (own: Deps) => Promise<Kept>): Promise<Answer> {
  const { connection } = deps
  const take = taking(deps, claim)
  let isClaimed = false
  const claimed: Connection = {
    ...connection,
    async write(body) {
      if (isClaimed) return connection.write(body)
      const value = await connection.write(async (query) => {
        const earlier = await take(query)
        if (earlier) throw new Earlier(earlier)
        return body(query)
      })
      isClaimed = true
      return value
    },
  }
  try {
    const answer = await run({ ...deps, connection: claimed })
    await claimed.write((query) => settleKey(query, claim.account, claim.key, answer))
    return { ...answer, replayed: false }
  } catch (error) {
    const kept = error instanceof Earlier && replay(error.row, claim)
    if (kept) return kept
    // A service of several transactions has taken back what it began when it refuses.
    if (isClaimed && error instanceof Failure) await connection.write((query) => freeKey(query, claim.account, claim.key))
    throw error instanceof Earlier ? new Failure('idempotency_busy') : error
  }
}

/** Ends a transaction whose key somebody has. */
class Earlier extends Error {
  readonly row: IdempotencyRow

  constructor(row: IdempotencyRow) {
    super('The key is claimed.')
    this.row = row
  }
}

const hashOf = ({ method, url, body = '' }: PlainRequest): string => crypto().createHash('sha256').update(`${method} ${url}\n${body}`).digest('hex')

/** Neither too long, nor with characters that no database keeps as they are. */
function checkKey(key: string): void {
  if (key.length > 255) throw new Failure('invalid', { text: 'The Idempotency-Key must not be longer than 255 characters.' })
  if (/[\p{Cc}\p{Cs}]/u.test(key)) throw new Failure('invalid', { text: 'The Idempotency-Key must not contain control characters.' })
}

function taking({ clock }: Deps, { account, key, request }: Claim): (query: Query) => Promise<IdempotencyRow | undefined> {
  checkKey(key)
  const hash = hashOf(request)
  return async (query) => {
    const now = await clock.now(query)
    return claimKey(query, { account, key, request: hash, now, expired: now - day })
  }
}

/** The answer that was given, if there was one. @throws Failure 409 when the key belongs to another request */
function replay(row: IdempotencyRow | undefined, { request }: Claim): Answer | undefined {
  if (row && row.request !== hashOf(request)) throw new Failure('idempotency_conflict')
  return row && row.status !== null ? { status: row.status, body: row.body ?? '', replayed: true } : undefined
}
