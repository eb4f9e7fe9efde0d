import type { PlainRequest, PlainResponse } from '../contract/message.ts'
import { type Transport, TransportError } from './transport.ts'

/** Carries requests to a platform in the same process. `close` ends what the platform holds open. */
export function embeddedTransport(handle: (request: PlainRequest) => Promise<PlainResponse>, close: () => Promise<void> = async () => {}): Transport {
  return {
    base: 'embedded:',
    close,
    async send(request, { timeoutMs, signal }) {
      if (signal?.aborted) throw new TransportError('aborted', 'interrupted', false)
      let stop = (): void => {}
      // The platform finishes what it began: giving up only means not waiting for it.
      const givenUp = new Promise<never>((_, reject) => {
        const abort = (): void => reject(new TransportError('aborted', 'interrupted', true))
        const timer = setTimeout(() => reject(new TransportError('timeout', `no answer within ${timeoutMs} ms`, true)), timeoutMs)
        signal?.addEventListener('abort', abort, { once: true })
        stop = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
        }
      })
      try {
        return await Promise.race([handle(request), givenUp])
      } catch (error) {
        throw error instanceof TransportError ? error : new TransportError('other', (error as Error).message, true, error)
      } finally {
        stop()
      }
    },
  }
}
