interface Limits {
  /** Maximum number of characters shown of a line. */
  readonly maxWidth: number
  /** Maximum number of lines shown of each side. */
  readonly maxLines: number
}
const usualLimits: Limits = { maxWidth: 160, maxLines: 12 }
/** Number of characters shown before the first difference. */
const contextLength = 24

/**
 * Returns the differing lines of two texts, with `- ` and `+ `, without common lines at the beginning and end. If a
 * single long line changed, only the part around the change is shown, with `…` for omitted text.
 */
export function textDifference(before: string, after: string, limits: Limits = usualLimits): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const head = commonPrefixLength(old, now)
  const tail = commonPrefixLength(old.slice(head).reverse(), now.slice(head).reverse())
  const [removed, added] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)]
  const from =
    removed.length === 1 && added.length === 1 && [...removed, ...added].some((it) => it.length > limits.maxWidth)
      ? Math.max(0, commonPrefixLength([...(removed[0] ?? '')], [...(added[0] ?? '')]) - contextLength)
      : 0
  return [...sideLines('- ', removed, from, limits), ...sideLines('+ ', added, from, limits)]
}

/** Returns the number of common items at the beginning of two lists. */
function commonPrefixLength(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1
  return count
}

function sideLines(mark: string, lines: readonly string[], from: number, { maxWidth, maxLines }: Limits): string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${mark}${excerptLine(line, from, maxWidth)}`)
  return lines.length > maxLines ? [...shown, `${mark}… ${lines.length - maxLines} more lines`] : shown
}

function excerptLine(line: string, from: number, maxWidth: number): string {
  const characters = [...line]
  const part = characters.slice(from, from + maxWidth).join('')
  return `${from > 0 ? '…' : ''}${part}${characters.length > from + maxWidth ? '…' : ''}`
}
