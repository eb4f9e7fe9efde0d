import { computed, signal } from '@preact/signals'
import { RequestFailure, send } from './api.ts'

/** What the page may do, and for whom. A copy of `InspectorSession` (inspector/backend.ts), which the server sends. */
export interface Session {
  readonly mode: 'local' | 'remote'
  readonly read_only: boolean
  readonly platform: string
  readonly profile: string
  readonly version: string
  readonly account: number
  readonly accounts: readonly { readonly id: number; readonly name: string }[]
  /** Pages by name: true, or the reason why the page is not available. */
  readonly pages: Readonly<Record<string, true | string>>
}

export const session = signal<Session | null>(null)
/** Why there is no session: the text, and whether signing in helps. */
export const sessionFailure = signal<{ readonly text: string; readonly isSignedOut: boolean } | null>(null)
/** Id of the account whose resources are shown. */
export const account = signal<number | undefined>(undefined)
export const isReadOnly = computed(() => session.value?.read_only === true)

/** Browsers have stored the account under this name. */
const storageKey = 'parley-account'

/** Loads the session. A failure is stored in `sessionFailure`. */
export async function loadSession(): Promise<void> {
  try {
    const response = await send('/_parley/session')
    if (response.status === 401) {
      session.value = null
      sessionFailure.value = { isSignedOut: true, text: 'This browser is not signed in to the inspector.' }
      return
    }
    if (!response.ok) throw new RequestFailure(response.status, `HTTP status ${response.status}`)
    const loaded = (await response.json()) as Session
    const saved = Number(sessionStorage.getItem(storageKey))
    const exists = (id: number | undefined): boolean => loaded.accounts.some((it) => it.id === id)
    // After a snapshot was restored, the account may be gone.
    if (!exists(account.value)) account.value = exists(saved) ? saved : loaded.account
    session.value = loaded
    sessionFailure.value = null
  } catch (error) {
    sessionFailure.value = { isSignedOut: false, text: (error as Error).message }
  }
}

/** Shows the resources of another account from now on. */
export function chooseAccount(id: number): void {
  sessionStorage.setItem(storageKey, String(id))
  account.value = id
}
