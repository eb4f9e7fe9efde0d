/** Pages of an output that may become long before anything is done about its memory: few lists are longer. */
const pagesBeforeCollecting = 10
/** Pages between two looks at everything there is; the others see only what is new. */
const pagesBetweenFullCollections = 40

type CollectGarbage = (how?: { readonly type: 'minor' }) => void

/**
 * Told after every page that is written, keeps memory flat however many there are. V8 takes what is alive while a page is made for something that stays,
 * and goes for it late: what a page leaves behind would pile up to several times what a list needs.
 */
export function createMemoryCollector(): () => Promise<void> {
  let pages = 0
  let collect: CollectGarbage | undefined
  return async () => {
    pages++
    // A platform inside this program answers without waiting for anything: Ctrl-C would never be heard.
    await new Promise((resolve) => setImmediate(resolve))
    if (pages < pagesBeforeCollecting) return
    if (pages === pagesBeforeCollecting) collect = await loadGarbageCollector()
    collect?.(pages % pagesBetweenFullCollections === 0 ? undefined : { type: 'minor' })
  }
}

/** V8's own collection, which only new contexts are given; nothing where it is not to be had. */
async function loadGarbageCollector(): Promise<CollectGarbage | undefined> {
  const { setFlagsFromString } = await import('node:v8')
  const { runInNewContext } = await import('node:vm')
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  return found as CollectGarbage | undefined
}
