import { stateText } from '../../contract/values/states.ts'
import { queryValue, setQuery } from '../app/history.ts'

/** Buttons that filter a list by a value of the address. The first value, an empty one, shows all. */
export const FilterChips = ({ label, name, values }: { label: string; name: string; values: readonly string[] }) => (
  <fieldset class="chips filters">
    <legend class="hidden">{label}</legend>
    {values.map((it) => (
      <button
        key={it}
        type="button"
        aria-pressed={queryValue(name) === it}
        onClick={() => setQuery({ [name]: it, page: '' })}
      >
        {stateText(it) || 'all'}
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

/** Field that filters the loaded rows of a list. The address has its text, so that a copied link shows the same rows. */
export const RowSearch = ({ label }: { label: string }) => (
  <div class="filters">
    <input
      type="search"
      aria-label={label}
      placeholder="Filter the rows"
      value={queryValue('find')}
      onInput={(event) => setQuery({ find: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  </div>
)

/** Returns the texts of a value and of all that it contains; a state also in words. */
const textsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsOf)
    : value === null || value === undefined
      ? []
      : [String(value), stateText(String(value))]

/** Returns whether a row contains all words of a text, without regard to case. */
export function containsWords(row: unknown, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const all = textsOf(row).join(' ').toLowerCase()
  return words.every((word) => all.includes(word))
}
