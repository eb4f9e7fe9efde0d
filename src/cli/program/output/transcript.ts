import { stringifyJson } from '../../../node/json.ts'
import { loadPaint } from '../terminal/color.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import { textWidth } from '../terminal/text-width.ts'
import { defaultWidth, maxTextWidth, wrap } from '../terminal/wrap-text.ts'
import type { OutputSettings } from './format.ts'

/** One message of a conversation. */
export interface TranscriptMessage {
  readonly role: string
  readonly content: string
  readonly function_calls?:
    | readonly { readonly name: string; readonly arguments?: unknown; readonly result?: unknown }[]
    | undefined
}

const names: Readonly<Record<string, string>> = { assistant: 'Assistant', user: 'Customer', system: 'System' }
/** Cells of the column with the speaker. */
export const nameColumnWidth = 11

/**
 * Renders messages for people, with the speaker in the first column: wrapped and colored on a terminal, tab-separated
 * lines elsewhere. Function calls precede their reply.
 */
export async function renderTranscript(
  messages: readonly TranscriptMessage[],
  settings: Pick<OutputSettings, 'terminal' | 'columns' | 'color'>,
): Promise<string> {
  if (!settings.terminal)
    return messages.map(({ role, content }) => `${safeLine(role)}\t${safeLine(content)}\n`).join('')
  const styles = await loadPaint(settings.color)
  const columns = Math.max(20 + nameColumnWidth, Math.min(settings.columns || defaultWidth, maxTextWidth))
  const indent = ' '.repeat(nameColumnWidth)
  return messages
    .map(({ role, content, function_calls = [] }) => {
      const name = safeLine(names[role] ?? role)
      const who =
        (role === 'assistant' ? styles.cyan : styles.bold)(name) +
        ' '.repeat(Math.max(1, nameColumnWidth - textWidth(name)))
      const ran = function_calls
        .map((it) => `${indent}${styles.dim(safeLine(`ran ${it.name} ${stringifyJson(it.arguments ?? {})}`))}\n`)
        .join('')
      return `${ran}${who}${wrap(safeText(content), columns, indent, textWidth)}\n`
    })
    .join('')
}
