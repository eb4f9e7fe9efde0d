import { useSignal } from '@preact/signals'

/** Copies a text. `label` is what the button is called; a shorter text may be shown instead. */
export function CopyButton({ text, label, shown = label }: { text: string; label: string; shown?: string }) {
  const copied = useSignal(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      copied.value = true
      setTimeout(() => {
        copied.value = false
      }, 1500)
    } catch {
      // Without permission, the text can still be selected.
    }
  }
  return (
    <button type="button" class={shown === label ? '' : 'quiet'} onClick={copy} aria-label={label}>
      {copied.value ? 'Copied' : shown}
    </button>
  )
}
