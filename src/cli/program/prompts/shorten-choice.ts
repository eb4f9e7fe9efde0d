import { textWidth, truncateText } from '../terminal/text-width.ts'

/** Parentheses at the end of a choice, such as its id. */
const bracketSuffix = / \([^()]*\)$/

/** Shortens a choice to `cells`: truncates the name and preserves the text in parentheses after it. */
export function shortenChoice(name: string, cells: number): string {
  if (textWidth(name) <= cells) return name
  const [end = ''] = bracketSuffix.exec(name) ?? []
  const room = cells - textWidth(end)
  return room < 10 ? truncateText(name, cells) : truncateText(name.slice(0, name.length - end.length), room) + end
}
