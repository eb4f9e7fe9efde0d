// Commands of `server clock`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { type ClockState, clock } from '../../../contract/control/clock.ts'
import { deliveries } from '../../../contract/control/deliveries.ts'
import { formatDuration, parseDuration } from '../../../contract/values/duration.ts'
import { command } from '../../program/commandline/command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView, type View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { inputIfMissing } from '../../program/prompts/prompt-if-missing.ts'

type CompletedJob = ClockState['done'][number]

/** Maximum number of deliveries whose attempts are read. For others, only the fact that they were tried is printed. */
const maxDeliveries = 50

/** Number of equal lines from which they are printed as one. */
const leastSummarized = 3

const labelOf = ({ text, kind, subject }: CompletedJob): string => text ?? `${kind} ${subject}`

/** Describes equal jobs on one line: `Done 31 times: ..., due ... to ...`. */
function summaryOf(same: readonly CompletedJob[]): string {
  const [first, last] = [same[0], same.at(-1)] as [CompletedJob, CompletedJob]
  return `Done ${same.length} times: ${labelOf(first)}, due ${describeTime(first.due_at)} to ${describeTime(last.due_at)}`
}

/** Kind of the jobs that deliver webhooks: deliveryJobKind of the platform. */
const deliveryKind = 'delivery'

/** Prints each completed job on one line, and equal ones together; for a delivery, whether the receiver accepted it. */
export async function printJobs(context: Context, done: readonly CompletedJob[]): Promise<void> {
  const attempts = await attemptsOf(context, done)
  const counts = new Map<string, CompletedJob[]>()
  for (const job of done) {
    const same = counts.get(labelOf(job))
    if (same) same.push(job)
    else counts.set(labelOf(job), [job])
  }
  for (const job of done) {
    const same = counts.get(labelOf(job)) ?? []
    if (job.kind !== deliveryKind && same.length >= leastSummarized) {
      if (same[0] === job) await context.notes.note(summaryOf(same))
      continue
    }
    const attempt = job.kind === deliveryKind ? attempts.get(job.subject)?.shift() : undefined
    if (attempt === undefined) await context.notes.note(`Done: ${labelOf(job)}, due ${describeTime(job.due_at)}`)
    else
      await context.notes.note(
        `${attempt.failed ? 'Failed' : 'Done'}: delivery ${job.subject}, attempt ${attempt.number}: ${attempt.answer}, due ${describeTime(job.due_at)}`,
      )
  }
}

interface Attempt {
  readonly number: number
  readonly failed: boolean
  readonly answer: string
}

/** Returns the latest attempts by delivery: as many as jobs were completed for it. */
async function attemptsOf(context: Context, done: readonly CompletedJob[]): Promise<Map<string, Attempt[]>> {
  const times = new Map<string, number>()
  for (const { kind, subject } of done) if (kind === deliveryKind) times.set(subject, (times.get(subject) ?? 0) + 1)
  const found = new Map<string, Attempt[]>()
  for (const [subject, count] of [...times].slice(0, maxDeliveries)) {
    const { data } = await context.call(deliveries.show, { id: Number(subject) })
    const attempts = data.tries.slice(-count).map(({ number, status, error }) => ({
      number,
      failed: error !== null || status === null || status < 200 || status > 299,
      answer: error?.replace(/\.$/, '') ?? `HTTP ${status}`,
    }))
    found.set(subject, attempts)
  }
  return found
}

const view: View<ClockState> = idView((it) => it.now)

/** Says by how much the platform's clock differs from that of the computer that serves it. */
function offsetText(seconds: number): string {
  const size = Math.abs(seconds)
  return size < 0.5 ? 'none' : `${formatDuration(size)} ${seconds > 0 ? 'ahead of' : 'behind'} real time`
}

/** `offset` takes the place of the seconds, and the jobs are printed below. */
const timeView: View<Omit<ClockState, 'done' | 'offset_seconds'> & { readonly offset: string }> = {
  id: (it) => it.now,
  columns: [
    { key: 'now', title: 'Now', priority: 1, kind: 'time' },
    { key: 'offset', title: 'Offset', priority: 2 },
  ],
  empty: '',
}

/** Prints the time and, for people, each job that the change completed. */
async function printClock(context: Context, state: ClockState): Promise<void> {
  const { out } = context
  const { done, offset_seconds: seconds, ...time } = state
  const print = async (): Promise<void> => {
    await out.record({ ...time, offset: offsetText(seconds) }, { view: timeView })
    await printJobs(context, done)
  }
  await out.result(state, print, { view })
}

const rule = 'Use a number and a unit: 90s, 30m, 24h, 31d, 4w.'

export const advance = command({
  endpoint: clock.advance,
  filledFields: ['by'],
  allowedFields: ['coalesce'],
  argument: { name: 'by', describe: 'Duration: 90s, 30m, 24h, 31d, 4w' },
  examples: ['24h', '31d --json', '90d --coalesce'],
  notes: `Jobs that become due run immediately, in order, and are printed. A schedule starts one run for each period that passed, at most 1,000 per call. With --coalesce, each schedule starts one run.`,
  async run(context, { argument: given, input }) {
    const argument = await inputIfMissing(context, given, (it) => parseDuration(it) !== undefined || rule, {
      question: 'Advance by how much (90s, 30m, 24h, 31d, 4w)?',
      missingMessage: 'Missing duration.',
      hint: rule,
    })
    if (parseDuration(argument) === undefined) throw usageError(`Invalid duration "${argument}".`, rule)
    const state = await sendRequest(context, clock.advance, {
      by: argument,
      ...(input.coalesce === true && { coalesce: true }),
    })
    if (state) await printClock(context, state)
  },
})

export const freeze = command({
  endpoint: clock.freeze,
  examples: ['', '--at 2026-01-31T09:00:00Z'],
  async run(context, { input }) {
    const state = await sendRequest(context, clock.freeze, input)
    if (state) await printClock(context, state)
  },
})

export const resume = command({
  endpoint: clock.resume,
  examples: [''],
  async run(context) {
    const state = await sendRequest(context, clock.resume, {})
    if (state) await printClock(context, state)
  },
})

export const get = command({
  endpoint: clock.show,
  examples: [''],
  async run(context) {
    const state = await sendRequest(context, clock.show, {})
    if (state) await printClock(context, state)
  },
})

export const until = command({
  endpoint: clock.until,
  filledFields: ['what'],
  allowedFields: ['coalesce'],
  argument: { name: 'what', describe: 'A time, "next", or a kind of job: delivery, subscription, campaign.turn' },
  examples: ['2027-06-01T09:00:00Z', 'next', 'subscription --json'],
  notes: `Jobs that become due run immediately, in order, and are printed. A schedule starts one run for each period that passed, at most 1,000 per call. With --coalesce, each schedule starts one run.`,
  async run(context, { argument: given, input }) {
    const hint = 'Pass a time, "next", or a kind of job.'
    const what = await inputIfMissing(context, given, (it) => it !== '' || hint, {
      question: 'Advance until which time or job (next)?',
      missingMessage: 'Missing time or job.',
      hint,
    })
    const state = await sendRequest(context, clock.until, { what, ...(input.coalesce === true && { coalesce: true }) })
    if (state) await printClock(context, state)
  },
})
