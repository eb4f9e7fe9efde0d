import { type CallOptions, createClient, type Wait } from '../../src/client/create-client.ts'
import { type Transport, TransportError, type TransportReason } from '../../src/client/transport/transport.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'

/** Reaction of the platform to one request: a response or an error. */
export type Step = PlainResponse | TransportError | ((request: PlainRequest) => PlainResponse)

/** Returns a response with a JSON or HTML body. */
export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): PlainResponse => ({
  status,
  headers: { 'content-type': typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** Returns a transport error. */
export const lost = (reason: TransportReason, sent: boolean, message = 'gone'): TransportError =>
  new TransportError(reason, message, sent)

/**
 * Creates a client whose platform plays the given steps in order and repeats the last one. Time passes only by
 * sleeping.
 */
export function playing(steps: readonly Step[], options: Partial<CallOptions> = {}) {
  const requests: PlainRequest[] = []
  const slept: number[] = []
  const waits: Wait[] = []
  let clock = Date.parse('2026-01-31T09:00:00Z')
  const transport: Transport = {
    base: 'https://platform.test',
    async send(request) {
      requests.push(request)
      const step = steps[Math.min(requests.length, steps.length) - 1] as Step
      if (step instanceof Error) throw step
      return typeof step === 'function' ? step(request) : step
    },
    async close() {},
  }
  let ids = 0
  const call = createClient({
    transport,
    key: '1|abcdefghijklmnopqrstuvwxyz',
    sleep: async (ms) => {
      slept.push(ms)
      clock += ms
    },
    random: () => 0.5,
    now: () => clock,
    newId: () => `id-${++ids}`,
    onWait: (wait) => waits.push(wait),
    ...options,
  })
  return { call, requests, slept, waits }
}

/** Returns the error that a promise rejects with. */
export async function failureOf<T = Record<string, unknown>>(promise: Promise<unknown>): Promise<T> {
  try {
    await promise
  } catch (error) {
    return error as T
  }
  throw new Error('It did not fail.')
}
