/** Job that becomes due. A copy of a row of `inspector.due` (contract/control/inspector.ts). */
export interface DueJob {
  readonly kind: string
  readonly subject: string
  /** What it does, in words. */
  readonly text: string
  readonly due_at: string
  readonly attempts: number
}

/** Jobs that are due at the same moment, at their place on the scrubber. */
export interface Stop {
  readonly at: string
  /** 0 for now, 1 for the last stop. */
  readonly position: number
  readonly jobs: readonly DueJob[]
}

/** Groups jobs by time. The stops are evenly spaced, as the steps of the slider are. */
export function placeStops(jobs: readonly DueJob[]): Stop[] {
  const byTime = new Map<string, DueJob[]>()
  for (const job of jobs) byTime.set(job.due_at, [...(byTime.get(job.due_at) ?? []), job])
  const times = [...byTime.keys()].sort((a, b) => Date.parse(a) - Date.parse(b))
  return times.map((at, index) => ({ at, position: (index + 1) / times.length, jobs: byTime.get(at) ?? [] }))
}
