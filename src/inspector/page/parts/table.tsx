import type { ComponentChildren } from 'preact'
import { Bidi } from './fields.tsx'
import { Searchable } from './list-controls.tsx'

/** A word of this length may be broken, so that it does not widen its column. */
const longWord = /\S{25}/

/** A column of a table. */
export interface Column<T> {
  readonly title: string
  readonly cell: (row: T, index: number) => ComponentChildren
  readonly isNumber?: boolean
  /** The state of the row: beside its name on narrow screens. */
  readonly isState?: boolean
}

/**
 * A table whose rows lead to a page, with a field that filters them. The first cell is a link; on narrow screens each row
 * becomes a card with the titles beside the values.
 */
export function Table<T>({
  label,
  rows,
  columns,
  keyOf,
  href,
  current,
  find,
}: {
  label: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  keyOf: (row: T) => string | number
  href?: (row: T) => string | null
  current?: string | number | undefined
  /** Name of the text of the filter in the address, for the second table of a page. */
  find?: string
}) {
  const textOf = (row: T, index: number): unknown =>
    columns.map((it) => it.cell(row, index)).filter((it) => typeof it === 'string' || typeof it === 'number')
  return (
    <Searchable label={label} rows={rows} find={find} textOf={textOf}>
      {(found) => (
        <table class="table">
          <caption class="hidden">{label}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" class={column.isNumber ? 'number' : ''}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.map(({ row, index }) => {
              const to = href?.(row)
              const isCurrent = current !== undefined && String(keyOf(row)) === String(current)
              return (
                <tr key={keyOf(row)} class={`${to ? 'linked' : ''} ${isCurrent ? 'current' : ''}`}>
                  {columns.map((column, at) => {
                    const cell = column.cell(row, index)
                    const isLong = typeof cell === 'string' && longWord.test(cell)
                    const content = typeof cell === 'string' ? <Bidi text={cell} /> : cell
                    return (
                      <td
                        key={column.title}
                        data-title={column.title}
                        class={column.isNumber ? 'number' : column.isState ? 'row-state' : isLong ? 'long' : ''}
                        dir="auto"
                      >
                        {at === 0 && to ? (
                          <a href={to} class="row-link" {...(isCurrent && { 'aria-current': 'true' as const })}>
                            {content}
                          </a>
                        ) : (
                          content
                        )}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Searchable>
  )
}
