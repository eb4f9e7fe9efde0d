import type { PlainRequest, PlainResponse } from '../contract/message.ts'
import { type SendOptions, type Transport, TransportError } from './transport.ts'

/** Carries requests to a platform in the same process. `close` ends what the platform holds open. */
export function embeddedTransport(handle: (request: PlainRequest) => Promise<PlainResponse>, close: () => Promise<void> = async () => {}): Transport {
  const answer = async (request: PlainRequest): Promise<PlainResponse> => {
    try {
      return whole(await handle(request))
    } catch (error) {
      throw error instanceof TransportError ? error : new TransportError('other', (error as Error).message, true, error)
    }
  }
  return {
    base: 'embedded:',
    close,
    async send(request, options) {
      if (options.signal?.aborted) throw new TransportError('aborted', 'interrupted', false)
      const asked = answer(request)
      // A write waits for its commit, and that is another turn at the soonest.
      if (request.method !== 'GET') return inTime(asked, options)
      const turn = thisTurn()
      turn.askers += 1
      const isLate = await Promise.race([asked.then(no, no), turn.over])
      turn.leave()
      if (options.signal?.aborted) throw new TransportError('aborted', 'interrupted', true)
      return isLate ? inTime(asked, options) : asked
    },
  }
}

interface Turn {
  askers: number
  /** True once the event loop turns. */
  readonly over: Promise<boolean>
  /** Nobody waits for it when the last one who asked has an answer. */
  leave(): void
}

let current: Turn | undefined

/** A read is answered before the event loop turns, and needs nobody to watch the clock, which costs more than many an answer. All who ask in a turn share it. */
function thisTurn(): Turn {
  if (current) return current
  let immediate: NodeJS.Immediate | undefined
  const own: Turn = {
    askers: 0,
    over: new Promise((resolve) => {
      immediate = setImmediate(() => {
        if (current === own) current = undefined
        resolve(true)
      })
    }),
    leave() {
      own.askers -= 1
      if (own.askers > 0 || current !== own) return
      clearImmediate(immediate)
      current = undefined
    },
  }
  current = own
  return own
}

/** @throws TransportError where a fault breaks the connection */
function whole(response: PlainResponse): PlainResponse {
  if (response.cut === 'answer') throw new TransportError('reset', 'the connection was cut', true)
  if (response.cut === 'body') throw new TransportError('truncated', 'the answer broke off', true)
  return response
}

const no = (): boolean => false

/** Who waits under one signal: many may, and watch the clock together. */
interface Watch {
  readonly waiting: Set<{ readonly until: number; readonly ms: number; readonly give: (error: TransportError) => void }>
  stop(): void
}

const watches = new WeakMap<AbortSignal, Watch>()
const nobody = new AbortController().signal
/** Milliseconds by which a wait may end late. */
const coarse = 20

/** The platform finishes what it began: giving up only means not waiting for it. */
function inTime(asked: Promise<PlainResponse>, { timeoutMs, signal = nobody }: SendOptions): Promise<PlainResponse> {
  const watch = watches.get(signal) ?? begin(signal)
  return new Promise((resolve, reject) => {
    const own = { until: performance.now() + timeoutMs, ms: timeoutMs, give: reject }
    watch.waiting.add(own)
    const end = (): void => {
      watch.waiting.delete(own)
      if (watch.waiting.size === 0) watch.stop()
    }
    // Two functions: `finally` would make three promises more for each.
    asked.then(
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

/** One timer and one listener for all who wait, as long as anybody does. */
function begin(signal: AbortSignal): Watch {
  const waiting: Watch['waiting'] = new Set()
  const abort = (): void => {
    for (const it of waiting) it.give(new TransportError('aborted', 'interrupted', true))
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (const it of waiting) if (it.until <= now) it.give(new TransportError('timeout', `no answer within ${it.ms} ms`, true))
  }, coarse)
  signal.addEventListener('abort', abort, { once: true })
  const watch = {
    waiting,
    stop() {
      clearInterval(timer)
      signal.removeEventListener('abort', abort)
      watches.delete(signal)
    },
  }
  watches.set(signal, watch)
  return watch
}
