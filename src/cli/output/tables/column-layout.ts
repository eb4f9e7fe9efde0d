/** Size constraints of a column. */
export interface ColumnSize {
  /** Width of the longest value in cells. */
  readonly natural: number
  /** Width of the title in cells. */
  readonly title: number
  readonly priority: number
  readonly flexible: boolean
}

/** Cells between two columns. */
export const gap = 2
const minFlexibleWidth = 12
/** Below this width, items are rendered as cards instead of dropping most columns. */
const minTableWidth = 60

interface FittedColumn {
  readonly index: number
  readonly room: ColumnSize
  width: number
}

const fullWidth = (room: ColumnSize): number => Math.max(room.natural, room.title)
const minWidth = (room: ColumnSize): number =>
  room.flexible ? Math.min(fullWidth(room), Math.max(room.title, minFlexibleWidth)) : fullWidth(room)
const total = (columns: readonly FittedColumn[]): number => columns.reduce((sum, it) => sum + it.width + gap, -gap)

/**
 * Fits columns into `cells`: drops those with the lowest priority until the rest fits with flexible columns truncated,
 * then distributes spare width. Returns the widths of the remaining columns by index; undefined if a table does not
 * fit.
 */
export function fitColumns(rooms: readonly ColumnSize[], cells: number): ReadonlyMap<number, number> | undefined {
  let fitted: FittedColumn[] = rooms.map((room, index) => ({ index, room, width: minWidth(room) }))
  while (total(fitted) > cells) {
    const least = fitted.findLast((it) => it.room.priority === Math.max(...fitted.map((other) => other.room.priority)))
    if (!least || least.room.priority <= 1 || cells < minTableWidth) return undefined
    fitted = fitted.filter((it) => it !== least)
  }
  // One column of many says too little about an item.
  if (fitted.length < Math.min(2, rooms.length)) return undefined
  let spare = cells - total(fitted)
  for (;;) {
    const cut = fitted.filter((it) => it.width < fullWidth(it.room))
    if (spare <= 0 || cut.length === 0) break
    const share = Math.max(1, Math.floor(spare / cut.length))
    for (const it of cut) {
      const more = Math.min(share, spare, fullWidth(it.room) - it.width)
      it.width += more
      spare -= more
    }
  }
  return new Map(fitted.map((it) => [it.index, it.width]))
}
