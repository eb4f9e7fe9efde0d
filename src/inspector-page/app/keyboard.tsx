import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { navigate } from './history.ts'
import { pages, routePath } from './routes.ts'

const isHelpOpen = signal(false)
let isGoing = false

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)

/** Handles the keys that work on every page: `g` and a letter, `/` and `?`. */
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
    } else if (event.key === '?') isHelpOpen.value = true
    else if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('#main input[type=search]')
      if (!search) return
      event.preventDefault()
      search.focus()
      search.select()
    }
  })
}

/** Opens the list of keyboard shortcuts. */
export const showKeys = (): void => {
  isHelpOpen.value = true
}

/** The list of keyboard shortcuts. */
export function KeyboardHelp() {
  if (!isHelpOpen.value) return null
  const keys: [string, string][] = [
    ['/', 'Search'],
    ['j  k', 'Next and previous entry'],
    ['Enter', 'Open the entry'],
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
