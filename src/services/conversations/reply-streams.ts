import type { FunctionRun } from '../../providers/ports/providers.ts'

/** What happens while a reply is made: text as it comes, and functions as they have run. */
export type ReplyEvent =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'function' } & FunctionRun)

export interface ReplyEventPage {
  /** Those after the ones that were told before. */
  readonly events: readonly ReplyEvent[]
  /** Whether the reply is made, or there will be none: what became of it is the answer to the message. */
  readonly done: boolean
}

interface ReplyStream {
  readonly events: ReplyEvent[]
  isStarted: boolean
  isDone: boolean
  subscribers: number
  /** Whether somebody looked on, and whether they know of the end. */
  wasFollowed: boolean
  isEndSeen: boolean
  waiters: Set<() => void>
}

/** Somebody who makes a reply. */
export interface ReplyPublisher {
  onText(piece: string): void
  onRun(run: FunctionRun): void
  done(): void
}

/** Milliseconds the end of a reply is kept for those who looked on. */
const retentionMs = 30_000
/** Events of one reply that are kept for whoever follows it late. */
const maxEvents = 20_000

/**
 * Replies on their way, by the key of the request that asked for them: for showing, in this process and nowhere else. Whether somebody follows changes nothing
 * about a reply, and nothing of it outlives it.
 */
export function createReplyStreams() {
  const streams = new Map<string, ReplyStream>()

  const getOrCreate = (key: string): ReplyStream => {
    const stream = streams.get(key) ?? {
      events: [],
      isStarted: false,
      isDone: false,
      subscribers: 0,
      wasFollowed: false,
      isEndSeen: false,
      waiters: new Set(),
    }
    streams.set(key, stream)
    return stream
  }
  const removeIfUnused = (key: string, it: ReplyStream): void => {
    if (it.subscribers > 0 || streams.get(key) !== it || (it.isStarted && !it.isDone)) return
    // Who looks on asks once more, and then knows.
    if (it.isStarted && it.wasFollowed && !it.isEndSeen)
      setTimeout(() => streams.get(key) === it && streams.delete(key), retentionMs).unref()
    else streams.delete(key)
  }
  const notifyWaiters = (it: ReplyStream): void => {
    for (const call of it.waiters) call()
  }

  return {
    start(key: string): ReplyPublisher {
      const it = getOrCreate(key)
      it.isStarted = true
      const add = (event: ReplyEvent): void => {
        if (it.events.length >= maxEvents) return
        it.events.push(event)
        notifyWaiters(it)
      }
      return {
        onText: (text) => add({ type: 'text', text }),
        onRun: (run) => add({ type: 'function', ...run }),
        done() {
          it.isDone = true
          notifyWaiters(it)
          removeIfUnused(key, it)
        },
      }
    },

    /** Waits at most so long (milliseconds) for events after the first `after`. A reply that begins only now is waited for too. */
    async readEvents(key: string, after: number, waitMs: number): Promise<ReplyEventPage> {
      const it = getOrCreate(key)
      it.subscribers++
      it.wasFollowed = true
      try {
        if (!it.isDone && it.events.length <= after) await waitForEvent(it, waitMs)
        it.isEndSeen = it.isDone
        return { events: it.events.slice(after), done: it.isDone }
      } finally {
        it.subscribers--
        removeIfUnused(key, it)
      }
    },
  }
}

export type ReplyStreams = ReturnType<typeof createReplyStreams>

function waitForEvent(it: ReplyStream, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      it.waiters.delete(end)
      resolve()
    }
    const timer = setTimeout(end, waitMs)
    // Nobody is kept from ending by somebody who only looks on.
    timer.unref()
    it.waiters.add(end)
  })
}
