import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, call, type RequestFailure } from './api.ts'
import { onChanges, onResync } from './changes.ts'
import { account } from './session.ts'

export interface Resource<T> {
  readonly answer: Answer<T> | undefined
  readonly failure: RequestFailure | undefined
  readonly reload: () => void
}

/**
 * Loads a path and loads it again when one of these kinds changes. The last answer stays while it loads, so that
 * nothing flickers. Null loads nothing.
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
    const run = async (): Promise<void> => {
      if (isLoading) {
        isStale = true
        return
      }
      isLoading = true
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
      if (isStale && current.current === key) {
        isStale = false
        run()
      }
    }
    load.current = run
    run()
    const stops = [
      onResync(run),
      onChanges((changes) => {
        if (changes.some((it) => kinds.includes(it.kind))) run()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [key])

  return {
    answer: answer.value?.key === key ? answer.value.value : undefined,
    failure: failure.value?.key === key ? failure.value.value : undefined,
    reload: () => load.current(),
  }
}
