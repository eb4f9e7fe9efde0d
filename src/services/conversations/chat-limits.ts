import { Failure } from '../../contract/errors/failures.ts'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import { day, second } from '../../contract/values/micros.ts'
import { findConversation } from '../../store/conversations/conversations.ts'
import type { Connection } from '../../store/database/connection.ts'
import { countInFixedWindow } from '../../store/runtime/request-limits.ts'
import { networkOf } from '../runtime/attempt-limiter.ts'
import type { Deps } from '../runtime/deps.ts'

/**
 * Messages that a server accepts without an API key: a minute in a conversation, from an address and to an assistant,
 * and widget messages a day to an assistant. New conversations have the same limits for an address and an assistant.
 * With IPv6, a /64 network counts as one address. 0 is unlimited.
 */
export interface ChatLimits {
  readonly conversation: number
  readonly address: number
  readonly assistant: number
  readonly day: number
}

/** The defaults. A day of widget messages costs at most 20 USD. */
export const chatLimits: ChatLimits = { conversation: 20, address: 60, assistant: 300, day: 2000 }

const minuteMs = 60_000

/** Counts of the current minute, by subject. Held in memory, so each server has its own. */
interface MinuteCounts {
  startMs: number
  readonly counts: Map<string, number>
}

const minuteCounts = new WeakMap<Connection, MinuteCounts>()

/**
 * Limits messages of chats, which need no API key and are paid by the owner of the assistant (section 4.9). Callers on
 * the machine of the server are not limited: visitors of a website come from elsewhere. The specification has no limit.
 * @throws Failure 429 with Retry-After
 */
export async function checkChatLimits(
  {
    connection,
    clock,
    wall,
    chatLimits: limits = chatLimits,
  }: Pick<Deps, 'connection' | 'clock' | 'wall' | 'chatLimits'>,
  { remote }: Pick<PlainRequest, 'remote'>,
  { uuid, assistant_id: assistant }: { readonly uuid?: string; readonly assistant_id?: unknown },
): Promise<void> {
  if (!remote || remote.isLocal) return
  const network = networkOf(remote.address)
  // A new conversation.
  if (uuid === undefined)
    return countMinute(connection, wall(), {
      [`new from ${network}`]: limits.address,
      [`new with ${String(assistant).slice(0, 36).toLowerCase()}`]: limits.assistant,
    })
  const conversation = await findConversation(connection.read, uuid)
  if (!conversation) return
  const { id, account_id, assistant_id, type } = conversation
  countMinute(connection, wall(), {
    [`conversation ${id}`]: limits.conversation,
    [`address ${network}`]: limits.address,
    [`assistant ${assistant_id}`]: limits.assistant,
  })
  if (type !== 'widget' || limits.day === 0) return
  const { used, now } = await connection.write('rows', async (query) => {
    const now = await clock.now(query)
    const { used } = await countInFixedWindow(query, account_id, `widget ${assistant_id}`, { now, window: day })
    return { now, used }
  })
  if (used > limits.day) throw throttled(Math.ceil((day - (now % day)) / second))
}

/** Counts a message for each subject. A message that exceeds a limit is not counted. @throws Failure 429 */
function countMinute(connection: Connection, nowMs: number, limits: Readonly<Record<string, number>>): void {
  const startMs = nowMs - (nowMs % minuteMs)
  let state = minuteCounts.get(connection)
  if (state?.startMs !== startMs) {
    state = { startMs, counts: new Map() }
    minuteCounts.set(connection, state)
  }
  const { counts } = state
  for (const [subject, limit] of Object.entries(limits))
    if (limit > 0 && (counts.get(subject) ?? 0) >= limit)
      throw throttled(Math.ceil((startMs + minuteMs - nowMs) / 1000))
  for (const subject of Object.keys(limits)) counts.set(subject, (counts.get(subject) ?? 0) + 1)
}

const throttled = (seconds: number): Failure =>
  new Failure('throttled', { extra: { retry_after: seconds }, headers: { 'retry-after': String(seconds) } })
