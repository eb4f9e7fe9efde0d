const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const lineHeight = 21
/** Width of one cell of the font at 14 pixels. */
const cell = 8.43
const padding = 20
const barHeight = 34

/** Colors on the dark background of the picture; each has a contrast of at least 7. */
const colors = { text: '#d8dee9', command: '#ffffff', prompt: '#8fd6a5', question: '#f2cc8f', hint: '#a9b4c6' }

function lineColor(line: string): string {
  if (line.startsWith('$ ')) return colors.command
  if (line.startsWith('? ')) return colors.question
  if (/^(?:Next|Equivalent command|Only some)\b/.test(line)) return colors.hint
  return colors.text
}

/** Breaks a line at a word, so that it has at most `columns` characters. */
function fold(line: string, columns: number): string[] {
  if (line.length <= columns) return [line]
  const at = line.lastIndexOf(' ', columns)
  return [line.slice(0, at), ...fold(line.slice(at + 1), columns)]
}

/**
 * Returns the session at the start of the README as a picture of a terminal, in SVG: docs/terminal.svg. `lineColor` recognizes
 * the lines by the words with which the commands begin them.
 */
export function terminalPicture(readme: string, columns = 84): string {
  const session = /^```text\n(\$ parley[\s\S]*?)\n```$/m.exec(readme)?.[1]
  if (session === undefined) throw new Error('README.md has no block of text that begins with "$ parley"')
  const lines = session
    .split('\n')
    .flatMap((line) => fold(line, columns).map((text) => ({ text, color: lineColor(line) })))
  const width = Math.round(columns * cell + 2 * padding)
  const height = barHeight + lines.length * lineHeight + padding
  const rows = lines.map(({ text, color }, n) => {
    const y = barHeight + (n + 0.75) * lineHeight
    const content = text.startsWith('$ ')
      ? `<tspan fill="${colors.prompt}">$</tspan>${escapeXml(text.slice(1))}`
      : escapeXml(text)
    return text === '' ? '' : `<text x="${padding}" y="${y}" fill="${color}" xml:space="preserve">${content}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>Searching and buying a number with Parley</title>
<rect width="${width}" height="${height}" rx="10" fill="#1c2230"/>
${['#f38ba8', '#f2cc8f', '#8fd6a5'].map((color, n) => `<circle cx="${padding + n * 20}" cy="17" r="6" fill="${color}"/>`).join('')}
${rows.filter(Boolean).join('\n')}
</svg>
`
}
