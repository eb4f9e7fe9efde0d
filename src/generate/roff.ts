/** Returns a line that troff shows unchanged: escapes backslashes, hyphens and quotes, and writes others as numbers. */
export const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(
      /[^\0-\x7f]/gu,
      (it) => `\\[u${(it.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^\./, '\\&.')

/** Length of source lines. mandoc reports lines of more than 80 bytes. */
const lineLength = 72

/** Fills source lines with words. A line that starts with a control character is escaped. */
function fill(text: string): string {
  const lines: string[] = []
  for (const word of text.split(/\s+/).map(roff)) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length < lineLength) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

/** Returns a text of several lines as paragraphs. An indented line starts a new line. */
export const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .split('\n')
        .map((line, n) => (n > 0 && /^\s/.test(line) ? `.br\n${fill(line.trim())}` : fill(line.trim())))
        .join('\n'),
    )
    .join('\n.PP\n')

/** Returns a word in bold. */
export const bold = (text: string): string => `\\fB${roff(text)}\\fR`

/** Returns the names of a flag in bold and its value in italics: `-p, --profile <name>`. */
export const flagTerm = (flags: string): string =>
  flags
    .split(/(<[^>]+>|\[[^\]]+\])/)
    .map((part) => (/^[<[]/.test(part) ? `\\fI${roff(part)}\\fR` : part.replace(/-[\w-]+/g, (it) => bold(it))))
    .join('')

/** Returns a list of terms with their descriptions. */
export const terms = (rows: readonly (readonly [term: string, text: string])[]): string =>
  rows.map(([term, text]) => `.TP\n${term}\n${paragraphs(text)}`).join('\n')

/** Returns command lines to copy, shown unchanged. */
export const example = (lines: readonly string[]): string => `.EX\n${lines.map(roff).join('\n')}\n.EE`
