import type { Context } from '../context.ts'
import { type Standing, showProgress } from './bar.ts'
import type { Row } from './rows.ts'

/** What became of one row, as it is told. */
export interface Told {
  readonly status: 'done' | 'already' | 'failed' | 'unknown'
  readonly id?: number | string | undefined
  readonly error?: string
}

/** Tells how it goes while it goes: a bar or lines on stderr; with ndjson events on stdout, with `id` the ids. */
export interface Telling {
  row(row: Row, phone: string | undefined, told: Told): void
  /** Resolves when what was written has been taken; undefined when nothing waits. @throws ClosedPipe, OutputFailed */
  drained(): Promise<void> | undefined
  clear(): void
  stop(): Promise<void>
}

/** Milliseconds between events that tell how far it is. */
const progressMs = 1000
/** Characters that may wait to be taken before rows are held back. */
const mostWaiting = 64 * 1024

export function createTelling(context: Context, doing: string, standing: () => Standing): Telling {
  const { globals, out, world } = context
  const { form } = out.settings
  const isEvents = form === 'ndjson'
  // Whoever reads JSON reads one document on stderr at most, and only when it fails.
  const quiet = globals.quiet === true || (form === 'json' || isEvents || form === 'yaml' ? globals.verbose !== true : false)
  const shown = showProgress({ stderr: world.streams.stderr, env: world.env, doing, standing, quiet })
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
  const say = (text: string): void => {
    waiting += text
  }
  const timers = isEvents || form === 'id' ? [setInterval(flush, 50)] : []
  if (isEvents) timers.push(setInterval(() => say(`${JSON.stringify({ type: 'progress', ...rounded(standing()) })}\n`), progressMs))

  async function settled(): Promise<void> {
    while (writing) await writing
    if (failure) throw failure
  }

  return {
    row(row, phone, { status, id, error }) {
      if (form === 'id') return id === undefined ? undefined : say(`${id}\n`)
      if (isEvents) say(`${JSON.stringify({ type: 'item', line: row.line, phone_number: phone ?? null, status, id: id ?? null, error: error ?? null })}\n`)
    },
    drained() {
      if (failure) return settled()
      if (waiting.length < mostWaiting) return undefined
      flush()
      return settled()
    },
    clear: shown.clear,
    async stop() {
      shown.stop()
      for (const it of timers) clearInterval(it)
      flush()
      await settled()
    },
  }
}

const rounded = (it: Standing): Standing => ({ ...it, rate: Math.round(it.rate * 10) / 10 })
