import type { CallProgress, Carrier, Dialled, Outcome } from '../../services/ports.ts'
import type { Connection } from '../../store/connection.ts'
import { digest } from '../digest.ts'
import { type Gate, throughGate } from '../gate.ts'
import { KeyReused } from '../key-reused.ts'
import { magicCallees } from '../magic.ts'
import { scripted } from './scripts.ts'

const second = 1_000_000
/** Seconds it rings before somebody answers. */
const ringsFor = 5

const magicOf = (callee: string): CallProgress['status'] | undefined =>
  (magicCallees as Readonly<Record<string, { status: CallProgress['status'] }>>)[callee]?.status

interface Course {
  readonly end: CallProgress['status']
  readonly answeredBy: 'human' | 'machine' | null
  readonly talk: number
  readonly lines: readonly string[]
}

/** What will become of a call: always the same for the same number. */
function courseOf({ to, opening, longest }: Dialled): Course {
  const end = magicOf(to) ?? 'ended_by_customer'
  if (end === 'busy' || end === 'no-answer') return { end, answeredBy: null, talk: 0, lines: [] }
  if (end === 'completed')
    return { end, answeredBy: 'machine', talk: Math.min(12, longest), lines: [`AI: ${opening}`, 'Customer: Please leave a message after the tone.'] }
  const talk = Math.min(20 + (Number.parseInt(digest(to, 4), 16) % 100), longest)
  return { end, answeredBy: 'human', talk, lines: [`AI: ${opening}`, 'Customer: Thank you for calling. I will think about it.', 'AI: Goodbye.'] }
}

/** Under what the scripts of calls from somebody to a number are kept. */
export const incoming = (from: string | null, to: string): string => `${from}>${to}`

interface Placing {
  readonly key: string
  readonly from: string | null
  readonly to: string
  readonly now: number
  readonly scriptsOf: string
  readonly failure: string | null
}

/** Writes a call into the books, with the script that is next for its number, if any. */
const placed = (connection: Connection, { key, from, to, now, scriptsOf, failure }: Placing): Promise<Outcome<{ readonly sid: string }>> =>
  connection.write(async (query) => {
    const known = await query.selectFrom('local_call').selectAll().where('key', '=', key).executeTakeFirst()
    if (known && (known.caller !== from || known.callee !== to)) throw new KeyReused(key)
    const next = known
      ? undefined
      : await query.selectFrom('local_script').selectAll().where('callee', '=', scriptsOf).orderBy('id').limit(1).executeTakeFirst()
    const refusal = next ? null : failure
    const line = known ?? {
      key,
      sid: refusal === null ? `CA${digest(key, 32)}` : null,
      caller: from,
      callee: to,
      at: now,
      failure: refusal,
      script: next?.script ?? null,
    }
    if (!known) await query.insertInto('local_call').values(line).execute()
    if (next) await query.deleteFrom('local_script').where('id', '=', next.id).execute()
    return line.sid === null ? { ok: false, reason: line.failure ?? '' } : { ok: true, sid: line.sid }
  })

/** A carrier whose books are the table `local_call`. Its own transactions: it never takes part in the platform's. */
export const localCarrier = ({ connection, gate }: { connection: Connection; gate?: Gate | undefined }): Carrier => ({
  name: 'local',
  description: 'A made-up carrier of calls with its books in the database of this platform. Nobody is called.',

  dial: (key, { from, to }, now) =>
    throughGate(gate, 'carrier.dial', () =>
      placed(connection, { key, from, to, now, scriptsOf: to, failure: magicOf(to) === 'failed' ? 'The number cannot be called.' : null }),
    ),

  answer: (key, { from, to }, now) =>
    throughGate(gate, 'carrier.answer', () => placed(connection, { key, from, to, now, scriptsOf: incoming(from, to), failure: null })),

  look: (sid, call, now) =>
    throughGate(gate, 'carrier.look', async () => {
      const { at, script } = await connection.read.selectFrom('local_call').select(['at', 'script']).where('sid', '=', sid).executeTakeFirstOrThrow()
      if (script !== null) return scripted(JSON.parse(script), call, at, now)
      const { end, answeredBy, talk, lines } = courseOf(call)
      const answered = at + (answeredBy === null ? call.ringing : Math.min(ringsFor, call.ringing)) * second
      const over = answered + talk * second
      if (now < answered) return { status: 'ringing', duration: 0, answeredBy: null, transcript: null, lookAgain: answered }
      if (now < over) return { status: 'in-progress', duration: Math.floor((now - answered) / second), answeredBy, transcript: null, lookAgain: over }
      return { status: end, duration: talk, answeredBy, transcript: lines.length > 0 ? lines.join('\n') : null, endedAt: over, lookAgain: null }
    }),
})
