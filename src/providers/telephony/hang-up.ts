import type { CallProgress, HungUpCall } from '../ports/call-carrier.ts'

/**
 * Returns the state of a simulated call that is hung up at `now`: with the lines spoken until then. `progressAt` returns
 * its state at a time in microseconds.
 */
export async function hungUp(progressAt: (now: number) => Promise<CallProgress>, now: number): Promise<HungUpCall> {
  const { nextPollAt, ...current } = await progressAt(now)
  if (nextPollAt === null) return { ...current, wasOver: true }
  if (current.status === 'ringing') return { ...current, status: 'no-answer', endedAt: now, wasOver: false }
  const { turns, transcript, duration } = await progressAt(Number.MAX_SAFE_INTEGER)
  const lines = transcript?.split('\n') ?? []
  // Lines without times are spread over the call; the opening is always heard.
  const heard = Math.max(1, Math.floor((lines.length * current.duration) / Math.max(1, duration)))
  return {
    ...current,
    status: 'ended',
    transcript: lines.length > 0 ? lines.slice(0, heard).join('\n') : null,
    ...(turns && { turns: turns.filter((it) => it.at <= now) }),
    endedAt: now,
    wasOver: false,
  }
}
