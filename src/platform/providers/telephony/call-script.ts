import { second } from '../../../contract/values/micros.ts'
import { unreachedCallStatuses } from '../../../contract/values/states.ts'
import type { CallProgress, CarrierCall, TranscriptLine } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { PlatformQuery } from '../../store/database/connection.ts'

/** The course of a simulated call, with the fields of contract/control/simulate.ts. Times in seconds. Rows of `local_script` have it. */
interface CallScript {
  readonly turns?:
    | readonly {
        readonly customer?: string | undefined
        readonly assistant?: string | undefined
        readonly after?: number | undefined
      }[]
    | undefined
  readonly status?: CallProgress['status'] | undefined
  readonly answered_by?: 'human' | 'machine' | undefined
  readonly ring?: number | undefined
  readonly duration?: number | undefined
  readonly extracted_variables?: Readonly<Record<string, unknown>> | undefined
  readonly recording_url?: string | undefined
}

/** Default seconds between two turns. The descriptions of contract/control/simulate.ts name the other defaults. */
const defaultPauseSeconds = 4

/** Returns the state of a scripted call at a time in microseconds. `at` is when the call was placed. */
export function scriptedProgress(
  script: CallScript,
  { opening, maxDurationSeconds, ringTimeoutSeconds }: CarrierCall,
  at: number,
  now: number,
): CallProgress {
  const { turns = [], status = 'ended_by_customer', ring = 5 } = script
  const isAnswered = !unreachedCallStatuses.includes(status)
  const answeredBy = isAnswered ? (script.answered_by ?? 'human') : null
  const answeredAt =
    at + Math.min(isAnswered ? ring : status === 'no-answer' ? ringTimeoutSeconds : ring, ringTimeoutSeconds) * second
  if (now < answeredAt)
    return { status: 'ringing', duration: 0, answeredBy: null, transcript: null, nextPollAt: answeredAt }
  if (!isAnswered) return { status, duration: 0, answeredBy, transcript: null, endedAt: answeredAt, nextPollAt: null }

  const lines: TranscriptLine[] = []
  let time = 0
  const addLine = (role: TranscriptLine['role'], content: string, after: number): void => {
    time += after
    lines.push({ role, content, at: answeredAt + time * second })
  }
  if (opening !== '' && turns[0]?.assistant === undefined) addLine('assistant', opening, 0)
  for (const { customer, assistant, after } of turns)
    addLine(
      assistant === undefined ? 'user' : 'assistant',
      assistant ?? customer ?? '',
      after ?? (lines.length === 0 ? 0 : defaultPauseSeconds),
    )
  const talk = Math.min(script.duration ?? Math.max(1, time + 2), maxDurationSeconds)
  const endsAt = answeredAt + talk * second
  if (now < endsAt)
    return {
      status: 'in-progress',
      duration: Math.floor((now - answeredAt) / second),
      answeredBy,
      transcript: null,
      nextPollAt: endsAt,
    }
  const { extracted_variables: extracted, recording_url: recordingUrl } = script
  return {
    status,
    duration: talk,
    answeredBy,
    transcript: null,
    turns: lines,
    ...(extracted && { extracted }),
    recordingUrl,
    endedAt: endsAt,
    nextPollAt: null,
  }
}

/** Queues the script of the next call to a number, after those queued before. */
export async function queueCallScript(query: PlatformQuery, callee: string, script: CallScript): Promise<void> {
  await query
    .insertInto('local_script')
    .values({ callee, script: stringifyJson(script) })
    .execute()
}
