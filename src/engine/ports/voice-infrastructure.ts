import type { Provider, ProviderResult } from './provider.ts'

export type TrunkDirection = 'inbound' | 'outbound'

/** Creates and deletes SIP trunks. A trunk is identified by its key, so it can be deleted without its id. */
export interface VoiceInfrastructure extends Provider {
  /** Creates a trunk. The same key returns the first result; a key with another configuration rejects. */
  createTrunk(
    key: string,
    direction: TrunkDirection,
    configuration: Readonly<Record<string, unknown>>,
  ): Promise<ProviderResult<{ readonly trunkId: string }>>
  /** Deletes the trunk of the key, if any. The key creates nothing from then on, even if a creation is pending. */
  deleteTrunk(key: string): Promise<ProviderResult<object>>
}
