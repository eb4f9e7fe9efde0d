import type { RequestHandler } from '../app.ts'

/** Milliseconds that are waited for requests that came before. */
const waitTimeoutMs = 15_000

/** Counts the requests that are being answered, so that one of them can be alone for a while. */
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
  // Two functions for all requests: `finally` would make three promises for each.
  const finish = <T>(answer: T): T => {
    inFlight--
    onRequestDone?.()
    return answer
  }
  const fail = (error: unknown): never => {
    finish(undefined)
    throw error
  }

  /** Whether the one that asks is alone by now, or within the time. */
  async function waitUntilIdle(): Promise<boolean> {
    const end = performance.now() + waitTimeoutMs
    while (inFlight > 1) {
      const rest = end - performance.now()
      if (rest <= 0) return false
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        onRequestDone = resolve
        timer = setTimeout(resolve, rest)
      })
      clearTimeout(timer)
    }
    return true
  }

  return {
    through: track,
    /** Runs `body`, asked for by one of the requests, once the others are answered; those that come meanwhile wait. Undefined when it had to wait for too long. */
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
