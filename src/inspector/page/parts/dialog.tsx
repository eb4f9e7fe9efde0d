import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/**
 * A modal dialog. It begins at its first field, or at the button that cancels. Esc closes it; the focus returns to where
 * it was.
 */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
  wide?: boolean
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Not after the next frame: what has the focus now opened the dialog, and the next key belongs to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const dialog = ref.current
    dialog?.showModal()
    for (const first of ['select, input, textarea', 'footer button'])
      if (dialog?.querySelector(first)) {
        dialog.querySelector<HTMLElement>(first)?.focus()
        break
      }
    return () => {
      // While the dialog is open, the rest of the page cannot have the focus.
      dialog?.close()
      // The row of the button may have been deleted, or the button replaced.
      if (before?.isConnected && before !== document.body) before.focus()
      else document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <header>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        <button type="button" class="quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}
