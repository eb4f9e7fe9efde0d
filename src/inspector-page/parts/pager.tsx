import type { Signal } from '@preact/signals'

/** Buttons for the pages of a list. */
export const Pager = ({ page, last }: { page: Signal<number>; last: number }) =>
  last > 1 ? (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={page.value <= 1} onClick={() => page.value--}>
        Newer
      </button>
      <span>
        Page {page.value} of {last}
      </span>
      <button type="button" disabled={page.value >= last} onClick={() => page.value++}>
        Older
      </button>
    </nav>
  ) : null
