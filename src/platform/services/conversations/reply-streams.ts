import type { FunctionRun } from '../../../engine/ports.ts'
import { realTime } from '../../../node/real-time.ts'

/** An event while a reply is generated: a piece of text, or a function that was run. */
type ReplyEvent = { readonly type: 'text'; readonly text: string } | ({ readonly type: 'function' } & FunctionRun)

/** Events of a reply that a reader has not seen. */
interface ReplyEventPage {
  /** Events after the ones read before. */
  readonly events: readonly ReplyEvent[]
  /** Whether the reply is complete or has failed. The response to the message has its outcome. */
  readonly done: boolean
}

interface ReplyStream {
  readonly events: ReplyEvent[]
  isStarted: boolean
  isDone: boolean
  subscribers: number
  /** Whether the stream was read, and whether a reader saw its end. */
  wasFollowed: boolean
  isEndSeen: boolean
  waiters: Set<() => void>
}

/** Receives the events of a reply while it is generated. */
interface ReplyPublisher {
  onText(piece: string): void
  onRun(run: FunctionRun): void
  done(): void
}

/** Milliseconds a finished stream is retained for its readers. */
const retentionMs = 30_000
/** Maximum events of one reply that are retained for late readers. */
const maxEvents = 20_000

/**
 * Holds the streams of replies in progress, by the idempotency key of their request. They are for display within this
 * process: reading one does not affect the reply, and the events are discarded after it.
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
  const removeIfUnused = (key: string, stream: ReplyStream): void => {
    if (stream.subscribers > 0 || streams.get(key) !== stream || (stream.isStarted && !stream.isDone)) return
    // A reader polls once more to see the end, so the stream is retained for it.
    if (stream.isStarted && stream.wasFollowed && !stream.isEndSeen)
      realTime.setTimeout(() => streams.get(key) === stream && streams.delete(key), retentionMs).unref()
    else streams.delete(key)
  }
  const notifyWaiters = (stream: ReplyStream): void => {
    for (const call of stream.waiters) call()
  }

  return {
    start(key: string): ReplyPublisher {
      const stream = getOrCreate(key)
      stream.isStarted = true
      const add = (event: ReplyEvent): void => {
        if (stream.events.length >= maxEvents) return
        stream.events.push(event)
        notifyWaiters(stream)
      }
      return {
        onText: (text) => add({ type: 'text', text }),
        onRun: (run) => add({ type: 'function', ...run }),
        done() {
          stream.isDone = true
          notifyWaiters(stream)
          removeIfUnused(key, stream)
        },
      }
    },

    /**
     * Returns the events after the first `after`, waiting up to `waitMs` milliseconds for new ones. It also waits for a
     * reply that has not started.
     */
    async readEvents(key: string, after: number, waitMs: number): Promise<ReplyEventPage> {
      const stream = getOrCreate(key)
      stream.subscribers++
      stream.wasFollowed = true
      try {
        if (!stream.isDone && stream.events.length <= after) await waitForEvent(stream, waitMs)
        stream.isEndSeen = stream.isDone
        return { events: stream.events.slice(after), done: stream.isDone }
      } finally {
        stream.subscribers--
        removeIfUnused(key, stream)
      }
    },
  }
}

/** The streams of replies in progress. */
export type ReplyStreams = ReturnType<typeof createReplyStreams>

function waitForEvent(stream: ReplyStream, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      realTime.clearTimeout(timer)
      stream.waiters.delete(end)
      resolve()
    }
    const timer = realTime.setTimeout(end, waitMs)
    // A waiting reader must not keep the process from exiting.
    timer.unref()
    stream.waiters.add(end)
  })
}
