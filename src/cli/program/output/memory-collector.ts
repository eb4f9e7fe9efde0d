import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { yieldToEventLoop } from '../../../node/real-time.ts'

/** Number of pages before memory is collected. Few lists are longer. */
const pagesBeforeCollecting = 10
/** Pages between full collections; the others are minor. */
const pagesBetweenFullCollections = 40

type CollectGarbage = (how?: { readonly type: 'minor' }) => void

/**
 * Creates a function to call after every written page; it limits memory use of long lists. V8 promotes the objects of a
 * page to the old generation and collects them late. Memory would then grow to several times the need of a list.
 */
export function createMemoryCollector(): () => Promise<void> {
  let pages = 0
  let collect: CollectGarbage | undefined
  return async () => {
    pages++
    // The local platform answers without I/O, so Ctrl-C would never be processed.
    await yieldToEventLoop()
    if (pages < pagesBeforeCollecting) return
    if (pages === pagesBeforeCollecting) collect = findGarbageCollector()
    collect?.(pages % pagesBetweenFullCollections === 0 ? undefined : { type: 'minor' })
  }
}

/** Returns V8's garbage collector, which only new contexts expose; undefined if it is not available. */
function findGarbageCollector(): CollectGarbage | undefined {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  return found as CollectGarbage | undefined
}
