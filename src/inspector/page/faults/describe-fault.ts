/** Fault rule of a local platform. A copy of `Fault` (contract/control/faults.ts), which the server sends. */
export interface Fault {
  readonly id: number
  readonly endpoint: string
  readonly account: number | null
  readonly error: string | null
  readonly text: string | null
  readonly status: number | null
  readonly socket: string | null
  readonly drift: readonly string[]
  readonly latency_ms: number
  readonly times: number | null
  readonly probability: number
  readonly met: number
  readonly fired: number
  readonly created_at: string
}

/**
 * What happens to the connection or the response, by name. The names are those of `socketFaults`
 * (contract/control/faults.ts).
 */
export const socketEffects: Readonly<Record<string, string>> = {
  cut: 'close the connection before processing',
  drop: 'process, then close the connection without a response',
  truncate: 'cut off the response in the middle',
  html: 'return an HTML page',
  garbage: 'return invalid JSON',
}

/** Returns the effect of a rule in words. */
export function describeFault(fault: Omit<Fault, 'id' | 'created_at'>): string {
  const parts = [
    ...(fault.latency_ms > 0 ? [`delay ${fault.latency_ms} ms`] : []),
    ...(fault.error ? [`error ${fault.error}`] : []),
    ...(fault.status ? [`HTTP status ${fault.status}`] : []),
    ...(fault.socket ? [socketEffects[fault.socket] ?? fault.socket] : []),
    ...fault.drift,
    ...(fault.probability < 1 ? [`in ${Math.round(fault.probability * 100)} % of the requests`] : []),
  ]
  return parts.join(', ') || 'no effect'
}
