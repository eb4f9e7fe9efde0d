import type { Shape } from '../output/form.ts'
import type { Output } from '../output/output.ts'

/** Which records are printed, and in which order. */
export interface Selection {
  /** Returns whether a record is printed. */
  readonly matches: (record: object) => boolean
  /** Sorts the records; without it they are printed as they arrive. */
  readonly sort: (<T extends object>(records: readonly T[]) => readonly T[]) | undefined
  /** Maximum number of records. */
  readonly limit: number | undefined
  /** Called with the number of records that were read. */
  readonly onRead: (count: number) => void
  /** Called instead of printing a single record. */
  readonly rejectRecord: () => never
}

/** Number of records in one write of a sorted list. */
const batchSize = 100

/** Replaces the text for an empty list, if the list itself was not empty. */
const withEmptyText = <T>(shape: Shape<T>, text: string): Shape<T> =>
  shape.view ? { ...shape, view: { ...shape.view, empty: text } } : shape

/** Returns an output that prints the selected records of lists. */
export function selectingOutput(out: Output, { matches, sort, limit, onRead, rejectRecord }: Selection): Output {
  const inOrder = <T extends object>(records: readonly T[]): readonly T[] =>
    (sort ? sort(records) : records).slice(0, limit)

  async function* filtered<T extends object>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
    let remaining = limit ?? Number.POSITIVE_INFINITY
    for await (const page of pages) {
      onRead(page.length)
      const chosen = page.filter(matches).slice(0, remaining)
      remaining -= chosen.length
      if (chosen.length > 0) yield chosen
      if (remaining <= 0) return
    }
  }

  async function* sorted<T extends object>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
    const all: T[] = []
    for await (const page of pages) {
      onRead(page.length)
      all.push(...page.filter(matches))
    }
    const records = inOrder(all)
    for (let at = 0; at < records.length; at += batchSize) yield records.slice(at, at + batchSize)
  }

  return {
    settings: out.settings,
    fields: out.fields,
    line: out.line,
    done: out.done,
    hasSentence: out.hasSentence,
    record: rejectRecord,
    list: (items, shape = {}) => {
      onRead(items.length)
      const chosen = inOrder(items.filter(matches))
      return out.list(chosen, items.length > 0 ? withEmptyText(shape, noMatch) : shape)
    },
    pages: (pages, shape = {}) => out.pages(sort ? sorted(pages) : filtered(pages), withEmptyText(shape, noMatch)),
  }
}

const noMatch = 'No matching records.'
