import { cut, width } from '../output/width.ts'

/** Brackets at the end of a choice, such as its id. */
const ending = / \([^()]*\)$/

/** A choice in so many cells: what is too much goes from its name, and what stands in brackets behind it stays. */
export function shortened(name: string, cells: number): string {
  if (width(name) <= cells) return name
  const [end = ''] = ending.exec(name) ?? []
  const room = cells - width(end)
  return room < 10 ? cut(name, cells) : cut(name.slice(0, name.length - end.length), room) + end
}
