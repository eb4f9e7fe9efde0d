import { stringifyJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import type { Context } from '../context.ts'
import { type ProgressSnapshot, showProgress } from './progress-bar.ts'
import type { Row } from './rows/read-rows.ts'

/** Reported outcome of one row. */
export interface RowOutcome {
  readonly status: 'done' | 'already' | 'failed' | 'unknown'
  readonly id?: number | string | undefined
  readonly error?: string
}

/** Reports progress: a bar or lines on stderr, events on stdout for ndjson, ids on stdout for `id`. */
export interface RowReporter {
  row(row: Row, phone: string | undefined, outcome: RowOutcome): void
  /**
   * Resolves when the pending output was written; returns undefined if waiting is unnecessary. @throws ClosedPipe,
   * OutputFailed
   */
  drained(): Promise<void> | undefined
  clear(): void
  stop(): Promise<void>
}

/** Milliseconds between progress events. */
const progressMs = 1000
/** Number of pending characters above which rows wait for the output. */
const maxPendingLength = 64 * 1024

/** Creates the reporter for the output format of the command. */
export function createReporter(context: Context, doing: string, snapshot: () => ProgressSnapshot): RowReporter {
  const { globals, out, system } = context
  const { form } = out.settings
  const isEvents = form === 'ndjson'
  // With a JSON or YAML format, stderr carries at most the error document.
  const quiet =
    globals.quiet === true || (form === 'json' || isEvents || form === 'yaml' ? globals.verbose !== true : false)
  const shown = showProgress({ stderr: system.streams.stderr, env: system.env, doing, snapshot, quiet })
  let waiting = ''
  let writing: Promise<void> | undefined
  let failure: unknown

  function flush(): void {
    if (writing || waiting === '') return
    const text = waiting
    waiting = ''
    writing = system.streams.stdout
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
  const timers = isEvents || form === 'id' ? [realTime.setInterval(flush, 50)] : []
  if (isEvents)
    timers.push(
      realTime.setInterval(
        () => enqueue(`${stringifyJson({ type: 'progress', ...roundRate(snapshot()) })}\n`),
        progressMs,
      ),
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
          `${stringifyJson({ type: 'item', line: row.line, phone_number: phone ?? null, status, id: id ?? null, error: error ?? null })}\n`,
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
      for (const it of timers) realTime.clearInterval(it)
      flush()
      await drain()
    },
  }
}

const roundRate = (it: ProgressSnapshot): ProgressSnapshot => ({ ...it, rate: Math.round(it.rate * 10) / 10 })
