import { choice, fields, number, zone } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'
import { parseZonedMillis, zonedDateTime } from './zoned-time.ts'

const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const
/** Maximum time a run can be paused, in days. */
const maxDays = 366

const delayFor = action({
  title: 'Wait for some time',
  input: fields({
    unit: choice(['seconds', 'minutes', 'hours', 'days'], 'seconds'),
    delayFor: number.describe('At most 366 days'),
  }),
  run: async (it, { now, resumed }) => {
    const micros = Math.round(it.delayFor * seconds[it.unit] * 1_000_000)
    if (!(micros >= 0)) throw new StepFailure('delayFor must be at least 0.')
    if (micros > maxDays * 86_400_000_000) throw new StepFailure(`A delay can be at most ${maxDays} days long.`)
    const output = { delayForInMs: micros / 1000, success: true }
    return resumed || micros === 0 ? done(output) : { kind: 'pause', until: now + micros, output }
  },
})

const toIso = (millis: number): string => new Date(millis).toISOString()

const delayUntil = action({
  title: 'Wait until a date and time',
  // A timestamp without a time zone is in `timezone`, or in UTC.
  input: fields({ delayUntilTimestamp: zonedDateTime.describe('Date and time'), timezone: zone }),
  run: async (it, { now, resumed }) => {
    const millis = parseZonedMillis(it.delayUntilTimestamp, it.timezone)
    const until = Math.round(millis * 1000)
    if (until - now > maxDays * 86_400_000_000) throw new StepFailure(`A delay can be at most ${maxDays} days long.`)
    const output = { delayTill: toIso(millis), success: true }
    return resumed || until <= now ? done(output) : { kind: 'pause', until, output }
  },
})

/**
 * Even a short delay is a row with a time and not a sleep: it survives a restart, and changes of the clock affect it.
 */
export const delay: Piece = { names: ['delay'], triggers: {}, actions: { delayFor, delay_until: delayUntil } }
