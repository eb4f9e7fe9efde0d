import { paint } from './colour.ts'
import type { OutputSettings } from './form.ts'
import { safeLine, safeText } from './safe-text.ts'
import { usualWidth } from './table.ts'
import { width } from './width.ts'

/** One message of a conversation. */
export interface Spoken {
  readonly role: string
  readonly content: string
  readonly function_calls?: readonly { readonly name: string; readonly arguments?: unknown; readonly result?: unknown }[] | undefined
}

const names: Readonly<Record<string, string>> = { assistant: 'Assistant', user: 'Customer', system: 'System' }
const left = 11
/** Wider lines are hard to read. */
const widest = 100

/** Words in lines of at most so many cells; ends of lines stay. */
function wrapped(text: string, cells: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && width(line) + 1 + width(word) > cells) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    return [...lines, line]
  })
}

/**
 * What was said, for people: who, and beside it the text. On a terminal wrapped, with who it was in colour; elsewhere a line each, with a tab between.
 * Functions that ran stand before the reply they were for.
 */
export async function transcript(spoken: readonly Spoken[], settings: Pick<OutputSettings, 'terminal' | 'columns' | 'colour'>): Promise<string> {
  if (!settings.terminal) return spoken.map(({ role, content }) => `${safeLine(role)}\t${safeLine(content)}\n`).join('')
  const styles = await paint(settings.colour)
  const cells = Math.max(20, Math.min(settings.columns || usualWidth, widest) - left)
  const indent = ' '.repeat(left)
  return spoken
    .map(({ role, content, function_calls = [] }) => {
      const name = safeLine(names[role] ?? role)
      const who = (role === 'assistant' ? styles.cyan : styles.bold)(name) + ' '.repeat(Math.max(1, left - width(name)))
      const ran = function_calls.map((it) => `${indent}${styles.dim(safeLine(`ran ${it.name} ${JSON.stringify(it.arguments ?? {})}`))}\n`).join('')
      return `${ran}${who}${wrapped(safeText(content), cells).join(`\n${indent}`)}\n`
    })
    .join('')
}
