/** Characters of a line that are shown. */
const maxWidth = 160
/** Lines that are shown of each side. */
const maxLines = 12
/** Characters shown before the first one that differs. */
const lead = 24

/**
 * The lines of two texts that differ, `- ` before and `+ ` after: common lines at the beginning and the end are left out. Where one line became another,
 * only the part around the change is shown, with `…` for what is cut.
 */
export function textDifference(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const head = common(old, now)
  const tail = common(old.slice(head).reverse(), now.slice(head).reverse())
  const [removed, added] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)]
  const from = removed.length === 1 && added.length === 1 ? Math.max(0, common([...(removed[0] ?? '')], [...(added[0] ?? '')]) - lead) : 0
  return [...side('- ', removed, from), ...side('+ ', added, from)]
}

/** How many items two lists have in common at their beginning. */
function common(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1
  return count
}

function side(mark: string, lines: readonly string[], from: number): string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${mark}${cut(line, from)}`)
  return lines.length > maxLines ? [...shown, `${mark}… ${lines.length - maxLines} more lines`] : shown
}

function cut(line: string, from: number): string {
  const characters = [...line]
  const part = characters.slice(from, from + maxWidth).join('')
  return `${from > 0 ? '…' : ''}${part}${characters.length > from + maxWidth ? '…' : ''}`
}
