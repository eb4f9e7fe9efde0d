import type { VoiceInfrastructure } from '../../services/ports.ts'
import type { Connection } from '../../store/connection.ts'
import { type FaultInjector, withFaultInjection } from '../gate.ts'
import { refusingSipAddress } from '../magic.ts'
import { deleteTrunk, createTrunk } from './trunk-book.ts'

/** A voice infrastructure whose books are the table `local_trunk`. Its own transactions: it never takes part in the platform's. */
export const localVoice = ({ connection, gate }: { connection: Connection; gate?: FaultInjector | undefined }): VoiceInfrastructure => ({
  name: 'local',
  description: `Made-up trunks with their books in the database of this platform; no SIP server is contacted. Those to ${refusingSipAddress} are refused.`,

  createTrunk: (key, direction, configuration) =>
    withFaultInjection(gate, 'voice.create', () =>
      connection.write((query) =>
        createTrunk(query, key, direction, configuration, configuration.sip_address === refusingSipAddress ? 'The SIP server does not answer.' : null),
      ),
    ),

  deleteTrunk: (key) =>
    withFaultInjection(gate, 'voice.delete', () =>
      connection.write(async (query) => {
        await deleteTrunk(query, key)
        return { ok: true } as const
      }),
    ),
})
