import type { CallMore, Client } from '../../client/create-client.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'

/** Adds a hint to rejections of the local platform's deleted key, because no other key can create a new one. */
export function withDeletedKeyHint(call: Client): Client {
  const explain =
    (endpoint: Endpoint) =>
    (error: { readonly status?: number }): never => {
      if (error.status !== 401 || endpoint.auth === 'control') throw error
      throw Object.assign(error, {
        hint: 'The key of the data folder was deleted. Create another: parley server accounts key 1.',
      })
    }
  const wrapped = (endpoint: Endpoint, input: unknown, more?: CallMore) =>
    call(endpoint, input as never, more).catch(explain(endpoint))
  return Object.assign(wrapped, {
    raw: (endpoint: Endpoint, input: unknown, more?: CallMore) =>
      call.raw(endpoint, input as never, more).catch(explain(endpoint)),
    capabilities: call.capabilities,
    readPayload: call.readPayload,
  }) as unknown as Client
}

/** Aborts requests in flight on Ctrl-C. */
export function withAbortSignal(call: Client, signal: AbortSignal): Client {
  const withSignal = (more: CallMore = {}): CallMore => ({ signal, ...more })
  const wrapped = (endpoint: Endpoint, input: unknown, more?: CallMore) =>
    call(endpoint, input as never, withSignal(more))
  return Object.assign(wrapped, {
    raw: (endpoint: Endpoint, input: unknown, more?: CallMore) => call.raw(endpoint, input as never, withSignal(more)),
    capabilities: call.capabilities,
    readPayload: call.readPayload,
  }) as unknown as Client
}
