import type { FunctionRun } from './ports.ts'

/** What happens while a reply is made: text as it comes, and functions as they have run. */
export type TurnEvent = { readonly type: 'text'; readonly text: string } | ({ readonly type: 'function' } & FunctionRun)

export interface Followed {
  /** Those after the ones that were told before. */
  readonly events: readonly TurnEvent[]
  /** Whether the reply is made, or there will be none: what became of it is the answer to the message. */
  readonly done: boolean
}

interface Going {
  readonly events: TurnEvent[]
  isBegun: boolean
  isDone: boolean
  followers: number
  /** Whether somebody looked on, and whether they know of the end. */
  isFollowed: boolean
  isTold: boolean
  wake: Set<() => void>
}

/** Somebody who makes a reply. */
export interface Telling {
  onText(piece: string): void
  onRun(run: FunctionRun): void
  done(): void
}

/** Milliseconds the end of a reply is kept for those who looked on. */
const kept = 30_000
/** Events of one reply that are kept for whoever follows it late. */
const most = 20_000

/**
 * Replies on their way, by the key of the request that asked for them: for showing, in this process and nowhere else. Whether somebody follows changes nothing
 * about a reply, and nothing of it outlives it.
 */
export function followedTurns() {
  const going = new Map<string, Going>()

  const place = (key: string): Going => {
    const known = going.get(key) ?? { events: [], isBegun: false, isDone: false, followers: 0, isFollowed: false, isTold: false, wake: new Set() }
    going.set(key, known)
    return known
  }
  const leave = (key: string, it: Going): void => {
    if (it.followers > 0 || going.get(key) !== it || (it.isBegun && !it.isDone)) return
    // Who looks on asks once more, and then knows.
    if (it.isBegun && it.isFollowed && !it.isTold) setTimeout(() => going.get(key) === it && going.delete(key), kept).unref()
    else going.delete(key)
  }
  const wake = (it: Going): void => {
    for (const call of it.wake) call()
  }

  return {
    begin(key: string): Telling {
      const it = place(key)
      it.isBegun = true
      const add = (event: TurnEvent): void => {
        if (it.events.length >= most) return
        it.events.push(event)
        wake(it)
      }
      return {
        onText: (text) => add({ type: 'text', text }),
        onRun: (run) => add({ type: 'function', ...run }),
        done() {
          it.isDone = true
          wake(it)
          leave(key, it)
        },
      }
    },

    /** Waits at most so long (milliseconds) for events after the first `after`. A reply that begins only now is waited for too. */
    async follow(key: string, after: number, waitMs: number): Promise<Followed> {
      const it = place(key)
      it.followers++
      it.isFollowed = true
      try {
        if (!it.isDone && it.events.length <= after) await woken(it, waitMs)
        it.isTold = it.isDone
        return { events: it.events.slice(after), done: it.isDone }
      } finally {
        it.followers--
        leave(key, it)
      }
    },
  }
}

export type FollowedTurns = ReturnType<typeof followedTurns>

function woken(it: Going, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      it.wake.delete(end)
      resolve()
    }
    const timer = setTimeout(end, waitMs)
    // Nobody is kept from ending by somebody who only looks on.
    timer.unref()
    it.wake.add(end)
  })
}
