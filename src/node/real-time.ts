import timers from 'node:timers'

type Callback<A extends unknown[]> = (...args: A) => void

/** Timers and clocks of the machine, which fake timers of a test do not change. */
export interface RealTime {
  setTimeout<A extends unknown[]>(callback: Callback<A>, ms?: number, ...args: A): NodeJS.Timeout
  clearTimeout(timer: NodeJS.Timeout | undefined): void
  setInterval<A extends unknown[]>(callback: Callback<A>, ms?: number, ...args: A): NodeJS.Timeout
  clearInterval(timer: NodeJS.Timeout | undefined): void
  setImmediate<A extends unknown[]>(callback: Callback<A>, ...args: A): NodeJS.Immediate
  clearImmediate(immediate: NodeJS.Immediate | undefined): void
  queueMicrotask(callback: () => void): void
  nextTick<A extends unknown[]>(callback: Callback<A>, ...args: A): void
  /** The time of the machine, in milliseconds since 1970. */
  now(): number
  /** Milliseconds since an unspecified moment. It never goes back, and setting the clock of the machine does not change it. */
  monotonicMs(): number
}

/**
 * Returns a function of the runtime, also where a library has replaced it: those built on `@sinonjs/fake-timers` (sinon,
 * Jest, vitest) store the original in their clock.
 */
function originalOf<T>(host: unknown, name: string): T {
  const current = (host as Record<string, { readonly clock?: Record<string, unknown> }>)[name]
  return (current?.clock?.[`_${name}`] ?? current) as T
}

const isNative = (value: unknown): boolean => Function.prototype.toString.call(value).includes('[native code]')

/** Timers of another kind than Node's own, such as those of Bun, have no such property, and neither have fake ones. */
const isOfNode = (timer: object): boolean => '_onTimeout' in timer

/** The timers of node:timers, unless a library has replaced them and does not say by what. */
function nodeTimers(): Pick<
  RealTime,
  'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'setImmediate' | 'clearImmediate'
> {
  const found = {
    setTimeout: originalOf<RealTime['setTimeout']>(timers, 'setTimeout'),
    clearTimeout: originalOf<RealTime['clearTimeout']>(timers, 'clearTimeout'),
    setInterval: originalOf<RealTime['setInterval']>(timers, 'setInterval'),
    clearInterval: originalOf<RealTime['clearInterval']>(timers, 'clearInterval'),
    setImmediate: originalOf<RealTime['setImmediate']>(timers, 'setImmediate'),
    clearImmediate: originalOf<RealTime['clearImmediate']>(timers, 'clearImmediate'),
  }
  const probe = found.setTimeout(() => {}, 1)
  found.clearTimeout(probe)
  return isOfNode(probe) ? found : (timersOfSockets() ?? found)
}

/**
 * Timers from the class of those that Node creates for sockets: `mock.timers` of node:test replaces all others, and does
 * not give the originals. Returns undefined on a runtime that has no such timers.
 */
function timersOfSockets(): ReturnType<typeof nodeTimers> | undefined {
  const { Socket } = process.getBuiltinModule('node:net')
  const { MessageChannel } = process.getBuiltinModule('node:worker_threads')
  const socket = new Socket()
  socket.setTimeout(1)
  const timer = Object.getOwnPropertySymbols(socket)
    .map((it) => (socket as unknown as Record<symbol, unknown>)[it])
    .find((it): it is NodeJS.Timeout => typeof it === 'object' && it !== null && isOfNode(it))
  socket.destroy()
  if (!timer) return undefined
  const Timeout = timer.constructor as new (
    callback: unknown,
    ms: number | undefined,
    args: unknown[],
    repeats: boolean,
    keepsProcessRunning: boolean,
  ) => NodeJS.Timeout

  const { port1, port2 } = new MessageChannel()
  const immediates = new Map<object, () => void>()
  port1.on('message', () => {
    const due = [...immediates]
    for (const [id, run] of due) if (immediates.delete(id)) run()
    if (immediates.size === 0) port1.unref()
  })
  port1.unref()
  return {
    setTimeout: (callback, ms, ...args) => new Timeout(callback, ms, args, false, true).refresh(),
    clearTimeout: (it) => void it?.close(),
    setInterval: (callback, ms, ...args) => new Timeout(callback, ms, args, true, true).refresh(),
    clearInterval: (it) => void it?.close(),
    setImmediate(callback, ...args) {
      const id = {
        ref: () => id,
        unref: () => id,
        hasRef: () => true,
        _onImmediate: callback,
      } as NodeJS.Immediate
      immediates.set(id, () => callback(...args))
      port1.ref()
      port2.postMessage(0)
      return id
    },
    clearImmediate(immediate) {
      if (immediate && immediates.delete(immediate) && immediates.size === 0) port1.unref()
    },
  }
}

function wallClock(): () => number {
  const own = originalOf<typeof Date>(globalThis, 'Date').now
  // The Date of another realm is not replaced.
  return isNative(own) ? own : process.getBuiltinModule('node:vm').runInNewContext('Date.now')
}

/** Returns the timers and clocks of the machine, also where fake ones are installed. */
export function findRealTime(): RealTime {
  const hrtime = originalOf<typeof process.hrtime>(process, 'hrtime').bigint
  return {
    ...nodeTimers(),
    queueMicrotask: originalOf(globalThis, 'queueMicrotask'),
    nextTick: originalOf<typeof process.nextTick>(process, 'nextTick').bind(process),
    now: wallClock(),
    monotonicMs: () => Number(hrtime()) / 1e6,
  }
}

/**
 * Timers and clocks as they were when the program was loaded. A test that installs fake timers (Jest, vitest, sinon,
 * node:test) stops those of its own code; the platform in the same process needs real ones, or its requests never end.
 * An object, so that tests of this project can control the time of one part.
 */
export const realTime: RealTime = findRealTime()

/** Resolves after this time. Rejects with the reason of the signal when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = (): void => {
      realTime.clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = realTime.setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Lets timers, signals, sockets and other work of the process run before the caller continues. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => realTime.setImmediate(resolve))
