import type { Provider, ProviderResult } from './provider.ts'

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
