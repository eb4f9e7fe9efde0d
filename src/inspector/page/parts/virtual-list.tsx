import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { scrollToRow, visibleRows } from './virtual-window.ts'

/**
 * A list of any length that draws only the visible rows. The selected row is moved with the arrow keys, Home and End;
 * Enter opens it.
 */
export function VirtualList<T>({
  label,
  rows,
  rowHeight,
  keyOf,
  row,
  selected,
  onSelect,
  onOpen,
  onNearEnd,
}: {
  label: string
  rows: readonly T[]
  /** Height of each row in pixels. */
  rowHeight: number
  keyOf: (row: T) => string
  row: (row: T, index: number) => ComponentChildren
  selected: number
  onSelect: (index: number) => void
  onOpen: (index: number) => void
  onNearEnd?: () => void
}) {
  const ref = useRef<HTMLDivElement>(null)
  const scrollTop = useSignal(0)
  const height = useSignal(600)
  useLayoutEffect(() => {
    const element = ref.current as HTMLDivElement
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const { first, end } = visibleRows({
    scrollTop: scrollTop.value,
    height: height.value,
    rowHeight,
    count: rows.length,
  })
  useEffect(() => {
    if (end >= rows.length - 20) onNearEnd?.()
  }, [end, rows.length])
  useEffect(() => {
    if (selected >= 0 && ref.current)
      ref.current.scrollTop = scrollToRow(selected, {
        scrollTop: ref.current.scrollTop,
        height: ref.current.clientHeight,
        rowHeight,
      })
  }, [selected])
  const move = (to: number): void => onSelect(Math.max(0, Math.min(rows.length - 1, to)))
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(selected + 1),
    ArrowUp: () => move(selected - 1),
    PageDown: () => move(selected + Math.floor(height.value / rowHeight)),
    PageUp: () => move(selected - Math.floor(height.value / rowHeight)),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    Enter: () => selected >= 0 && onOpen(selected),
  }
  return (
    <div
      ref={ref}
      class="virtual"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected >= first && selected < end ? `row-${selected}` : undefined}
      onScroll={(event) => {
        scrollTop.value = event.currentTarget.scrollTop
      }}
      onKeyDown={(event) => {
        if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return
        event.preventDefault()
        keys[event.key]?.()
      }}
    >
      <div role="presentation" class="virtual-space" style={{ height: `${rows.length * rowHeight}px` }}>
        <div role="presentation" class="virtual-rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows.slice(first, end).map((item, at) => {
            const index = first + at
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active row
              <div
                key={keyOf(item)}
                id={`row-${index}`}
                role="option"
                aria-selected={index === selected}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                class="virtual-row"
                style={{ height: `${rowHeight}px` }}
                onClick={() => {
                  onSelect(index)
                  onOpen(index)
                }}
              >
                {row(item, index)}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
