/** A row of bars, such as the requests of the last 24 hours. Decorative: the number beside it says the total. */
export function Sparkline({ values, tone = 'plain' }: { values: readonly number[]; tone?: string }) {
  const top = Math.max(...values) || 1
  const width = 100 / Math.max(1, values.length)
  return (
    <svg class={`spark ${tone}`} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, at) => {
        const height = value === 0 ? 1 : Math.max(2, (value / top) * 24)
        return (
          <rect key={at} x={at * width} y={24 - height} width={Math.max(0.5, width - 1)} height={height} rx="0.5" />
        )
      })}
    </svg>
  )
}

/** Horizontal bars with a label and a text each, as a list. */
export function Bars({
  items,
  label,
}: {
  items: readonly {
    readonly label: string
    readonly value: number
    readonly text: string
    readonly tone?: string | undefined
    /** Where the label leads to. */
    readonly href?: string | undefined
    readonly isChosen?: boolean
  }[]
  label: string
}) {
  const top = Math.max(1e-9, ...items.map((it) => it.value))
  return (
    <ul class="bars" aria-label={label}>
      {items.map((item) => (
        <li key={item.label}>
          <span class="bar-label">
            {item.href ? (
              <a href={item.href} {...(item.isChosen && { 'aria-current': 'true' as const })}>
                {item.label}
              </a>
            ) : (
              item.label
            )}
          </span>
          <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect
              class={`bar ${item.tone ?? 'plain'}`}
              width={(Math.max(0, item.value) / top) * 100}
              height="6"
              rx="1"
            />
          </svg>
          <span class="bar-text">{item.text}</span>
        </li>
      ))}
    </ul>
  )
}
