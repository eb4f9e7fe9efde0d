import type { OutputSettings } from '../../src/cli/output/form.ts'
import type { Sink } from '../../src/cli/terminal/streams.ts'

/** A sink that keeps what is written, in the pieces it came in. */
export interface MemorySink extends Sink {
  readonly pieces: readonly string[]
  readonly all: string
}

export function memorySink({
  isTTY = false,
  columns = isTTY ? 80 : 0,
}: {
  isTTY?: boolean
  columns?: number
} = {}): MemorySink {
  const pieces: string[] = []
  return {
    isTTY,
    columns,
    pieces,
    get all() {
      return pieces.join('')
    },
    write: async (text) => {
      pieces.push(text)
    },
  }
}

/** What the command line would have decided for stdout, a pipe unless said otherwise. */
export const settings = (some: Partial<OutputSettings> = {}): OutputSettings => ({
  form: 'table',
  header: true,
  utc: false,
  colour: false,
  terminal: false,
  columns: some.terminal ? 80 : 0,
  now: Date.parse('2026-08-04T12:00:00Z'),
  timeZone: 'Europe/Warsaw',
  ...some,
})
