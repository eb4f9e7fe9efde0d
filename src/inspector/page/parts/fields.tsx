import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { session } from '../data/session.ts'

/** A text in which phone numbers read from left to right, also beside a name that is written from right to left. */
export const Bidi = ({ text }: { text: string }) => (
  <>
    {text.split(/(\+\d{5,15})/).map((part, at) =>
      at % 2 === 1 ? (
        <bdi key={at} dir="ltr">
          {part}
        </bdi>
      ) : (
        part
      ),
    )}
  </>
)

/** Names and values. Empty values are left out. */
export const Fields = ({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="fields">
    {items
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== '–')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
  </dl>
)

/** A titled part of a page. `aside` is beside the title. */
export const Section = ({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="section" aria-label={title}>
    <div class="section-head">
      <h2 dir="auto">{title}</h2>
      {aside}
    </div>
    {children}
  </section>
)

/** The heading of a page, with its actions and the equivalent command. It is also the title of the tab. */
export const PageHead = ({
  title,
  note,
  children,
}: {
  title: string
  note?: ComponentChildren
  children?: ComponentChildren
}) => {
  const profile = session.value?.profile
  useEffect(() => {
    document.title = [title, profile, 'Parley inspector'].filter(Boolean).join(' · ')
  }, [title, profile])
  return (
    <header class="page-head">
      <div>
        <h1 dir="auto">
          <Bidi text={title} />
        </h1>
        {note && <p class="muted">{note}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}
