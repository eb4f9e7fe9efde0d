import { safeText } from './safe-text.ts'
import type { Sink } from './streams.ts'
import { textWidth } from './text-width.ts'
import { defaultWidth, maxTextWidth } from './wrap-text.ts'

/** Writes streamed text word by word, in lines beside a label. */
interface LiveText {
  push(piece: string): Promise<void>
  /** Writes the rest and ends the line. */
  end(): Promise<void>
}

/**
 * Creates live text. `lead` precedes the first line; further lines are indented by `leadCells`. Words are written when
 * complete, so that no line is redrawn.
 */
export function createLiveText(sink: Sink, lead: string, leadCells: number): LiveText {
  const columns = Math.max(20 + leadCells, Math.min(sink.columns || defaultWidth, maxTextWidth))
  const indent = ' '.repeat(leadCells)
  let rest = ''
  let used = 0
  let hasStarted = false
  let gap = ''

  function place(part: string): string {
    if (/^\s/.test(part)) {
      const lines = part.split('\n').length - 1
      if (!hasStarted) return ''
      if (lines === 0) gap = ' '
      else {
        gap = ''
        used = leadCells
        return `${'\n'.repeat(lines)}${indent}`
      }
      return ''
    }
    const size = textWidth(part)
    const begin = hasStarted ? '' : lead
    if (!hasStarted) used = leadCells
    hasStarted = true
    const isFull = used > leadCells && used + gap.length + size > columns
    const text = isFull ? `\n${indent}${part}` : `${gap}${part}`
    used = isFull ? leadCells + size : used + gap.length + size
    gap = ''
    return begin + text
  }

  const write = async (text: string): Promise<void> => {
    const out = (safeText(text).match(/\s+|\S+/g) ?? []).map(place).join('')
    if (out !== '') await sink.write(out)
  }

  return {
    async push(piece) {
      rest += piece
      // The last word, or the space before it, may continue in the next piece.
      const end = Math.max(0, rest.search(/\S+$|\s+$/))
      const whole = rest.slice(0, end)
      rest = rest.slice(end)
      if (whole !== '') await write(whole)
    },
    async end() {
      await write(rest.trimEnd())
      rest = ''
      if (hasStarted) await sink.write('\n')
    },
  }
}
