import { textWidth, truncateText } from '../terminal/text-width.ts'

/** Brackets at the end of a choice, such as its id. */
const bracketSuffix = / \([^()]*\)$/

/** A choice in so many cells: what is too much goes from its name, and what stands in brackets behind it stays. */
export function shortenChoice(name: string, cells: number): string {
  if (textWidth(name) <= cells) return name
  const [end = ''] = bracketSuffix.exec(name) ?? []
  const room = cells - textWidth(end)
  return room < 10 ? truncateText(name, cells) : truncateText(name.slice(0, name.length - end.length), room) + end
}
