/** Links to the parts of a page. */
export const Tabs = ({
  items,
  current,
  label,
}: {
  items: readonly { readonly name: string; readonly title: string; readonly href: string }[]
  current: string
  label: string
}) => (
  <nav class="tabs" aria-label={label}>
    {items.map((item) => (
      <a key={item.name} href={item.href} {...(item.name === current && { 'aria-current': 'page' as const })}>
        {item.title}
      </a>
    ))}
  </nav>
)
