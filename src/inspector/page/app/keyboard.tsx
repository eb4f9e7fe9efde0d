import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { navigate } from './history.ts'
import { pages, routePath } from './routes.ts'

const isHelpOpen = signal(false)
let isGoing = false

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)

/** Rows of all lists of a page, by the classes that the pages give their lists. The timeline moves its own selection. */
const listRows = '#main .table tbody tr, #main .rows > li, #main .findings > li, #main .cards > li'

/**
 * Moves the focus to the next or previous row of the lists of a page: to its link, which Enter opens, or to the row if
 * it leads nowhere.
 */
function moveRow(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(listRows)]
  if (rows.length === 0) return false
  const at = rows.findIndex((it) => it.contains(document.activeElement))
  const row = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))] as HTMLElement
  const link = row.querySelector<HTMLElement>('a[href]')
  if (!link) row.tabIndex = -1
  const target = link ?? row
  target.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
  return true
}

/** The field that searches the list of a page; null if it has none. */
const searchField = (): HTMLInputElement | null => document.querySelector('#main input[type=search]')

/** Handles the keys that work on every page: `g` and a letter, `j` and `k`, `/` and `?`. */
export function followKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (document.querySelector('dialog[open]')) return
    if (isGoing) {
      isGoing = false
      const page = pages.find((it) => it.key === event.key)
      if (page) {
        event.preventDefault()
        navigate(routePath(page.name))
      }
    } else if (event.key === 'g') {
      isGoing = true
      setTimeout(() => {
        isGoing = false
      }, 1500)
    } else if (event.key === 'j' || event.key === 'k') {
      if (moveRow(event.key === 'j' ? 1 : -1)) event.preventDefault()
    } else if (event.key === '?') isHelpOpen.value = true
    else if (event.key === '/') {
      const search = searchField()
      if (!search) return
      event.preventDefault()
      search.focus()
      search.select()
    }
  })
}

/** Moves the focus to the content of the page when the element with the focus is removed, so that the next key continues there. */
export function followFocus(): void {
  let last: EventTarget | null = null
  addEventListener('focusin', (event) => {
    last = event.target
  })
  new MutationObserver(() => {
    if (!(last instanceof Element) || last.isConnected || document.activeElement !== document.body) return
    last = null
    document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}

/** Opens the list of keyboard shortcuts. */
export const showKeys = (): void => {
  isHelpOpen.value = true
}

/** The list of keyboard shortcuts. */
export function KeyboardHelp() {
  if (!isHelpOpen.value) return null
  const keys: [string, string][] = [
    ...(searchField() ? [['/', 'Search this page'] as [string, string]] : []),
    ['j  k', 'Next and previous row of a list'],
    ['Enter', 'Open the row'],
    ['Esc', 'Close the details or the dialog'],
    ...pages.map((it): [string, string] => [`g ${it.key}`, it.title]),
    ['?', 'Show this list'],
  ]
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        isHelpOpen.value = false
      }}
    >
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
