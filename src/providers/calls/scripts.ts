import type { CallProgress, Dialled, SaidLine } from '../../services/ports.ts'

/** How a call is to go, as whoever simulates it says. Seconds. */
export interface CallScript {
  readonly turns?:
    | readonly { readonly customer?: string | undefined; readonly assistant?: string | undefined; readonly after?: number | undefined }[]
    | undefined
  readonly status?: CallProgress['status'] | undefined
  readonly answered_by?: 'human' | 'machine' | undefined
  readonly ring?: number | undefined
  readonly duration?: number | undefined
  readonly extracted_variables?: Readonly<Record<string, unknown>> | undefined
  readonly recording_url?: string | undefined
}

/** Seconds from one turn to the next, unless the script says otherwise. */
const usualPause = 4
const second = 1_000_000

const unanswered: ReadonlySet<string> = new Set(['busy', 'no-answer', 'failed'])

/** How a call stands that goes by a script, at a moment in microseconds; `at` is when it was placed. */
export function scripted(script: CallScript, { opening, longest, ringing }: Dialled, at: number, now: number): CallProgress {
  const { turns = [], status = 'ended_by_customer', ring = 5 } = script
  const isAnswered = !unanswered.has(status)
  const answeredBy = isAnswered ? (script.answered_by ?? 'human') : null
  const answered = at + Math.min(isAnswered ? ring : status === 'no-answer' ? ringing : ring, ringing) * second
  if (now < answered) return { status: 'ringing', duration: 0, answeredBy: null, transcript: null, lookAgain: answered }
  if (!isAnswered) return { status, duration: 0, answeredBy, transcript: null, endedAt: answered, lookAgain: null }

  const lines: SaidLine[] = []
  let time = 0
  const say = (role: SaidLine['role'], content: string, after: number): void => {
    time += after
    lines.push({ role, content, at: answered + time * second })
  }
  if (opening !== '' && turns[0]?.assistant === undefined) say('assistant', opening, 0)
  for (const { customer, assistant, after } of turns)
    say(assistant === undefined ? 'user' : 'assistant', assistant ?? customer ?? '', after ?? (lines.length === 0 ? 0 : usualPause))
  const talk = Math.min(script.duration ?? Math.max(1, time + 2), longest)
  const over = answered + talk * second
  if (now < over) return { status: 'in-progress', duration: Math.floor((now - answered) / second), answeredBy, transcript: null, lookAgain: over }
  const { extracted_variables: extracted, recording_url: recordingUrl } = script
  return { status, duration: talk, answeredBy, transcript: null, turns: lines, ...(extracted && { extracted }), recordingUrl, endedAt: over, lookAgain: null }
}
