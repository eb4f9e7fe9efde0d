import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Answer, Call, Confirmation, RequestFailure } from '../data/api.ts'
import { callOnce } from '../data/call-once.ts'
import { account, session } from '../data/session.ts'
import { Dialog } from './dialog.tsx'

/** A change that the user asked for. */
export interface Action extends Call {
  /** Label of the button that carries it out: `Restore version 2`. */
  readonly label: string
  /** Question that is asked first, even if the platform asks for nothing. */
  readonly question?: string
  /** What the change would do, shown with the question. */
  readonly preview?: ComponentChildren
  /** Result line for people (default: the message of the platform). */
  readonly done?: (answer: Answer<never>) => string
}

interface Open {
  readonly action: Action
  readonly confirmation: Confirmation | null
  /** What differs from the question that the user answered. */
  readonly changes: readonly string[]
  readonly failure: string
  readonly isBusy: boolean
  readonly finish: (answer: Answer | null) => void
}

const open = signal<Open | null>(null)
const typed = signal('')

/** Result of the last action, announced and shown for a while. */
export const notice = signal<{ readonly text: string; readonly isFailure: boolean } | null>(null)
let noticeTimer: ReturnType<typeof setTimeout> | undefined

/** Shows a result line for some seconds. */
export function notify(text: string, isFailure = false): void {
  clearTimeout(noticeTimer)
  notice.value = { text, isFailure }
  noticeTimer = setTimeout(
    () => {
      notice.value = null
    },
    isFailure ? 12_000 : 6000,
  )
}

function succeed(action: Action, answer: Answer): Answer {
  const { message } = (answer.body ?? {}) as { message?: unknown }
  notify(action.done?.(answer as Answer<never>) ?? (typeof message === 'string' && message ? message : 'Done.'))
  return answer
}

/** Puts the cursor into the field for the name that must be typed. */
const focusName = (input: HTMLElement | null): void => input?.focus()

/** Opens the dialog. It covers the page, so no other action can begin while it asks. */
const ask = (action: Action, confirmation: Confirmation | null): Promise<Answer | null> =>
  new Promise((finish) => {
    typed.value = ''
    open.value = { action, confirmation, changes: [], failure: '', isBusy: false, finish }
  })

/**
 * Carries out a change. Asks before it if the action has a question, or if the platform requires a confirmation.
 * Resolves to the answer, or to null if it was cancelled or failed; the user has seen why.
 */
export async function act<T>(action: Action): Promise<Answer<T> | null> {
  if (action.question !== undefined) return (await ask(action, null)) as Answer<T> | null
  try {
    return succeed(action, await callOnce<T>({ account: account.value, ...action })) as Answer<T>
  } catch (error) {
    const failure = error as RequestFailure
    if (failure.confirmation) return (await ask(action, failure.confirmation)) as Answer<T> | null
    notify(failure.message, true)
    return null
  }
}

async function confirm(state: Open): Promise<void> {
  const { action, confirmation } = state
  open.value = { ...state, isBusy: true, failure: '' }
  // The user may have closed the dialog, or opened another one, before the response.
  const isShown = (): boolean => open.value?.finish === state.finish
  try {
    const answer = await callOnce({ account: account.value, ...action, confirm: confirmation ?? undefined })
    if (isShown()) open.value = null
    state.finish(succeed(action, answer))
  } catch (error) {
    const failure = error as RequestFailure
    if (!isShown()) {
      if (!failure.confirmation) notify(failure.message, true)
      return
    }
    // The platform asks for more than the page did, or about what has changed: its question replaces the first one.
    const next = failure.confirmation
    typed.value = ''
    open.value = next
      ? { ...state, confirmation: next, changes: confirmation ? changesOf(confirmation, next) : [], isBusy: false }
      : { ...state, failure: failure.message, isBusy: false }
  }
}

/** Returns what is new in a question that replaces one that the user has answered. */
const changesOf = (before: Confirmation, after: Confirmation): readonly string[] => [
  ...before.details.filter((it) => !after.details.includes(it)).map((it) => `Before: ${it}`),
  ...after.details.filter((it) => !before.details.includes(it)).map((it) => `Now: ${it}`),
]

/** Where a change takes effect, as the terminal says it before a question. */
export const where = (): string => {
  const { mode, platform, profile } = session.value ?? { mode: 'local', platform: '', profile: 'local' }
  return mode === 'local' ? `[${profile} · simulated]` : `[${profile} · ${platform}]`
}

/** The dialog that asks before a change. It is part of the shell. */
export function ActionDialog() {
  const state = open.value
  if (!state) return null
  const { action, confirmation, changes, failure, isBusy } = state
  const name = confirmation && confirmation.expected !== 'yes' ? confirmation.expected : null
  const close = (): void => {
    open.value = null
    state.finish(null)
  }
  return (
    <Dialog
      title={`${where()} ${confirmation?.question ?? action.question ?? action.label}`}
      onClose={close}
      wide={!!action.preview}
    >
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          if (name === null || typed.value === name) confirm(state)
        }}
      >
        <div class="dialog-body">
          {changes.length > 0 && (
            <div class="notice warning" role="alert">
              <p>This changed since you were asked. Nothing was sent.</p>
              {changes.map((change) => (
                <p key={change} dir="auto">
                  {change}
                </p>
              ))}
            </div>
          )}
          {[...(confirmation?.details ?? []), ...(confirmation?.notes ?? [])].map((detail) => (
            <p key={detail} dir="auto">
              {detail}
            </p>
          ))}
          {action.preview}
          {name !== null && (
            <label class="field">
              <span>
                Type <b dir="auto">{name}</b> to confirm
              </span>
              <input
                ref={focusName}
                autocomplete="off"
                value={typed.value}
                onInput={(event) => {
                  typed.value = event.currentTarget.value
                }}
              />
            </label>
          )}
          {failure && (
            <p class="notice bad" role="alert" dir="auto">
              {failure}
            </p>
          )}
        </div>
        <footer>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy || (name !== null && typed.value !== name)}>
            {isBusy ? 'Working…' : action.label}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** The result line of the last action. */
export const Notice = () => (
  <div class="toast-area" role="status" aria-live="polite">
    {notice.value && (
      <p class={`toast ${notice.value.isFailure ? 'bad' : 'good'}`} dir="auto">
        <span>{notice.value.text}</span>
        <button
          type="button"
          class="quiet"
          aria-label="Dismiss"
          onClick={() => {
            notice.value = null
          }}
        >
          ✕
        </button>
      </p>
    )}
  </div>
)
