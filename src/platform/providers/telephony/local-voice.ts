import type { ProviderResult, TrunkDirection, VoiceInfrastructure } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import type { LocalTrunkTable } from '../../store/simulators/tables.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { refusingSipAddress } from '../local/test-numbers.ts'

type TrunkOutcome = ProviderResult<{ readonly trunkId: string }>

/** Returns the id of the trunk with this key. The platform has stored it, so it never changes. */
export const toTrunkId = (key: string): string => `trunk_${digest(key, 20)}`

/** Returns the configuration to store, without the password. */
function storedConfiguration(configuration: Readonly<Record<string, unknown>>): string {
  const { sip_password: _, ...rest } = configuration
  return stringifyJson(rest)
}

/** Creates a trunk, or stores the refusal. @throws IdempotencyKeyReused */
export async function createTrunk(
  query: PlatformQuery,
  key: string,
  direction: TrunkDirection,
  configuration: Readonly<Record<string, unknown>>,
  refusal: string | null,
): Promise<TrunkOutcome> {
  const text = storedConfiguration(configuration)
  const record = {
    key,
    id: refusal === null ? toTrunkId(key) : null,
    direction,
    configuration: text,
    failure: refusal,
    deleted: 0,
  }
  const isNew = await query
    .insertInto('local_trunk')
    .values(record)
    .onConflict((it) => it.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (isNew) return toOutcome(record)
  const known = await query.selectFrom('local_trunk').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
  if (known.direction !== null && (known.direction !== direction || known.configuration !== text))
    throw new IdempotencyKeyReused(key)
  return toOutcome(known)
}

function toOutcome({ id, failure, deleted }: LocalTrunkTable): TrunkOutcome {
  if (deleted === 1) return { ok: false, reason: 'The trunk was deleted.' }
  return id === null ? { ok: false, reason: failure ?? 'Refused.' } : { ok: true, trunkId: id }
}

/** Deletes the trunk of a key. A key that created nothing creates nothing from then on. */
async function deleteTrunk(query: PlatformQuery, key: string): Promise<void> {
  await query
    .insertInto('local_trunk')
    .values({ key, id: null, direction: null, configuration: null, failure: null, deleted: 1 })
    .onConflict((it) => it.column('key').doUpdateSet({ deleted: 1 }))
    .execute()
}

/**
 * Creates a voice infrastructure that stores its trunks in the table `local_trunk`. It uses its own transactions and
 * never takes part in the platform's.
 */
export const localVoice = ({
  connection,
  gate,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
}): VoiceInfrastructure => ({
  name: 'local',
  description: `Simulated SIP trunks, stored in the database of this platform. No SIP server is contacted. Trunks to ${refusingSipAddress} are rejected.`,

  createTrunk: (key, direction, configuration) =>
    withFaultInjection(gate, 'voice.create', () =>
      connection.write('rows', (query) =>
        createTrunk(
          query,
          key,
          direction,
          configuration,
          configuration.sip_address === refusingSipAddress ? 'The SIP server does not answer.' : null,
        ),
      ),
    ),

  deleteTrunk: (key) =>
    withFaultInjection(gate, 'voice.delete', () =>
      connection.write('rows', async (query) => {
        await deleteTrunk(query, key)
        return { ok: true } as const
      }),
    ),
})
