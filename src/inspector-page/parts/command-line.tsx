import { useSignal } from '@preact/signals'

/** Shows the equivalent command with a button that copies it. */
export function CommandLine({ command }: { command: string | null | undefined }) {
  const copied = useSignal(false)
  if (!command) return null
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command)
      copied.value = true
      setTimeout(() => {
        copied.value = false
      }, 1500)
    } catch {
      // Without permission, the text can still be selected.
    }
  }
  return (
    <div class="command">
      <code>{command}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy the command ${command}`}>
        {copied.value ? 'Copied' : 'Copy'}
      </button>
    </div>
  )
}
