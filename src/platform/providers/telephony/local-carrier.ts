import { second } from '../../../contract/values/micros.ts'
import type { CallCarrier, CallProgress, CarrierCall, HungUpCall, ProviderResult } from '../../../engine/ports.ts'
import { parseJson } from '../../../node/json.ts'
import type { Connection } from '../../store/database/connection.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { testCallees } from '../local/test-numbers.ts'
import { scriptedProgress } from './call-script.ts'

/**
 * Returns the state of a simulated call that is hung up at `now`: with the lines spoken until then. `progressAt` returns
 * its state at a time in microseconds.
 */
async function hungUp(progressAt: (now: number) => Promise<CallProgress>, now: number): Promise<HungUpCall> {
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

/** Seconds a call rings before it is answered. */
const ringSeconds = 5

const testStatus = (callee: string): CallProgress['status'] | undefined =>
  (testCallees as Readonly<Record<string, { status: CallProgress['status'] }>>)[callee]?.status

interface CallCourse {
  readonly end: CallProgress['status']
  readonly answeredBy: 'human' | 'machine' | null
  readonly talk: number
  readonly lines: readonly string[]
}

/**
 * Returns the planned course of a call. It is always the same for the same number, and is planned again at each poll: users' tests
 * rely on it. call-service.ts reads the speakers of the lines with `parseTranscript`.
 */
function planCall({ to, opening, maxDurationSeconds }: CarrierCall): CallCourse {
  const end = testStatus(to) ?? 'ended_by_customer'
  if (end === 'busy' || end === 'no-answer') return { end, answeredBy: null, talk: 0, lines: [] }
  if (end === 'completed')
    return {
      end,
      answeredBy: 'machine',
      talk: Math.min(12, maxDurationSeconds),
      lines: [`AI: ${opening}`, 'Customer: Please leave a message after the tone.'],
    }
  const talk = Math.min(20 + (Number.parseInt(digest(to, 4), 16) % 100), maxDurationSeconds)
  return {
    end,
    answeredBy: 'human',
    talk,
    lines: [`AI: ${opening}`, 'Customer: Thank you for calling. I will think about it.', 'AI: Goodbye.'],
  }
}

/** Returns the key under which scripts of inbound calls are stored until the call. It never changes. */
export const inboundScriptKey = (from: string | null, to: string): string => `${from}>${to}`

interface CallPlacement {
  readonly key: string
  readonly from: string | null
  readonly to: string
  readonly now: number
  readonly scriptKey: string
  readonly failure: string | null
}

/** Stores a call, with the next script for its number, if any. */
const placeCall = (
  connection: Connection,
  { key, from, to, now, scriptKey, failure }: CallPlacement,
): Promise<ProviderResult<{ readonly sid: string }>> =>
  // Calls to the same number take its scripts in order, each only once.
  connection.write({ name: `calls to ${scriptKey}` }, async (query) => {
    const known = await query.selectFrom('local_call').selectAll().where('key', '=', key).executeTakeFirst()
    if (known && (known.caller !== from || known.callee !== to)) throw new IdempotencyKeyReused(key)
    const next = known
      ? undefined
      : await query
          .selectFrom('local_script')
          .selectAll()
          .where('callee', '=', scriptKey)
          .orderBy('id')
          .limit(1)
          .executeTakeFirst()
    const refusal = next ? null : failure
    const record = known ?? {
      key,
      sid: refusal === null ? `CA${digest(key, 32)}` : null,
      caller: from,
      callee: to,
      at: now,
      failure: refusal,
      script: next?.script ?? null,
    }
    if (!known) await query.insertInto('local_call').values(record).execute()
    if (next) await query.deleteFrom('local_script').where('id', '=', next.id).execute()
    return record.sid === null ? { ok: false, reason: record.failure ?? '' } : { ok: true, sid: record.sid }
  })

/** Returns the state of a simulated call at a time in microseconds. */
async function progressAt(connection: Connection, sid: string, call: CarrierCall, now: number): Promise<CallProgress> {
  const { at, script } = await connection.read
    .selectFrom('local_call')
    .select(['at', 'script'])
    .where('sid', '=', sid)
    .executeTakeFirstOrThrow()
  if (script !== null) return scriptedProgress(parseJson(script), call, at, now)
  const { end, answeredBy, talk, lines } = planCall(call)
  const answeredAt =
    at + (answeredBy === null ? call.ringTimeoutSeconds : Math.min(ringSeconds, call.ringTimeoutSeconds)) * second
  const endedAt = answeredAt + talk * second
  if (now < answeredAt)
    return { status: 'ringing', duration: 0, answeredBy: null, transcript: null, nextPollAt: answeredAt }
  if (now < endedAt)
    return {
      status: 'in-progress',
      duration: Math.floor((now - answeredAt) / second),
      answeredBy,
      transcript: null,
      nextPollAt: endedAt,
    }
  return {
    status: end,
    duration: talk,
    answeredBy,
    transcript: lines.length > 0 ? lines.join('\n') : null,
    endedAt,
    nextPollAt: null,
  }
}

/**
 * Creates a call carrier that stores its calls in the table `local_call`. It uses its own transactions and never takes
 * part in the platform's.
 */
export const localCarrier = ({
  connection,
  gate,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
}): CallCarrier => ({
  name: 'local',
  description: 'Simulated carrier, stored in the database of this platform. No real calls are placed.',

  dial: (key, { from, to }, now) =>
    withFaultInjection(gate, 'carrier.dial', () =>
      placeCall(connection, {
        key,
        from,
        to,
        now,
        scriptKey: to,
        failure: testStatus(to) === 'failed' ? 'The number cannot be called.' : null,
      }),
    ),

  answer: (key, { from, to }, now) =>
    withFaultInjection(gate, 'carrier.answer', () =>
      placeCall(connection, { key, from, to, now, scriptKey: inboundScriptKey(from, to), failure: null }),
    ),

  getProgress: (sid, call, now) =>
    withFaultInjection(gate, 'carrier.look', () => progressAt(connection, sid, call, now)),

  hangUp: (sid, call, now) =>
    withFaultInjection(gate, 'carrier.hangUp', () => hungUp((at) => progressAt(connection, sid, call, at), now)),
})
