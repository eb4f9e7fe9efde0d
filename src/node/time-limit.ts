import { setMaxListeners } from 'node:events'
import { realTime } from './real-time.ts'

/**
 * Runs `body` with a signal that aborts with a TimeoutError after `timeoutMs` milliseconds, and as soon as one of
 * `signals` does, with its reason. The signal must not be used after `body` has settled.
 *
 * Node frees the signals of AbortSignal.timeout() and AbortSignal.any() although they still have listeners
 * (nodejs/node#57736): then they never abort.
 */
export function withTimeLimit<T>(
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
  body: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withAnySignal(signals, async (signal, abort) => {
    const timer = realTime
      .setTimeout(() => abort(new DOMException(`It took longer than ${timeoutMs} ms.`, 'TimeoutError')), timeoutMs)
      .unref()
    try {
      return await body(signal)
    } finally {
      realTime.clearTimeout(timer)
    }
  })
}

/**
 * Runs `body` with a signal that aborts as soon as one of `signals` does, with its reason, or when `abort` is called.
 * The signal must not be used after `body` has settled.
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  body: (signal: AbortSignal, abort: (reason?: unknown) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const abort = (reason?: unknown): void => controller.abort(reason)
  const followed = signals.flatMap((signal) => {
    if (!signal) return []
    const follow = (): void => abort(signal.reason)
    if (signal.aborted) follow()
    else {
      // Many jobs follow the signal of a shutdown at a time. Each removes its listener at its end.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', follow, { once: true })
    }
    return [{ signal, follow }]
  })
  try {
    return await body(controller.signal, abort)
  } finally {
    for (const { signal, follow } of followed) signal.removeEventListener('abort', follow)
  }
}
