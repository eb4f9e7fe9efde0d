import { words } from '../data/values.ts'

const good = /^(succeeded|delivered|completed|ok|online|approved|active|enabled|live|sent|read|open|green|ended|2\d\d)/i
const bad = /^(failed|undelivered|error|offline|rejected|wiring_error|missing_|red|busy|no-answer|damaged|[45]\d\d)/i
const pending =
  /^(paused|pending|waiting|running|queued|scheduled|in-progress|initiated|ringing|warning|yellow|newer|draft)/i

/** Returns the tone of a status: good, bad, pending or plain. */
export function toneOf(status: string | null | undefined): 'good' | 'bad' | 'pending' | 'plain' {
  if (!status) return 'plain'
  return bad.test(status) ? 'bad' : good.test(status) ? 'good' : pending.test(status) ? 'pending' : 'plain'
}

/** A status as a word with a colored dot. */
export const Badge = ({ status }: { status: string | null | undefined }) =>
  status ? <span class={`badge ${toneOf(status)}`}>{words(status)}</span> : null
