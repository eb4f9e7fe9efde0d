import { signal } from '@preact/signals'
import { parseJson } from '../../../node/json.ts'
import { send } from './api.ts'

/** Something changed on the platform. A copy of `Change` (contract/control/change-feed.ts), which the server sends. */
export interface Change {
  readonly kind: string
  readonly id: string | number
  readonly account: number | null
  readonly at: string
  readonly status: string | null
}

/** `polling`: the platform does not report changes, so that the page asks for them. */
type ConnectionState = 'connecting' | 'live' | 'lost' | 'polling'

/** State of the stream of changes. */
export const connection = signal<ConnectionState>('connecting')

type Listener = (changes: readonly Change[]) => void
const listeners = new Set<Listener>()
const resyncListeners = new Set<() => void>()

/** Calls back for changes, in batches. Returns the function that stops it. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls back when changes may have been missed. Returns the function that stops it. */
export function onResync(listener: () => void): () => void {
  resyncListeners.add(listener)
  return () => void resyncListeners.delete(listener)
}

/** Tells all parts of the page to load again. */
export function resync(): void {
  for (const listener of [...resyncListeners]) listener()
}

let waiting: Change[] = []

function add(change: Change): void {
  // One batch for each frame: a busy platform sends hundreds of changes at once.
  if (waiting.length === 0)
    setTimeout(() => {
      const batch = waiting
      waiting = []
      for (const listener of [...listeners]) listener(batch)
    }, 16)
  waiting.push(change)
}

const pollMs = 3000
const reconnectMs = 2000

/** Returns whether the server answers, and reports no changes. */
async function hasNoStream(): Promise<boolean> {
  try {
    const stop = new AbortController()
    const { status } = await send('/_parley/changes', { signal: stop.signal })
    stop.abort()
    return status === 404
  } catch {
    return false
  }
}

async function poll(): Promise<void> {
  try {
    await send('/_parley/session')
    connection.value = 'polling'
    if (document.visibilityState === 'visible') resync()
  } catch {
    connection.value = 'lost'
  }
  setTimeout(poll, pollMs)
}

/** Connects to the stream of changes and reconnects for ever. `onRefused` is called when the server rejects it. */
export function connectChanges(onRefused: () => void): void {
  const source = new EventSource('/_parley/changes')
  source.addEventListener('open', () => {
    if (connection.value === 'lost') resync()
    connection.value = 'live'
  })
  source.addEventListener('change', (event) => add(parseJson((event as MessageEvent<string>).data) as Change))
  source.addEventListener('resync', resync)
  source.addEventListener('error', async () => {
    // The browser reconnects, except after an HTTP error.
    if (source.readyState !== EventSource.CLOSED) {
      connection.value = 'lost'
      return
    }
    source.close()
    if (await hasNoStream()) {
      poll()
      return
    }
    connection.value = 'lost'
    onRefused()
    setTimeout(() => connectChanges(onRefused), reconnectMs)
  })
}
