import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, call, type RequestFailure } from './api.ts'
import { onChanges, onResync } from './changes.ts'
import { account } from './session.ts'

/** State of a path that a page shows. Both `answer` and `failure` are undefined until the first response. */
export interface Resource<T> {
  readonly answer: Answer<T> | undefined
  readonly failure: RequestFailure | undefined
  readonly reload: () => void
}

/** Pause after an answer, in times of what it took: a page that is slow to answer must not occupy a busy server. */
const pauseFactor = 3

/**
 * Loads a path and loads it again when one of these kinds changes: `kind` of a change that the server reports. The last answer
 * stays while it loads, so that nothing flickers. Null loads nothing.
 */
export function useResource<T>(path: string | null, kinds: readonly string[] = []): Resource<T> {
  const answer = useSignal<{ key: string; value: Answer<T> } | undefined>(undefined)
  const failure = useSignal<{ key: string; value: RequestFailure } | undefined>(undefined)
  const key = `${account.value} ${path}`
  const current = useRef(key)
  current.current = key
  const load = useRef<() => void>(() => {})

  useEffect(() => {
    if (path === null || account.value === undefined) return
    let isLoading = false
    let isStale = false
    let pauseUntil = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async (): Promise<void> => {
      if (isLoading) {
        isStale = true
        return
      }
      isLoading = true
      clearTimeout(timer)
      timer = undefined
      const start = performance.now()
      try {
        const value = await call<T>({ path, account: account.value })
        if (current.current === key) {
          answer.value = { key, value }
          failure.value = undefined
        }
      } catch (error) {
        if (current.current === key) failure.value = { key, value: error as RequestFailure }
      }
      isLoading = false
      const now = performance.now()
      pauseUntil = now + pauseFactor * (now - start)
      if (isStale && current.current === key) {
        isStale = false
        runAfterPause()
      }
    }
    const runAfterPause = (): void => {
      timer ??= setTimeout(run, Math.max(0, pauseUntil - performance.now()))
    }
    load.current = run
    run()
    const stops = [
      onResync(run),
      onChanges((changes) => {
        if (changes.some((it) => kinds.includes(it.kind))) runAfterPause()
      }),
    ]
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [key])

  return {
    answer: answer.value?.key === key ? answer.value.value : undefined,
    failure: failure.value?.key === key ? failure.value.value : undefined,
    reload: () => load.current(),
  }
}
