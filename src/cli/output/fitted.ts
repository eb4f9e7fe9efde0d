import { usualWidth, wrap } from '../text.ts'

/** Sentences as a terminal shows them: lines end between words, and go on two cells deeper than they began. Elsewhere, and where they fit, as they are. */
export async function fitted(text: string, { terminal, columns }: { readonly terminal: boolean; readonly columns: number }): Promise<string> {
  const room = columns || usualWidth
  // No character takes more than two cells.
  if (!terminal || text.split('\n').every((it) => it.length * 2 <= room)) return text
  const { width } = await import('./width.ts')
  return text
    .split('\n')
    .map((it) => wrap(it, room, `${/^ */.exec(it)?.[0]}  `, width))
    .join('\n')
}
