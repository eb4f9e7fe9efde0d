import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { day, second } from '../../../contract/values/micros.ts'
import { realTime, sleep } from '../../../node/real-time.ts'
import type { Connection } from '../../store/database/connection.ts'
import { countInFixedWindow } from '../../store/runtime/request-limits.ts'
import { networkOf } from '../runtime/attempt-limiter.ts'
import type { ChatLimits, Deps } from '../runtime/deps.ts'
import { findConversationByUuid } from './find-conversation.ts'

/** The defaults. A day of widget messages costs at most 20 USD. */
export const chatLimits: ChatLimits = { conversation: 20, address: 60, assistant: 300, day: 2000 }

const minuteMs = 60_000

/** When half of what an assistant may receive is used, an address that has used this part of it is refused. */
const largestShare = 0.02
const smallestShare = 5
/** Milliseconds that a message waits for the next minute when an assistant has received what it may. */
const maxWaitMs = 20_000

/** Counts of the current window, by subject. Held in memory, so each server has its own. */
interface Counts {
  start: number
  readonly counts: Map<string, number>
}

const minuteCounts = new WeakMap<Connection, Counts>()
const dayCounts = new WeakMap<Connection, Counts>()
/** Messages to an assistant that wait. */
const waiting = new WeakMap<Connection, Map<string, number>>()

/** What a message counts for, and how many there may be. */
interface Subjects {
  /** Refused at once when exceeded: a conversation, an address. */
  readonly own: Readonly<Record<string, number>>
  /** Shared by all callers, who get fair shares of it. */
  readonly shared: string
  readonly limit: number
  readonly network: string
}

/**
 * Limits messages of chats, which need no API key and are paid by the owner of the assistant (section 4.9). Callers on
 * the machine of the server are not limited: visitors of a website come from elsewhere. The specification has no limit.
 * What an assistant may receive is shared fairly, so that one address cannot use it up for others.
 * @throws Failure 429 with Retry-After
 */
export async function requireWithinChatLimits(
  deps: Pick<Deps, 'connection' | 'accountIds' | 'clock' | 'wall' | 'chatLimits'>,
  { remote }: Pick<PlainRequest, 'remote'>,
  { uuid, assistant_id: assistant }: { readonly uuid?: string; readonly assistant_id?: unknown },
): Promise<void> {
  if (!remote || remote.isLocal) return
  const { connection, clock, wall, chatLimits: limits = chatLimits } = deps
  const network = networkOf(remote.address)
  // A new conversation.
  if (uuid === undefined)
    return countMinute(connection, wall, {
      own: { [`new from ${network}`]: limits.address },
      shared: `new with ${String(assistant).slice(0, 36).toLowerCase()}`,
      limit: limits.assistant,
      network,
    })
  const conversation = await findConversationByUuid(deps, uuid)
  if (!conversation) return
  const { id, account_id, assistant_id, type } = conversation
  await countMinute(connection, wall, {
    own: { [`conversation ${id}`]: limits.conversation, [`address ${network}`]: limits.address },
    shared: `assistant ${assistant_id}`,
    limit: limits.assistant,
    network,
  })
  if (type !== 'widget' || limits.day === 0) return
  // Rows of limits have it: with another subject, every assistant could be used up again on the day of an update.
  const subject = `widget ${assistant_id}`
  await connection.write({ rows: account_id }, async (query) => {
    const now = await clock.now(query)
    const { used } = await countInFixedWindow(query, subject, { now, window: day })
    const counts = countsOf(dayCounts, connection, now - (now % day))
    const share = counts.get(`${subject} ${network}`) ?? 0
    // A refused message is not counted, because the transaction ends without a commit.
    if (used > limits.day || exceedsShare({ used: used - 1, limit: limits.day, share }))
      throw throttled(Math.ceil((day - (now % day)) / second))
    counts.set(`${subject} ${network}`, share + 1)
  })
}

/**
 * Counts a message. One that exceeds a limit is not counted. If only the shared limit is exceeded, and the caller has used
 * little of it, the message waits for the next minute, up to 20 s. @throws Failure 429
 */
async function countMinute(connection: Connection, wall: () => number, subjects: Subjects): Promise<void> {
  const { own, shared, limit, network } = subjects
  const share = `${shared} ${network}`
  const since = realTime.monotonicMs()
  for (;;) {
    const nowMs = wall()
    const startMs = nowMs - (nowMs % minuteMs)
    const counts = countsOf(minuteCounts, connection, startMs)
    const countOf = (subject: string): number => counts.get(subject) ?? 0
    const leftMs = startMs + minuteMs - nowMs
    const isOver = Object.entries(own).some(([subject, max]) => max > 0 && countOf(subject) >= max)
    const usage = { used: countOf(shared), limit, share: countOf(share) }
    if (isOver || exceedsShare(usage)) throw throttled(Math.ceil(leftMs / 1000))
    if (limit === 0 || usage.used < limit) {
      for (const subject of [...Object.keys(own), shared, share]) counts.set(subject, countOf(subject) + 1)
      return
    }
    const isTooLate = realTime.monotonicMs() - since + leftMs > maxWaitMs
    if (isTooLate || !(await waitForNextMinute(connection, subjects, leftMs))) throw throttled(Math.ceil(leftMs / 1000))
  }
}

/** Waits, unless as many messages wait as an assistant may receive in a minute. Returns whether it waited. */
async function waitForNextMinute(connection: Connection, { shared, limit }: Subjects, ms: number): Promise<boolean> {
  let counts = waiting.get(connection)
  if (!counts) waiting.set(connection, (counts = new Map()))
  const count = counts.get(shared) ?? 0
  if (count >= limit) return false
  counts.set(shared, count + 1)
  await sleep(ms)
  const left = (counts.get(shared) ?? 1) - 1
  if (left > 0) counts.set(shared, left)
  else counts.delete(shared)
  return true
}

/** Returns whether an address has used its share, of a limit of which half is used. 0 is unlimited. */
function exceedsShare({
  used,
  limit,
  share,
}: {
  readonly used: number
  readonly limit: number
  readonly share: number
}) {
  return limit > 0 && used >= limit / 2 && share >= Math.max(smallestShare, Math.ceil(limit * largestShare))
}

/** Returns the counts of the window with this start. Those of an earlier one are dropped. */
function countsOf(windows: WeakMap<Connection, Counts>, connection: Connection, start: number): Map<string, number> {
  let window = windows.get(connection)
  if (window?.start !== start) {
    window = { start, counts: new Map() }
    windows.set(connection, window)
  }
  return window.counts
}

const throttled = (seconds: number): Failure =>
  new Failure('throttled', { extra: { retry_after: seconds }, headers: { 'retry-after': String(seconds) } })
