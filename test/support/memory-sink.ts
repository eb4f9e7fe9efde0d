import type { OutputSettings } from '../../src/cli/program/output/format.ts'
import type { Sink } from '../../src/cli/program/terminal/streams.ts'

/** Sink that stores what is written, in the pieces in which it arrived. */
export interface MemorySink extends Sink {
  readonly pieces: readonly string[]
  readonly all: string
}

/** Creates a sink in memory. */
export function memorySink({
  isTTY = false,
  columns = isTTY ? 80 : 0,
  rows = 0,
}: {
  isTTY?: boolean
  columns?: number
  rows?: number | undefined
} = {}): MemorySink {
  const pieces: string[] = []
  return {
    isTTY,
    columns,
    rows,
    pieces,
    get all() {
      return pieces.join('')
    },
    write: async (text) => {
      pieces.push(text)
    },
  }
}

/** Returns the output settings of a command (default: stdout is a pipe). */
export const settings = (some: Partial<OutputSettings> = {}): OutputSettings => ({
  format: 'table',
  header: true,
  utc: false,
  isIndented: true,
  color: false,
  terminal: false,
  columns: some.terminal ? 80 : 0,
  now: Date.parse('2026-08-04T12:00:00Z'),
  computerNow: Date.parse('2026-08-04T12:00:00Z'),
  timeZone: 'Europe/Warsaw',
  ...some,
})
