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
      // A read is answered before the event loop turns, and needs nobody to watch the clock, which costs more than many an answer.
      let turn: NodeJS.Immediate | undefined
      const turned = new Promise<boolean>((resolve) => {
        turn = setImmediate(resolve, true)
      })
      const isLate = await Promise.race([asked.then(no, no), turned])
      clearImmediate(turn)
      if (options.signal?.aborted) throw new TransportError('aborted', 'interrupted', true)
      return isLate ? inTime(asked, options) : asked
    },
  }
}

/** @throws TransportError where a fault breaks the connection */
function whole(response: PlainResponse): PlainResponse {
  if (response.cut === 'answer') throw new TransportError('reset', 'the connection was cut', true)
  if (response.cut === 'body') throw new TransportError('truncated', 'the answer broke off', true)
  return response
}

const no = (): boolean => false

/** The platform finishes what it began: giving up only means not waiting for it. */
async function inTime(asked: Promise<PlainResponse>, { timeoutMs, signal }: SendOptions): Promise<PlainResponse> {
  let stop = (): void => {}
  const givenUp = new Promise<never>((_, reject) => {
    const abort = (): void => reject(new TransportError('aborted', 'interrupted', true))
    const timer = setTimeout(() => reject(new TransportError('timeout', `no answer within ${timeoutMs} ms`, true)), timeoutMs)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
    stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  try {
    return await Promise.race([asked, givenUp])
  } finally {
    stop()
  }
}
