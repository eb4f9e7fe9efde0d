import type { Pace } from './pace.ts'
import type { Row } from './rows.ts'

export type Wanted = 'yes' | 'no' | 'enough'

export interface CrewOptions {
  readonly rows: AsyncIterable<readonly Row[]>
  /** Whether there is anything to do for a row, or for it and all that follow; does at once what takes no request. */
  readonly wants: (row: Row) => Wanted | Promise<Wanted>
  /** Does it. Must not fail for what is the row's own matter: whatever it throws ends the whole. */
  readonly work: (row: Row) => Promise<void>
  /** Told before rows from one place to another leave. */
  readonly begin: (from: number, to: number) => void
  /** So many rows are begun with one line of the ledger. */
  readonly batch: number
  readonly pace: Pace
  /** Whether rows take their turn here; others do so themselves. */
  readonly paced: boolean
  /** Aborted when no further row may be begun; those under way are waited for. */
  readonly signal: AbortSignal
  /** Waits for output that has not been taken yet. */
  readonly drained: () => Promise<void> | undefined
}

/** Works on rows, many at a time and in their order, until there are no more or nobody wants more. @throws what `work` threw first, once all have ended */
export async function workThrough({ rows, wants, work, begin, batch, pace, paced, signal, drained }: CrewOptions): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  let begunUpTo = -1
  let free = (): void => {}
  let isEnough = false
  const isOver = (): boolean => isEnough || signal.aborted || failure !== undefined

  function begun(row: Row): void {
    if (row.at > begunUpTo) {
      begunUpTo = row.at + batch - 1
      begin(row.at, begunUpTo)
    }
    const end = (): void => {
      underWay.delete(done)
      free()
    }
    const done = work(row).then(end, (error: unknown) => {
      failure ??= { error }
      end()
    })
    underWay.add(done)
  }

  try {
    for await (const some of rows) {
      for (const row of some) {
        if (isOver()) break
        const asked = wants(row)
        const wanted = typeof asked === 'string' ? asked : await asked
        if (wanted === 'enough') isEnough = true
        if (isOver()) break
        if (wanted === 'no') continue
        while (underWay.size >= pace.lanes && !isOver())
          await new Promise<void>((resolve) => {
            free = resolve
          })
        const turn = paced ? pace.turn(signal) : undefined
        if (turn) await turn.catch(() => {})
        const written = drained()
        if (written) await written
        if (isOver()) break
        begun(row)
      }
      if (isOver()) break
    }
  } catch (error) {
    failure ??= { error }
  }
  await Promise.all(underWay)
  if (failure) throw failure.error
}
