/** Width of a terminal that does not report its own. */
export const defaultWidth = 80

/** Maximum width of text for people, for readability. */
export const maxTextWidth = 100

/** Returns the width of text in which every character takes one cell. */
const countCharacters = (text: string): number => text.length

/**
 * Wraps `text` to lines of at most `width` cells with `indent`; line breaks in the text remain. Words are never split.
 * Command lines in quotes, after a colon or at the start of a line are not split either, so that they can be copied.
 * `cells` measures text with wide characters or color.
 */
export function wrap(
  text: string,
  width: number,
  indent: string,
  cells: (text: string) => number = countCharacters,
): string {
  const room = width - indent.length
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let [line = ''] = /^ */.exec(paragraph) ?? []
    let used = cells(line)
    let hasWord = false
    for (const word of splitWords(paragraph.slice(line.length))) {
      for (const [n, part] of splitWideWord(word, room, cells).entries()) {
        const space = n === 0 && hasWord ? ' ' : ''
        const size = cells(part)
        if (hasWord && used + space.length + size > room) {
          lines.push(line)
          ;[line, used] = [part, size]
        } else {
          line += space + part
          used += space.length + size
        }
        hasWord = true
      }
    }
    lines.push(line)
  }
  return lines.join(`\n${indent}`)
}

/** A command line by its first word: a text that names another program needs that word here, or its command line is split. */
const commandLine = /(?<=")parley [^"]+|(?:(?<=: )|^)(?:parley|curl|chmod) .*?(?=[.,;](?: |$)|$)/g
/** Replaces a space at which no line may break. */
const glue = '\ue000'

const splitWords = (line: string): string[] =>
  line
    .replace(commandLine, (it) => it.replaceAll(' ', glue))
    .split(' ')
    .map((it) => it.replaceAll(glue, ' '))

/** Splits a word that is wider than a line after its wide characters, for scripts without spaces. */
function splitWideWord(word: string, room: number, cells: (text: string) => number): string[] {
  if (cells(word) <= room) return [word]
  const parts = ['']
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)) {
    parts[parts.length - 1] += segment
    if (cells(segment) > 1) parts.push('')
  }
  return parts.filter((it) => it !== '')
}

const shellWord = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g

/** Folds a command line to `width` with backslashes at line ends, so that it can still be pasted. */
export function foldCommand(line: string, width: number, indent: string): string {
  if (indent.length + line.length <= width) return line
  const words = line.match(shellWord) ?? []
  const parts: string[] = []
  for (const [n, word] of words.entries()) {
    const before = words[n - 1] ?? ''
    // A flag and its value, or a redirection and its file, stay on one line.
    if (n > 0 && /^(-|[<>|])/.test(before) && !/^(-|[<>|])/.test(word)) parts.push(`${parts.pop()} ${word}`)
    else parts.push(word)
  }
  return [...packLines(parts, width - indent.length - 4)].join(` \\\n${indent}  `)
}

function* packLines(parts: readonly string[], room: number): Generator<string> {
  let line = ''
  for (const part of parts) {
    if (line !== '' && line.length + 1 + part.length > room) {
      yield line
      line = part
    } else line += line === '' ? part : ` ${part}`
  }
  yield line
}

/** Renders rows of name and text with aligned texts. */
export function alignedRows(pairs: readonly (readonly [string, string])[], width: number): string {
  const left = Math.min(36, Math.max(0, ...pairs.map(([name]) => name.length)) + 2)
  return pairs
    .map(([name, text]) =>
      `  ${name.padEnd(left)}${name.length >= left ? `\n  ${' '.repeat(left)}` : ''}${wrap(text, width, ' '.repeat(left + 2))}`.trimEnd(),
    )
    .join('\n')
}

/** Returns the width of help text: that of the terminal, at least 40 cells and at most `maxTextWidth`. */
export const helpWidth = (columns: number): number =>
  columns > 0 ? Math.max(40, Math.min(columns, maxTextWidth)) : defaultWidth

/** Loads the measure of text in cells, which few lines need. */
export const loadTextWidth = () => import('./text-width.ts')

/** Wraps sentences for a terminal between words, with two cells of extra indent. Returns other text unchanged. */
export async function fitText(
  text: string,
  { terminal, columns }: { readonly terminal: boolean; readonly columns: number },
): Promise<string> {
  const room = columns || defaultWidth
  // No character takes more than two cells.
  if (!terminal || text.split('\n').every((it) => it.length * 2 <= room)) return text
  const { textWidth } = await loadTextWidth()
  return text
    .split('\n')
    .map((it) => wrap(it, room, `${/^ */.exec(it)?.[0]}  `, textWidth))
    .join('\n')
}
