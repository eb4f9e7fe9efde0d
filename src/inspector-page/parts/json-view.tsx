import { useSignal } from '@preact/signals'
import { prettyJson } from '../data/values.ts'

const firstCharacters = 6000

/** A value as JSON text. A long one is cut, with a button that shows the rest. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const isOpen = useSignal(false)
  const text = prettyJson(value)
  const isLong = text.length > firstCharacters
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section class="json" tabIndex={0} aria-label={label}>
        <pre dir="auto">{isLong && !isOpen.value ? text.slice(0, firstCharacters) : text}</pre>
      </section>
      {isLong && (
        <button
          type="button"
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          {isOpen.value ? 'Show less' : `Show all ${Math.round(text.length / 1000)} kB`}
        </button>
      )}
    </>
  )
}
