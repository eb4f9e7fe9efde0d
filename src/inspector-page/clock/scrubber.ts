/** Job that becomes due. */
export interface DueJob {
  readonly kind: string
  readonly subject: string
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

/**
 * Groups jobs by time and places them between now and the last one. Distances are logarithmic, because the next
 * minutes and the next month are both of interest. Overdue jobs are at 0.
 */
export function placeStops(jobs: readonly DueJob[], nowMs: number): Stop[] {
  const byTime = new Map<string, DueJob[]>()
  for (const it of jobs) byTime.set(it.due_at, [...(byTime.get(it.due_at) ?? []), it])
  const times = [...byTime.keys()].sort((a, b) => Date.parse(a) - Date.parse(b))
  const scale = (at: string): number => Math.log1p(Math.max(0, Date.parse(at) - nowMs) / 60_000)
  const last = times.at(-1)
  const end = last === undefined ? 0 : scale(last)
  return times.map((at) => ({ at, position: end === 0 ? 0 : scale(at) / end, jobs: byTime.get(at) ?? [] }))
}
