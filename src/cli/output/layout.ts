/** What decides how much room a column gets. */
export interface Room {
  /** Cells of its longest value. */
  readonly natural: number
  /** Cells of its title. */
  readonly title: number
  readonly priority: number
  readonly flexible: boolean
}

/** Cells between two columns. */
export const gap = 2
const leastFlexible = 12
/** Below so many cells a table that drops columns would be left with next to nothing: every item becomes a card instead. */
const narrow = 60

interface Kept {
  readonly index: number
  readonly room: Room
  width: number
}

const fullWidth = (room: Room): number => Math.max(room.natural, room.title)
const leastWidth = (room: Room): number => (room.flexible ? Math.min(fullWidth(room), Math.max(room.title, leastFlexible)) : fullWidth(room))
const total = (kept: readonly Kept[]): number => kept.reduce((sum, it) => sum + it.width + gap, -gap)

/**
 * Fits columns into so many cells: drops those that matter least until the rest fits with its flexible ones cut, then gives what is left back to the cut ones.
 * Answers the kept columns by index with their widths; undefined when they do not fit side by side, or all of them do not where there is little room.
 */
export function fit(rooms: readonly Room[], cells: number): ReadonlyMap<number, number> | undefined {
  let kept: Kept[] = rooms.map((room, index) => ({ index, room, width: leastWidth(room) }))
  while (total(kept) > cells) {
    const least = kept.findLast((it) => it.room.priority === Math.max(...kept.map((other) => other.room.priority)))
    if (!least || least.room.priority <= 1 || cells < narrow) return undefined
    kept = kept.filter((it) => it !== least)
  }
  // One column of many says too little about a thing.
  if (kept.length < Math.min(2, rooms.length)) return undefined
  let spare = cells - total(kept)
  for (;;) {
    const cut = kept.filter((it) => it.width < fullWidth(it.room))
    if (spare <= 0 || cut.length === 0) break
    const share = Math.max(1, Math.floor(spare / cut.length))
    for (const it of cut) {
      const more = Math.min(share, spare, fullWidth(it.room) - it.width)
      it.width += more
      spare -= more
    }
  }
  return new Map(kept.map((it) => [it.index, it.width]))
}
