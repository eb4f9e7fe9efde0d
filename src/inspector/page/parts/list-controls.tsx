import type { ComponentChildren } from 'preact'
import { stateText } from '../../../contract/values/states.ts'
import { queryValue, setQuery } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { account } from '../data/session.ts'
import { Empty } from './states.tsx'

/** Buttons that filter a list by a value of the address. The first value, an empty one, shows all. */
export const FilterChips = ({ label, name, values }: { label: string; name: string; values: readonly string[] }) => (
  <fieldset class="chips filters">
    <legend class="hidden">{label}</legend>
    {values.map((value) => (
      <button
        key={value}
        type="button"
        aria-pressed={queryValue(name) === value}
        onClick={() => setQuery({ [name]: value, page: '', cursor: '' })}
      >
        {stateText(value) || 'all'}
      </button>
    ))}
  </fieldset>
)

/** Number of the page of a list that the address names. */
export const pageNumber = (): number => Math.max(1, Math.floor(Number(queryValue('page'))) || 1)

/** Buttons for the pages of a list. */
export const Pager = ({ last }: { last: number }) => {
  const page = pageNumber()
  return last > 1 ? (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={page <= 1} onClick={() => setQuery({ page: String(page - 1) })}>
        Newer
      </button>
      <span>
        Page {page} of {last}
      </span>
      <button type="button" disabled={page >= last} onClick={() => setQuery({ page: String(page + 1) })}>
        Older
      </button>
    </nav>
  ) : null
}

/** Buttons for the pages of a list that knows where the next page begins, and not how many there are. */
export const CursorPager = ({ next }: { next: string | null }) => {
  const cursor = queryValue('cursor')
  return cursor || next ? (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={!cursor} onClick={() => setQuery({ cursor: '' })}>
        Newest
      </button>
      <button type="button" disabled={!next} onClick={() => setQuery({ cursor: next ?? '' })}>
        Older
      </button>
    </nav>
  ) : null
}

/** Says that a list ends after so many rows, and leads to the timeline, which has all. */
export const Cut = ({ at, rows, what, kind }: { at: number; rows: number; what: string; kind: string }) =>
  rows < at ? null : (
    <p class="muted">
      The newest {at} {what} are listed.{' '}
      <a href={routePath('timeline', [], { search: `kind:${kind} account:${account.value}` })}>
        All {what} in the timeline
      </a>
    </p>
  )

/** Row of a list, and its place among all rows. */
interface FoundRow<T> {
  readonly row: T
  readonly index: number
}

/**
 * Shows the loaded rows of a list that contain the words in a field above them. The address has the text of the field,
 * so that a copied link shows the same rows.
 */
export function Searchable<T>({
  label,
  rows,
  find = 'find',
  textOf = () => '',
  children,
}: {
  label: string
  rows: readonly T[]
  /** Name of the text in the address. Lists of the same page have different ones. */
  find?: string | undefined
  /** Returns what a row shows besides the values of its record. */
  textOf?: (row: T, index: number) => unknown
  children: (found: readonly FoundRow<T>[]) => ComponentChildren
}) {
  const search = queryValue(find)
  const found = rows
    .map((row, index) => ({ row, index }))
    .filter(({ row, index }) => search === '' || containsWords([row, textOf(row, index)], search))
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label={`Filter: ${label}`}
          placeholder="Filter the rows"
          value={search}
          onInput={(event) => setQuery({ [find]: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
      </div>
      {found.length > 0 || search === '' ? (
        children(found)
      ) : (
        <Empty title={`No row of this list contains "${search}"`}>
          <a href={routePath('timeline', [], { search })}>Search the timeline</a>
        </Empty>
      )}
    </>
  )
}

/** Returns the texts of a value and of all that it contains; a state also in words. */
const textsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsOf)
    : value === null || value === undefined
      ? []
      : [String(value), stateText(String(value))]

/** Returns whether a row contains all words of a text, without regard to case. */
function containsWords(row: unknown, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const all = textsOf(row).join(' ').toLowerCase()
  return words.every((word) => all.includes(word))
}
