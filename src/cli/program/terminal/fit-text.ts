import { defaultWidth, wrap } from './wrap-text.ts'

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
