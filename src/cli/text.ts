/** `text` in lines of at most `width` cells, each after `indent`. */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}

/** Rows of a name and a text, the texts aligned. */
export function rows(pairs: readonly (readonly [string, string])[], width: number): string {
  const left = Math.min(36, Math.max(0, ...pairs.map(([name]) => name.length)) + 2)
  return pairs
    .map(([name, text]) => `  ${name.padEnd(left)}${name.length >= left ? `\n  ${' '.repeat(left)}` : ''}${wrap(text, width, ' '.repeat(left + 2))}`.trimEnd())
    .join('\n')
}

/** Width of help: the terminal's, but never so wide that lines are hard to read. */
export const helpWidth = (columns: number): number => (columns > 0 ? Math.max(40, Math.min(columns, 100)) : 80)
