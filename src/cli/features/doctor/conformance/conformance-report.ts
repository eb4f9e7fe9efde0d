import type { Difference } from '../../../../contract/endpoint/response-differences.ts'
import { endpoints } from '../../../../contract/resources/index.ts'

/** Compared aspects: the response itself, a refusal, or a rule across several responses. */
export const cases = [
  'answer',
  'headers',
  'secrets',
  'rows',
  'catalogue',
  'pages',
  'filters',
  'order',
  'read_back',
  'not_found',
  'rejected',
  'limits',
  'refusals',
  'no_key',
  'scoping',
  'rate_limit',
  'deliveries',
  'signature',
] as const
/** What a check proves. The names are in the JSON of the report, so they are added and not renamed. */
export type ConformanceCase = (typeof cases)[number]

/** How a comparison ended, from the least to the most important: a row has the last one of its comparisons. */
export const conformanceStatuses = ['not_checked', 'same', 'tolerated', 'drift'] as const

/** Result of one comparison of an endpoint. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ConformanceResult {
  readonly endpoint: string
  readonly case: ConformanceCase
  readonly status: (typeof conformanceStatuses)[number]
  readonly differences: readonly Difference[]
  readonly note: string | null
}

/** Collects one row for each endpoint and case, with all differences found. */
export class ConformanceReport {
  readonly #rows = new Map<string, ConformanceResult>()

  /**
   * Adds a comparison. A request without a response is a difference of its own, so it is none here: the other files of this folder
   * describe what they saw of it as `status 0`.
   */
  add(endpoint: string, about: ConformanceCase, all: readonly Difference[]): void {
    const differences = all.filter((it) => it.seen !== 'status 0')
    const status = differences.some((it) => !it.tolerated) ? 'drift' : differences.length > 0 ? 'tolerated' : 'same'
    this.#put({ endpoint, case: about, status, differences, note: null })
  }

  /** Adds what cannot be checked, with the reason. */
  skip(endpoint: string, note: string, about: ConformanceCase = 'answer'): void {
    this.#put({ endpoint, case: about, status: 'not_checked', differences: [], note })
  }

  #put(result: ConformanceResult): void {
    const key = `${result.endpoint} ${result.case}`
    const before = this.#rows.get(key)
    const status =
      before && conformanceStatuses.indexOf(before.status) > conformanceStatuses.indexOf(result.status)
        ? before.status
        : result.status
    const known = before?.differences ?? []
    const isKnown = (one: Difference): boolean =>
      known.some((other) => other.path === one.path && other.expected === one.expected && other.seen === one.seen)
    const note = status === 'not_checked' ? (before?.note ?? result.note) : null
    this.#rows.set(key, {
      ...result,
      status,
      differences: [...known, ...result.differences.filter((one) => !isKnown(one))],
      note,
    })
  }

  /** Returns all rows in the order of the contract, then by case. */
  rows(): readonly ConformanceResult[] {
    const order = new Map(endpoints.map((it, n) => [it.name, n]))
    const placeOf = (result: ConformanceResult): number =>
      (order.get(result.endpoint) ?? 0) * cases.length + cases.indexOf(result.case)
    return [...this.#rows.values()].sort((a, b) => placeOf(a) - placeOf(b))
  }
}

/** Creates a difference that would break scripts. */
export const drift = (path: string, expected: string, seen: string): Difference => ({
  path,
  expected,
  seen,
  tolerated: false,
})
