import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
/** Browsers have stored the choice under this name. */
const storageKey = 'parley-theme'
const saved = localStorage.getItem(storageKey)

/** The chosen colors. `system` follows the settings of the computer. */
export const theme = signal<Theme>(saved === 'light' || saved === 'dark' ? saved : 'system')

/** Applies the chosen colors to the page, whose style sheet (style.css) selects them by `data-theme`, and saves the choice. */
export function setTheme(next: Theme): void {
  theme.value = next
  localStorage.setItem(storageKey, next)
  if (next === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', next)
}
