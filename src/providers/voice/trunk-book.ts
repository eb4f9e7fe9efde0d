import type { Outcome, TrunkDirection } from '../../services/ports.ts'
import type { LocalTrunkTable } from '../../store/assistant-tables.ts'
import type { Query } from '../../store/connection.ts'
import { digest } from '../digest.ts'
import { KeyReused } from '../key-reused.ts'

type Made = Outcome<{ readonly trunkId: string }>

const trunkIdOf = (key: string): string => `trunk_${digest(key, 20)}`

/** What is booked of a configuration: all but the password, which is nobody's to read. */
function booked(configuration: Readonly<Record<string, unknown>>): string {
  const { sip_password: _, ...rest } = configuration
  return JSON.stringify(rest)
}

/** Makes a trunk, or books why not. Throws KeyReused. */
export async function makeTrunk(
  query: Query,
  key: string,
  direction: TrunkDirection,
  configuration: Readonly<Record<string, unknown>>,
  refusal: string | null,
): Promise<Made> {
  const text = booked(configuration)
  const known = await query.selectFrom('local_trunk').selectAll().where('key', '=', key).executeTakeFirst()
  if (known) {
    if (known.direction !== null && (known.direction !== direction || known.configuration !== text)) throw new KeyReused(key)
    return outcomeOf(known)
  }
  const line = { key, id: refusal === null ? trunkIdOf(key) : null, direction, configuration: text, failure: refusal, deleted: 0 }
  await query.insertInto('local_trunk').values(line).execute()
  return outcomeOf(line)
}

function outcomeOf({ id, failure, deleted }: LocalTrunkTable): Made {
  if (deleted === 1) return { ok: false, reason: 'The trunk was taken away.' }
  return id === null ? { ok: false, reason: failure ?? 'Refused.' } : { ok: true, trunkId: id }
}

/** Ends whatever the key made; a key that made nothing makes nothing from now on. */
export async function endTrunk(query: Query, key: string): Promise<void> {
  await query
    .insertInto('local_trunk')
    .values({ key, id: null, direction: null, configuration: null, failure: null, deleted: 1 })
    .onConflict((it) => it.column('key').doUpdateSet({ deleted: 1 }))
    .execute()
}
