import type { Context } from '../context.ts'
import { type ProgressSnapshot, showProgress } from './progress-bar.ts'
import type { Row } from './rows/read-rows.ts'

/** What became of one row, as it is told. */
export interface RowOutcome {
  readonly status: 'done' | 'already' | 'failed' | 'unknown'
  readonly id?: number | string | undefined
  readonly error?: string
}

/** Tells how it goes while it goes: a bar or lines on stderr; with ndjson events on stdout, with `id` the ids. */
export interface RowReporter {
  row(row: Row, phone: string | undefined, outcome: RowOutcome): void
  /** Resolves when what was written has been taken; undefined when nothing waits. @throws ClosedPipe, OutputFailed */
  drained(): Promise<void> | undefined
  clear(): void
  stop(): Promise<void>
}

/** Milliseconds between events that tell how far it is. */
const progressMs = 1000
/** Characters that may wait to be taken before rows are held back. */
const maxPendingLength = 64 * 1024

export function createReporter(context: Context, doing: string, snapshot: () => ProgressSnapshot): RowReporter {
  const { globals, out, world } = context
  const { form } = out.settings
  const isEvents = form === 'ndjson'
  // Whoever reads JSON reads one document on stderr at most, and only when it fails.
  const quiet =
    globals.quiet === true || (form === 'json' || isEvents || form === 'yaml' ? globals.verbose !== true : false)
  const shown = showProgress({ stderr: world.streams.stderr, env: world.env, doing, snapshot, quiet })
  let waiting = ''
  let writing: Promise<void> | undefined
  let failure: unknown

  function flush(): void {
    if (writing || waiting === '') return
    const text = waiting
    waiting = ''
    writing = world.streams.stdout
      .write(text)
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => {
        writing = undefined
        flush()
      })
  }
  const enqueue = (text: string): void => {
    waiting += text
  }
  const timers = isEvents || form === 'id' ? [setInterval(flush, 50)] : []
  if (isEvents)
    timers.push(
      setInterval(() => enqueue(`${JSON.stringify({ type: 'progress', ...roundRate(snapshot()) })}\n`), progressMs),
    )

  async function drain(): Promise<void> {
    while (writing) await writing
    if (failure) throw failure
  }

  return {
    row(row, phone, { status, id, error }) {
      if (form === 'id') return id === undefined ? undefined : enqueue(`${id}\n`)
      if (isEvents)
        enqueue(
          `${JSON.stringify({ type: 'item', line: row.line, phone_number: phone ?? null, status, id: id ?? null, error: error ?? null })}\n`,
        )
    },
    drained() {
      if (failure) return drain()
      if (waiting.length < maxPendingLength) return undefined
      flush()
      return drain()
    },
    clear: shown.clear,
    async stop() {
      shown.stop()
      for (const it of timers) clearInterval(it)
      flush()
      await drain()
    },
  }
}

const roundRate = (it: ProgressSnapshot): ProgressSnapshot => ({ ...it, rate: Math.round(it.rate * 10) / 10 })
