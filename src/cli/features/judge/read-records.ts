import { hashJson } from '../../../node/canonical-json.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { mapConcurrently } from '../../program/dependencies/account-reader.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { type JudgedRecord, toJudged } from './judged-record.ts'
import type { Candidate, JudgedSource } from './judged-sources.ts'
import type { Results } from './results-file.ts'
import { sample } from './sample.ts'

/** How many are chosen at random. */
export interface SampleOptions {
  readonly count: number | undefined
  readonly seed: number | undefined
}

/** What was read, and where the sample of it came from. */
interface Read {
  readonly records: readonly JudgedRecord[]
  readonly listed: number
  /** Number of those that are not judged, because the customer or the assistant said nothing. */
  readonly silent: number
  /** Number of all, with those that are not judged. */
  readonly total: number
  /** Hash of the flags that select. */
  readonly selection: string
  readonly seed: number | undefined
  readonly isContinued: boolean
  /** Keeps the sample for the next run, in case that this one is interrupted. */
  readonly start: () => void
}

/** Reads what is judged: all that is listed, a random sample of it, or what an interrupted run had chosen. */
export async function readRecords(
  context: Context,
  given: Pick<Invocation, 'flags' | 'input'>,
  {
    source,
    results,
    options,
    selected,
  }: {
    readonly source: JudgedSource
    readonly results: Results
    readonly options: SampleOptions
    readonly selected: Awaited<ReturnType<JudgedSource['select']>>
  },
): Promise<Read> {
  const { system, globals, progress } = context
  const limit = parseCount(globals.limit, '--limit') ?? Number.POSITIVE_INFINITY
  return progress.showWhile(`Reading ${source.noun}`, async (setText) => {
    const listed: Candidate[] = []
    let silent = 0
    let total = 0
    for await (const candidate of selected.candidates()) {
      if (listed.length >= limit) break
      total++
      if (candidate === 'nothing said') silent++
      else listed.push(candidate)
    }
    // The times of a period move on with the clock, so that they are compared as they were written. The hash is saved: with
    // another one, an interrupted sample is not continued.
    const selection = hashJson([
      given.input,
      given.flags.assistant ?? null,
      given.flags.since ?? null,
      given.flags.until ?? null,
      globals.limit ?? null,
      options.count ?? null,
    ])
    const earlier =
      options.count === undefined || options.seed !== undefined ? undefined : results.interrupted(selection)
    const seed =
      options.count === undefined ? undefined : (options.seed ?? earlier?.seed ?? Math.floor(system.random() * 2 ** 32))
    const earlierIds = earlier && new Set(earlier.ids)
    const chosen = earlierIds
      ? listed.filter((it) => earlierIds.has(it.id))
      : seed === undefined || options.count === undefined
        ? listed
        : sample(listed, options.count, seed)
    let count = 0
    const read = await mapConcurrently(chosen, async (candidate) => {
      const record = system.signal.aborted ? undefined : await candidate.read()
      setText(`Reading ${source.noun}: ${++count} of ${chosen.length}`)
      const judged = record && toJudged(record)
      if (record && !judged) silent++
      return judged
    })
    const records = read.flatMap((it) => it ?? [])
    const ids = chosen.map((it) => it.id)
    const start = (): void => (seed === undefined ? undefined : results.start({ selection, seed, ids }))
    return { records, listed: listed.length, silent, total, selection, seed, isContinued: earlier !== undefined, start }
  })
}
