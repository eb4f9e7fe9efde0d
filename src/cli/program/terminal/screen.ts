import type { Sink } from './streams.ts'

/** Text that replaces itself on a terminal. */
export interface Screen {
  /** Shows text from the top. Lines below the last row are left out, and their number is shown. */
  draw(text: string): Promise<void>
}

const clear = '\x1b[2J\x1b[H'
const home = '\x1b[H'
const clearRestOfLine = '\x1b[K'
const clearBelow = '\x1b[J'

/** Creates a screen on a terminal. */
export function createScreen(sink: Sink): Screen {
  let hasDrawn = false
  return {
    async draw(text) {
      const lines = text.replace(/\n$/, '').split('\n')
      // The last row stays free for the cursor.
      const room = sink.rows ? Math.max(2, sink.rows - 1) : lines.length
      const shown =
        lines.length > room ? [...lines.slice(0, room - 1), `... ${lines.length - room + 1} more lines`] : lines
      await sink.write(
        `${hasDrawn ? home : clear}${shown.map((it) => `${it}${clearRestOfLine}\n`).join('')}${clearBelow}`,
      )
      hasDrawn = true
    },
  }
}
