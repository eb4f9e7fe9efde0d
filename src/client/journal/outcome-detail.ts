import type { Reply } from '../client.ts'

/** Detail of an operation that was done, for the journal. */
interface OutcomeDetail {
  readonly status: number
  readonly requestId: string
  /** What it cost in USD, if the platform reports it. */
  readonly costUsd?: number
}

/** Returns the detail of an operation from its response. */
export function toOutcomeDetail({ status, requestId, output }: Reply<unknown>): OutcomeDetail {
  const { data = output } = (output ?? {}) as { readonly data?: unknown }
  const cost = Number((data as { readonly total_cost?: unknown } | null)?.total_cost ?? Number.NaN)
  return { status, requestId, ...(Number.isFinite(cost) && { costUsd: cost }) }
}
