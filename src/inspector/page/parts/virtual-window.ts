/** Rows of a long list that are drawn. */
interface VisibleRows {
  /** Index of the first row. */
  readonly first: number
  /** Index after the last row. */
  readonly end: number
}

/** Returns the rows that are visible in a scrolled list, with some more above and below. Sizes in pixels. */
export function visibleRows(list: {
  readonly scrollTop: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
  readonly extra?: number
}): VisibleRows {
  const { scrollTop, height, rowHeight, count, extra = 8 } = list
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - extra)
  const end = Math.min(count, Math.ceil((Math.max(0, scrollTop) + height) / rowHeight) + extra)
  return { first: Math.min(first, Math.max(0, end)), end: Math.max(0, end) }
}

/** Returns the scroll position that shows a row completely, changed as little as possible. */
export function scrollToRow(
  row: number,
  list: { readonly scrollTop: number; readonly height: number; readonly rowHeight: number },
): number {
  const top = row * list.rowHeight
  if (top < list.scrollTop) return top
  return Math.max(list.scrollTop, top + list.rowHeight - list.height)
}
