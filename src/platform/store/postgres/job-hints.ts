// Servers tell each other that jobs were scheduled, through LISTEN and NOTIFY. This is only a hint: a server that misses it finds
// the jobs when it looks for them the next time, at most a second later.

import { realTime } from '../../../node/real-time.ts'

/** Servers of other versions use the same channel: under another name, they would learn of new jobs a second later. */
const channel = 'parley_jobs'
/** Milliseconds between two hints of one server. PostgreSQL commits notifications one after the other. */
const hintMs = 50
/** Milliseconds until a lost connection is opened again: doubled with each failure, up to the highest. */
const [firstRetryMs, maxRetryMs] = [1000, 30_000]

/** A session that listens to a channel. */
export interface Listener {
  notify(): Promise<void>
  end(): void
}

/** Opens a session that listens to a channel for notifications of other sessions. Rejects if that fails; `onEnded` is called if it ends later. */
export type Listen = (channel: string, onNotified: () => void, onEnded: () => void) => Promise<Listener>

/** Sends hints to the other servers of a database, and receives theirs, over a connection of its own. */
export class JobHints {
  readonly #listen: Listen
  readonly #onHint: () => void
  #listener: Listener | undefined
  #failures = 0
  #isClosed = false
  #reopening: NodeJS.Timeout | undefined
  /** Set until the next hint may be sent, and whether there is one. */
  #waiting: NodeJS.Timeout | undefined
  #isNeeded = false

  constructor(listen: Listen, onHint: () => void) {
    this.#listen = listen
    this.#onHint = onHint
    void this.#open()
  }

  /** Tells the other servers that jobs were scheduled, now or a moment later. */
  send(): void {
    this.#isNeeded = true
    if (this.#waiting === undefined) this.#sendNeeded()
  }

  close(): void {
    this.#isClosed = true
    realTime.clearTimeout(this.#reopening)
    realTime.clearTimeout(this.#waiting)
    this.#listener?.end()
    this.#listener = undefined
  }

  #sendNeeded(): void {
    this.#waiting = undefined
    if (!this.#isNeeded || !this.#listener) return
    this.#isNeeded = false
    this.#listener.notify().catch(() => {})
    this.#waiting = realTime.setTimeout(() => this.#sendNeeded(), hintMs)
    this.#waiting.unref()
  }

  async #open(): Promise<void> {
    try {
      const listener = await this.#listen(channel, this.#onHint, () => this.#reopen())
      if (this.#isClosed) return listener.end()
      this.#listener = listener
      this.#failures = 0
      if (this.#isNeeded) this.send()
    } catch {
      this.#reopen()
    }
  }

  #reopen(): void {
    this.#listener = undefined
    if (this.#isClosed) return
    const ms = Math.min(firstRetryMs * 2 ** this.#failures++, maxRetryMs)
    this.#reopening = realTime.setTimeout(() => void this.#open(), ms)
    this.#reopening.unref()
  }
}
