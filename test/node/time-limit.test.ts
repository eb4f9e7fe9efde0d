import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { withAnySignal, withTimeLimit } from '../../src/node/time-limit.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Rejects with the reason of the signal. Holds nothing but its listener, as a request does. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    const collect = (): void => {
      if (signal.aborted) return
      collectGarbage()
      setImmediate(collect)
    }
    setImmediate(collect)
  })

test('a time limit ends the work, also after the garbage collector ran', async () => {
  const parent = new AbortController()
  await expect(withTimeLimit(20, [parent.signal, undefined], untilAborted)).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})

test('the first signal that aborts ends the work with its reason', async () => {
  const [one, two] = [new AbortController(), new AbortController()]
  const work = withAnySignal([one.signal, two.signal], untilAborted)
  two.abort('second')
  await expect(work).rejects.toBe('second')
  await expect(withTimeLimit(60_000, [two.signal], async (signal) => signal.throwIfAborted())).rejects.toBe('second')
})

test('a signal after the end of the work changes nothing', async () => {
  const parent = new AbortController()
  const signal = await withTimeLimit(60_000, [parent.signal], async (it) => it)
  parent.abort()
  expect(signal.aborted).toBe(false)
})

test('many jobs can follow one signal without a warning of Node about a leak', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', onWarning)
  const parent = new AbortController()
  const waiting = Array.from({ length: 50 }, () => withTimeLimit(60_000, [parent.signal], untilAborted))
  parent.abort('end')
  await Promise.allSettled(waiting)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})
