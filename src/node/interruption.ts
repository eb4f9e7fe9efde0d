import { realTime, yieldToEventLoop } from './real-time.ts'

/** Called in every loop that computes for long, because signals arrive only when the event loop turns. @throws the reason of an aborted signal */
export async function throwIfInterrupted(signal: AbortSignal): Promise<void> {
  await yieldToEventLoop()
  signal.throwIfAborted()
}

/** Requests to a platform in the same process let the event loop turn this often, in milliseconds. */
const turnIntervalMs = 50
let lastTurn = 0

/** Lets the event loop turn if it has not for 50 ms. */
export async function letSignalsArrive(): Promise<void> {
  if (realTime.monotonicMs() - lastTurn < turnIntervalMs) return
  await yieldToEventLoop()
  lastTurn = realTime.monotonicMs()
}
