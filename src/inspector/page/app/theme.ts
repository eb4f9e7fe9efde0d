import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
const storageKey = 'parley-theme'
const saved = localStorage.getItem(storageKey)

/** The chosen colors. `system` follows the settings of the computer. */
export const theme = signal<Theme>(saved === 'light' || saved === 'dark' ? saved : 'system')

/** Applies the chosen colors to the page and saves them. */
export function setTheme(next: Theme): void {
  theme.value = next
  localStorage.setItem(storageKey, next)
  if (next === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', next)
}
