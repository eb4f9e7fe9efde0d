import { vi } from 'vitest'
import { realTime } from '../../src/node/real-time.ts'

const functions = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
] as const

const real = { ...realTime }

/** Lets `vi` control the timers and the clock of the program too, which uses real ones whatever a test installs. */
export function controlTime(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  vi.useFakeTimers(options)
  for (const name of functions) Object.assign(realTime, { [name]: globalThis[name] })
  realTime.now = Date.now
}

export function releaseTime(): void {
  vi.useRealTimers()
  Object.assign(realTime, real)
}
