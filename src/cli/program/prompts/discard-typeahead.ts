import { realTime } from '../../../node/real-time.ts'
import type { NodeInput } from '../terminal/streams.ts'
import { Interrupted } from './prompts.ts'

/** Milliseconds without a key after which typing has stopped, and the limit for keys that never stop. */
const quietMs = 50
const maxWaitMs = 5000

/**
 * Discards keys typed before a prompt is shown, because they cannot be meant as its answer. The terminal is in raw mode
 * during this time, so that an unfinished line is discarded too.
 *
 * @throws Interrupted for Ctrl-C, the end of input, an aborted signal, and keys that do not stop
 */
export async function discardTypeahead(input: NodeInput, signal: AbortSignal | undefined): Promise<void> {
  if (!input.setRawMode) return
  let onData: (chunk: Buffer | string) => void = () => {}
  let stop: () => void = () => {}
  input.setRawMode(true)
  const deadline = realTime.setTimeout(() => stop(), maxWaitMs)
  let quietTimer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const wait = (): void => {
        realTime.clearTimeout(quietTimer)
        quietTimer = realTime.setTimeout(resolve, quietMs)
      }
      stop = () => reject(new Interrupted(signal?.reason))
      onData = (chunk) => (chunk.includes('\x03') ? stop() : wait())
      wait()
      signal?.addEventListener('abort', stop)
      input.once('end', stop)
      input.on('data', onData)
      input.resume()
    })
  } finally {
    realTime.clearTimeout(deadline)
    realTime.clearTimeout(quietTimer)
    signal?.removeEventListener('abort', stop)
    input.removeListener('end', stop)
    input.removeListener('data', onData)
    input.pause()
    input.setRawMode(false)
  }
}
