import type { ComponentChildren } from 'preact'
import { queryValue } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { containsWords, RowSearch } from './list-controls.tsx'
import { Empty } from './states.tsx'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T, index: number) => ComponentChildren
  readonly isNumber?: boolean
  /** The state of the row: beside its name on narrow screens. */
  readonly isState?: boolean
}

/**
 * A table whose rows lead to a page. The first cell is a link; on narrow screens each row becomes a card with the
 * titles beside the values.
 */
export function Table<T>({
  label,
  rows,
  columns,
  keyOf,
  href,
  current,
  isSearchable = false,
}: {
  label: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  keyOf: (row: T) => string | number
  href?: (row: T) => string | null
  current?: string | number | undefined
  /** Shows a field that filters the rows by words. One table of a page can be. */
  isSearchable?: boolean
}) {
  const search = isSearchable ? queryValue('find') : ''
  const shown = rows.map((row, index) => ({ row, index })).filter(({ row }) => containsWords(row, search))
  const table = (
    <table class="table">
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map((it) => (
            <th key={it.title} scope="col" class={it.isNumber ? 'number' : ''}>
              {it.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map(({ row, index }) => {
          const to = href?.(row)
          const isCurrent = current !== undefined && String(keyOf(row)) === String(current)
          return (
            <tr key={keyOf(row)} class={`${to ? 'linked' : ''} ${isCurrent ? 'current' : ''}`}>
              {columns.map((it, at) => (
                <td
                  key={it.title}
                  data-title={it.title}
                  class={it.isNumber ? 'number' : it.isState ? 'row-state' : ''}
                  dir="auto"
                >
                  {at === 0 && to ? (
                    <a href={to} class="row-link" {...(isCurrent && { 'aria-current': 'true' as const })}>
                      {it.cell(row, index)}
                    </a>
                  ) : (
                    it.cell(row, index)
                  )}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
  if (!isSearchable) return table
  return (
    <>
      <RowSearch label={`Filter: ${label}`} />
      {shown.length > 0 ? (
        table
      ) : (
        <Empty title={`No row of this list contains "${search}"`}>
          <a href={routePath('timeline', [], { search })}>Search the timeline</a>
        </Empty>
      )}
    </>
  )
}
