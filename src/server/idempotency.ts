import { createHash } from 'node:crypto'
import { Failure } from '../contract/errors.ts'
import type { PlainRequest } from '../contract/message.ts'
import { day } from '../events/clock.ts'
import type { Deps } from '../services/deps.ts'
import { claimKey, dropKey, settleKey } from '../store/idempotency.ts'

interface Kept {
  readonly status: number
  readonly body: string
}

/**
 * `Idempotency-Key` on a POST, for 24 hours of platform time: the same key and request gives the first answer again, another request is refused.
 * `resumable` says that the service itself finds its work again by the key, so that a claim whose process died may be run again.
 */
export async function once(
  deps: Deps,
  request: PlainRequest,
  account: number,
  key: string,
  resumable: boolean,
  run: () => Promise<Kept>,
): Promise<Kept & { readonly replayed: boolean }> {
  if (key.length > 255) throw new Failure('invalid', { text: 'The Idempotency-Key must not be longer than 255 characters.' })
  const { connection, clock } = deps
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${request.body ?? ''}`)
    .digest('hex')
  const earlier = await connection.write(async (query) => {
    const now = await clock.now(query)
    return claimKey(query, { account, key, request: hash, now, expired: now - day })
  })
  if (earlier && earlier.request !== hash) throw new Failure('idempotency_conflict')
  if (earlier && earlier.status !== null) return { status: earlier.status, body: earlier.body ?? '', replayed: true }
  if (earlier && !resumable) throw new Failure('idempotency_busy')
  try {
    const answer = await run()
    // A refusal changed nothing: the key stays free, so that the caller can mend what was wrong and ask again.
    await connection.write((query) => (answer.status < 400 || resumable ? settleKey(query, account, key, answer) : dropKey(query, account, key)))
    return { ...answer, replayed: false }
  } catch (error) {
    await connection.write((query) => dropKey(query, account, key))
    throw error
  }
}
