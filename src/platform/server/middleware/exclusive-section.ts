import { realTime } from '../../../node/real-time.ts'
import type { RequestHandler } from '../app.ts'

/** Milliseconds to wait for earlier requests. */
const waitTimeoutMs = 15_000

/** Pauses new requests and waits for requests in flight, so that one operation can run exclusively. */
export function createExclusiveSection() {
  let inFlight = 0
  let onRequestDone: (() => void) | undefined
  let exclusiveRun: Promise<void> | undefined

  const track =
    (handle: RequestHandler): RequestHandler =>
    (request) => {
      if (exclusiveRun) return exclusiveRun.then(() => track(handle)(request))
      inFlight++
      return handle(request).then(finish, fail)
    }
  // Two callbacks for all requests, because `finally` would create three promises for each.
  const finish = <T>(answer: T): T => {
    inFlight--
    onRequestDone?.()
    return answer
  }
  const fail = (error: unknown): never => {
    finish(undefined)
    throw error
  }

  /** Waits until no other request is in flight. Returns false after the timeout. */
  async function waitUntilIdle(): Promise<boolean> {
    const end = realTime.monotonicMs() + waitTimeoutMs
    while (inFlight > 1) {
      const rest = end - realTime.monotonicMs()
      if (rest <= 0) return false
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        onRequestDone = resolve
        timer = realTime.setTimeout(resolve, rest)
      })
      realTime.clearTimeout(timer)
    }
    return true
  }

  return {
    through: track,
    /**
     * Runs `body`, on behalf of one request, when no other request is in flight. New requests wait. Returns undefined
     * when the wait times out.
     */
    async runExclusively<T>(body: () => Promise<T>): Promise<T | undefined> {
      if (exclusiveRun) return undefined
      let end: () => void = () => {}
      exclusiveRun = new Promise((resolve) => {
        end = resolve
      })
      try {
        return (await waitUntilIdle()) ? await body() : undefined
      } finally {
        exclusiveRun = undefined
        onRequestDone = undefined
        end()
      }
    },
  }
}
