import type { Context } from '../../context.ts'

/** Operations of the journal of this machine, by endpoint. */
export interface JournalFigure {
  readonly endpoint: string
  readonly done: number
  /** Operations with an unknown outcome. */
  readonly unknown: number
}

/** Counts the billable operations that this machine sent to the platform in a period (milliseconds since 1970). */
export async function journalFigures(context: Context, since: number, until: number): Promise<JournalFigure[]> {
  const { baseUrl } = await context.settings()
  const figures = new Map<string, { endpoint: string; done: number; unknown: number }>()
  for (const it of (await context.journal()).list()) {
    const at = Date.parse(it.at)
    if (it.baseUrl.replace(/\/$/, '') !== baseUrl.value.replace(/\/$/, '') || at < since || at >= until) continue
    if (it.state === 'refused' || it.state === 'cancelled') continue
    const figure = figures.get(it.endpoint) ?? { endpoint: it.endpoint, done: 0, unknown: 0 }
    figure[it.state === 'done' ? 'done' : 'unknown']++
    figures.set(it.endpoint, figure)
  }
  return [...figures.values()]
}
