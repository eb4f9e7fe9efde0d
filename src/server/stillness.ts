import type { Handle } from './app.ts'

/** Milliseconds that are waited for requests that came before. */
const patienceMs = 15_000

/** Counts the requests that are being answered, so that one of them can be alone for a while. */
export function createStillness() {
  let going = 0
  let left: (() => void) | undefined
  let over: Promise<void> | undefined

  const through =
    (handle: Handle): Handle =>
    (request) => {
      if (over) return over.then(() => through(handle)(request))
      going++
      return handle(request).then(leave, fail)
    }
  // Two functions for all requests: `finally` would make three promises for each.
  const leave = <T>(answer: T): T => {
    going--
    left?.()
    return answer
  }
  const fail = (error: unknown): never => {
    leave(undefined)
    throw error
  }

  /** Whether the one that asks is alone by now, or within the time. */
  async function isAlone(): Promise<boolean> {
    const end = performance.now() + patienceMs
    while (going > 1) {
      const rest = end - performance.now()
      if (rest <= 0) return false
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        left = resolve
        timer = setTimeout(resolve, rest)
      })
      clearTimeout(timer)
    }
    return true
  }

  return {
    through,
    /** Runs `body`, asked for by one of the requests, once the others are answered; those that come meanwhile wait. Undefined when it had to wait for too long. */
    async during<T>(body: () => Promise<T>): Promise<T | undefined> {
      if (over) return undefined
      let end: () => void = () => {}
      over = new Promise((resolve) => {
        end = resolve
      })
      try {
        return (await isAlone()) ? await body() : undefined
      } finally {
        over = undefined
        left = undefined
        end()
      }
    },
  }
}
