import { stringifyJson } from '../../../node/json.ts'
import { type Answer, type Call, call, RequestFailure } from './api.ts'

/** Idempotency keys of changes whose outcome is not known, by request. They are lost when the page is loaded again. */
const openKeys = new Map<string, string>()

/**
 * Sends a change. The same change gets the same idempotency key until its outcome is known, so that repeating it after
 * a lost response carries it out once. @throws RequestFailure as `call` does
 */
export async function callOnce<T>(change: Call): Promise<Answer<T>> {
  if (change.method !== 'POST') return call<T>(change)
  const { account, path, body } = change
  const request = stringifyJson([account, path, body])
  const key = openKeys.get(request) ?? newKey()
  openKeys.set(request, key)
  try {
    const answer = await call<T>({ ...change, headers: { ...change.headers, 'Idempotency-Key': key } })
    openKeys.delete(request)
    return answer
  } catch (error) {
    if (error instanceof RequestFailure && !error.isOpen) openKeys.delete(request)
    throw error
  }
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `inspector-${[...bytes].map((it) => it.toString(16).padStart(2, '0')).join('')}`
}
