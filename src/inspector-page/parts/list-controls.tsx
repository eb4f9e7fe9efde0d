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
