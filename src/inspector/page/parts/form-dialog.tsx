import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { parseJson } from '../../../node/json.ts'
import type { Answer, RequestFailure } from '../data/api.ts'
import { callOnce } from '../data/call-once.ts'
import { account } from '../data/session.ts'
import { type Action, act, notify, where } from './action.tsx'
import { Dialog } from './dialog.tsx'

/** A field of a form. `name` is its key in the values that `toAction` gets; `kind` is `text` by default. */
interface FormField {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly kind?: 'text' | 'number' | 'long'
  readonly options?: readonly (string | { readonly value: string; readonly label: string })[]
  /** Proposals for a text field. */
  readonly proposals?: readonly string[]
  readonly isRequired?: boolean
  readonly hint?: string
}

/** A form for one change. */
export interface Form {
  readonly title: string
  readonly note?: ComponentChildren
  readonly fields: readonly FormField[]
  /** Returns the change for the values, or the text of what is wrong with them. */
  readonly toAction: (values: Readonly<Record<string, string>>) => Action | string
  readonly label: string
  readonly onDone?: (answer: Answer<never>) => void
  readonly isWide?: boolean
}

const form = signal<Form | null>(null)
const values = signal<Readonly<Record<string, string>>>({})
const failure = signal('')
const isBusy = signal(false)

/** Opens a form for a change. It stays open until the change succeeded or was cancelled. */
export function openForm(next: Form): void {
  values.value = Object.fromEntries(
    next.fields.map((field) => {
      const first = field.options?.[0]
      return [field.name, field.value ?? (typeof first === 'string' ? first : (first?.value ?? ''))]
    }),
  )
  failure.value = ''
  isBusy.value = false
  form.value = next
}

const close = (): void => {
  form.value = null
}

async function submit(): Promise<void> {
  const current = form.value
  if (!current) return
  const action = current.toAction(values.value)
  if (typeof action === 'string') {
    failure.value = action
    return
  }
  isBusy.value = true
  failure.value = ''
  // The user may have closed the form, or opened another one, before the response.
  const isShown = (): boolean => form.value === current
  try {
    const answer = await callOnce<never>({ account: account.value, ...action })
    const { message } = (answer.body ?? {}) as { message?: string }
    if (isShown()) close()
    notify(action.done?.(answer) ?? (message || 'Done.'))
    current.onDone?.(answer)
  } catch (error) {
    const refused = error as RequestFailure
    if (refused.confirmation && isShown()) {
      close()
      const answer = await act<never>(action)
      if (answer) current.onDone?.(answer)
    } else if (isShown()) failure.value = refused.message
    else if (!refused.confirmation) notify(refused.message, true)
  }
  if (isShown()) isBusy.value = false
}

function Input({ field }: { field: FormField }) {
  const value = values.value[field.name] ?? ''
  const change = (event: { currentTarget: { value: string } }): void => {
    values.value = { ...values.value, [field.name]: event.currentTarget.value }
  }
  const id = `field-${field.name}`
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {field.label}
      </label>
      {field.options ? (
        <select id={id} value={value} onChange={change}>
          {field.options.map((choice) => {
            const option = typeof choice === 'string' ? { value: choice, label: choice } : choice
            return (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            )
          })}
        </select>
      ) : field.kind === 'long' ? (
        <textarea id={id} rows={10} value={value} onInput={change} required={field.isRequired === true} dir="auto" />
      ) : (
        <input
          id={id}
          type={field.kind === 'number' ? 'number' : 'text'}
          value={value}
          onInput={change}
          required={field.isRequired === true}
          dir="auto"
          autocomplete="off"
          {...(field.proposals && { list: `${id}-list` })}
        />
      )}
      {field.proposals && (
        <datalist id={`${id}-list`}>
          {field.proposals.map((proposal) => (
            <option key={proposal} value={proposal} />
          ))}
        </datalist>
      )}
      {field.hint && <small class="muted">{field.hint}</small>}
    </div>
  )
}

/** The form that is open. It is part of the shell. */
export function FormDialog() {
  const current = form.value
  if (!current) return null
  return (
    <Dialog title={`${where()} ${current.title}`} onClose={close} wide={current.isWide === true}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div class="dialog-body">
          {current.note}
          {current.fields.map((field) => (
            <Input key={field.name} field={field} />
          ))}
          {failure.value && (
            <p class="notice bad" role="alert" dir="auto">
              {failure.value}
            </p>
          )}
        </div>
        <footer>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? 'Working…' : current.label}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** Parses JSON that a person wrote. Returns a text that says what is wrong with it. */
export function parseFormJson(text: string): { readonly value: unknown } | string {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}`
  }
}
