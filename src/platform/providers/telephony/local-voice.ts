import type { VoiceInfrastructure } from '../../../engine/ports/telephony.ts'
import type { Connection } from '../../store/database/connection.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { refusingSipAddress } from '../local/test-numbers.ts'
import { createTrunk, deleteTrunk } from './local-trunks.ts'

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
