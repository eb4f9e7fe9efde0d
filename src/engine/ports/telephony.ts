import type { Country } from '../../contract/values/countries.ts'
import type { Provider, ProviderResult } from './provider.ts'

/** A phone number for sale at a telephony provider. */
export interface InventoryNumber {
  readonly phoneNumber: string
  readonly formatted: string
  readonly country: Country
  /** Two-letter or named region; null if the numbering plan has none. */
  readonly region: string | null
  readonly addressRequirements: 'none' | 'local' | 'foreign' | 'inventory'
  readonly smsCapable: boolean
}

/** A provider's offer for one number. */
export interface NumberOffer extends InventoryNumber {
  /** Set when the provider refuses it. The purchase then fails as `numbers.<refusal>` before any charge. */
  readonly refusal?: 'in_use' | 'no_payment_method'
}

/**
 * The provider that owns the numbers. Changes take an idempotency key, so they can be repeated after a crash: the same
 * key returns the first result (also a refusal) and does nothing more. With another request or call, the key rejects.
 */
export interface TelephonyProvider extends Provider {
  /** Returns numbers whose E.164 digits contain `contains`, in a stable order, without ordered ones. */
  search(query: { country: Country; contains?: string | undefined; limit: number }): Promise<readonly InventoryNumber[]>
  /** Returns the number if it is for sale now, else null. */
  find(phoneNumber: string): Promise<NumberOffer | null>
  order(key: string, phoneNumber: string): Promise<ProviderResult<{ readonly sid: string }>>
  /** Releases the active order of the number; refused when there is none. */
  release(key: string, phoneNumber: string): Promise<ProviderResult<object>>
}

/** A call for the carrier. Numbers in E.164; with `from` null the carrier chooses a number. */
export interface CarrierCall {
  readonly from: string | null
  readonly to: string
  /** What the assistant says first. */
  readonly opening: string
  /** Maximum seconds of ringing and of the call. */
  readonly ringTimeoutSeconds: number
  readonly maxDurationSeconds: number
}

/** A spoken or written line. `at` is platform time in microseconds. */
export interface TranscriptLine {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly at: number
}

/** The state of a call. */
export interface CallProgress {
  readonly status:
    | 'ringing'
    | 'in-progress'
    | 'busy'
    | 'no-answer'
    | 'completed'
    | 'ended'
    | 'ended_by_customer'
    | 'ended_by_assistant'
    | 'failed'
  /** Seconds since the call was answered. */
  readonly duration: number
  readonly answeredBy: 'human' | 'machine' | 'unknown' | null
  readonly transcript: string | null
  /** The lines of the call, if the carrier reports them. */
  readonly turns?: readonly TranscriptLine[]
  /** Extracted variables, if a script sets them. */
  readonly extracted?: Readonly<Record<string, unknown>>
  readonly recordingUrl?: string | undefined
  /** End of the call, in microseconds of the `now` passed. It may lie before `now`. */
  readonly endedAt?: number
  /** When to poll next, in microseconds of the `now` passed; null when the call is over. */
  readonly nextPollAt: number | null
}

/** The final state of a call; `wasOver` when it had ended before it was hung up. */
export type HungUpCall = Omit<CallProgress, 'nextPollAt'> & { readonly wasOver: boolean }

/** The call carrier. `dial` is idempotent by key, as above; reading changes nothing. `now` is platform time. */
export interface CallCarrier extends Provider {
  dial(key: string, call: CarrierCall, now: number): Promise<ProviderResult<{ readonly sid: string }>>
  /** Answers an inbound call; `from` is the caller. Idempotent like `dial`. */
  answer(key: string, call: CarrierCall, now: number): Promise<ProviderResult<{ readonly sid: string }>>
  getProgress(sid: string, call: CarrierCall, now: number): Promise<CallProgress>
  /** Ends a call: `ended`, or `no-answer` while it rings. A call that is over is not changed. */
  hangUp(sid: string, call: CarrierCall, now: number): Promise<HungUpCall>
}

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
