import { defaultWidth, wrap } from './wrap-text.ts'

/** Sentences as a terminal shows them: lines end between words, and go on two cells deeper than they began. Elsewhere, and where they fit, as they are. */
export async function fitText(
  text: string,
  { terminal, columns }: { readonly terminal: boolean; readonly columns: number },
): Promise<string> {
  const room = columns || defaultWidth
  // No character takes more than two cells.
  if (!terminal || text.split('\n').every((it) => it.length * 2 <= room)) return text
  const { textWidth } = await import('./text-width.ts')
  return text
    .split('\n')
    .map((it) => wrap(it, room, `${/^ */.exec(it)?.[0]}  `, textWidth))
    .join('\n')
}
