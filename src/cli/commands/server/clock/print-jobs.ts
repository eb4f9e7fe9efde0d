import type { ClockState } from '../../../../contract/control/clock.ts'
import { deliveries } from '../../../../contract/control/deliveries.ts'
import type { Context } from '../../../context.ts'
import { describeTime } from '../../../output/time.ts'

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

/** Prints each completed job on one line, and equal ones together; for a delivery, whether the receiver accepted it. */
export async function printJobs(context: Context, done: readonly CompletedJob[]): Promise<void> {
  const attempts = await attemptsOf(context, done)
  const counts = new Map<string, CompletedJob[]>()
  for (const it of done) {
    const same = counts.get(labelOf(it))
    if (same) same.push(it)
    else counts.set(labelOf(it), [it])
  }
  for (const it of done) {
    const same = counts.get(labelOf(it)) ?? []
    if (it.kind !== 'delivery' && same.length >= leastSummarized) {
      if (same[0] === it) await context.notes.note(summaryOf(same))
      continue
    }
    const attempt = it.kind === 'delivery' ? attempts.get(it.subject)?.shift() : undefined
    if (attempt === undefined) await context.notes.note(`Done: ${labelOf(it)}, due ${describeTime(it.due_at)}`)
    else
      await context.notes.note(
        `${attempt.failed ? 'Failed' : 'Done'}: delivery ${it.subject}, attempt ${attempt.number}: ${attempt.answer}, due ${describeTime(it.due_at)}`,
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
  for (const { kind, subject } of done) if (kind === 'delivery') times.set(subject, (times.get(subject) ?? 0) + 1)
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
