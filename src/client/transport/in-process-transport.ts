import type { PlainRequest, PlainResponse } from '../../contract/endpoint/http-message.ts'
import { letSignalsArrive } from '../../node/interruption.ts'
import { realTime } from '../../node/real-time.ts'
import { localPlatform } from './platform-address.ts'
import { type SendOptions, type Transport, TransportError } from './transport.ts'

/** Creates a transport to a platform in the same process. `close` closes the platform. */
export function inProcessTransport(
  handle: (request: PlainRequest) => Promise<PlainResponse>,
  close: () => Promise<void> = async () => {},
): Transport {
  const answer = async (request: PlainRequest): Promise<PlainResponse> => {
    try {
      return requireCompleteResponse(await handle(request))
    } catch (error) {
      throw error instanceof TransportError ? error : new TransportError('other', (error as Error).message, true, error)
    }
  }
  return {
    base: localPlatform,
    close,
    async send(request, options) {
      await letSignalsArrive()
      if (options.signal?.aborted) throw new TransportError('aborted', 'interrupted', false)
      const pendingResponse = answer(request)
      // A write waits for its commit, which takes at least one more turn of the event loop.
      if (request.method !== 'GET') return withTimeout(pendingResponse, options)
      const turn = currentTurn()
      turn.waiters += 1
      const isLate = await Promise.race([pendingResponse.then(isFalse, isFalse), turn.over])
      turn.leave()
      if (options.signal?.aborted) throw new TransportError('aborted', 'interrupted', true)
      return isLate ? withTimeout(pendingResponse, options) : pendingResponse
    },
  }
}

interface EventLoopTurn {
  waiters: number
  /** Resolves to true in the next turn of the event loop. */
  readonly over: Promise<boolean>
  /** Ends the wait of one request. The last one cancels the timer. */
  leave(): void
}

let openTurn: EventLoopTurn | undefined

/**
 * Returns the current turn of the event loop, shared by all requests in it. Reads usually complete within the turn and
 * need no timeout, which would cost more than many responses.
 */
function currentTurn(): EventLoopTurn {
  if (openTurn) return openTurn
  let immediate: NodeJS.Immediate | undefined
  const own: EventLoopTurn = {
    waiters: 0,
    over: new Promise((resolve) => {
      immediate = realTime.setImmediate(() => {
        if (openTurn === own) openTurn = undefined
        resolve(true)
      })
    }),
    leave() {
      own.waiters -= 1
      if (own.waiters > 0 || openTurn !== own) return
      realTime.clearImmediate(immediate)
      openTurn = undefined
    },
  }
  openTurn = own
  return own
}

/** Throws if a fault rule cut the response. @throws TransportError */
function requireCompleteResponse(response: PlainResponse): PlainResponse {
  if (response.cut === 'answer') throw new TransportError('reset', 'the connection was cut', true)
  if (response.cut === 'body') throw new TransportError('truncated', 'the response was cut off', true)
  return response
}

const isFalse = (): boolean => false

/** The pending requests of one signal, which share a timer. */
interface SharedTimeout {
  readonly waiting: Set<{ readonly until: number; readonly ms: number; readonly fail: (error: TransportError) => void }>
  stop(): void
}

const sharedTimeouts = new WeakMap<AbortSignal, SharedTimeout>()
const neverAborted = new AbortController().signal
/** Maximum delay of a timeout in milliseconds. */
const tickMs = 20

/** Waits for a response with a timeout. The platform continues the request after a timeout; only the wait ends. */
function withTimeout(
  pending: Promise<PlainResponse>,
  { timeoutMs, signal = neverAborted }: SendOptions,
): Promise<PlainResponse> {
  const timeout = sharedTimeouts.get(signal) ?? startSharedTimeout(signal)
  return new Promise((resolve, reject) => {
    const own = { until: realTime.monotonicMs() + timeoutMs, ms: timeoutMs, fail: reject }
    timeout.waiting.add(own)
    const end = (): void => {
      timeout.waiting.delete(own)
      if (timeout.waiting.size === 0) timeout.stop()
    }
    // Two callbacks, because `finally` would create three more promises for each request.
    pending.then(
      (response) => {
        end()
        resolve(response)
      },
      (error: unknown) => {
        end()
        reject(error)
      },
    )
  })
}

/** Starts one timer and one listener for all pending requests of a signal. They stop with the last request. */
function startSharedTimeout(signal: AbortSignal): SharedTimeout {
  const waiting: SharedTimeout['waiting'] = new Set()
  const abort = (): void => {
    for (const call of waiting) call.fail(new TransportError('aborted', 'interrupted', true))
  }
  const timer = realTime.setInterval(() => {
    const now = realTime.monotonicMs()
    for (const call of waiting)
      if (call.until <= now) call.fail(new TransportError('timeout', `no response within ${call.ms} ms`, true))
  }, tickMs)
  signal.addEventListener('abort', abort, { once: true })
  const watch = {
    waiting,
    stop() {
      realTime.clearInterval(timer)
      signal.removeEventListener('abort', abort)
      sharedTimeouts.delete(signal)
    },
  }
  sharedTimeouts.set(signal, watch)
  return watch
}
