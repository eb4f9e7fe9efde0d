import type { MetricSample } from './render-metrics.ts'

/** Upper bounds in seconds, from a cached read to a request that waits for a language model. */
const latencyBounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counts durations in buckets. */
export class Histogram {
  readonly #counts = new Uint32Array(latencyBounds.length + 1)
  #sum = 0
  #total = 0

  get total(): number {
    return this.#total
  }

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < latencyBounds.length && seconds > (latencyBounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += seconds
    this.#total++
  }

  /** Returns the cumulative buckets, the sum and the count. */
  samples(labels: Readonly<Record<string, string | number>>): MetricSample[] {
    let cumulative = 0
    const buckets = [...latencyBounds, '+Inf' as const].map((bound, n) => {
      cumulative += this.#counts[n] as number
      return { suffix: '_bucket', labels: { ...labels, le: bound }, value: cumulative }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: this.#total }]
  }
}
