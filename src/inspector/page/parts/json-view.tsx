import { prettyJson } from '../data/values.ts'
import { LongText } from './long-text.tsx'

/** A value as JSON text. A long one is cut, with a button that shows the rest. */
export const JsonView = ({ value, label }: { value: unknown; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
  <section class="json" tabIndex={0} aria-label={label}>
    <pre dir="auto">
      <LongText text={prettyJson(value)} limit={6000} />
    </pre>
  </section>
)
