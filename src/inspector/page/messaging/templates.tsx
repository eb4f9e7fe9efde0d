import { useResource } from '../data/resource.ts'
import { words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead } from '../parts/fields.tsx'
import { Searchable } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { fillTemplate } from './template-preview.ts'

interface Template {
  readonly id: number
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly body_text: string
  readonly variables: readonly string[]
}

/** The templates of a sender, each as the message that the customer would read. */
export function Templates({ sender }: { sender: number }) {
  const resource = useResource<{ data: readonly Template[] }>(
    `/api/user/messaging/senders/${sender}/templates?status=all`,
    ['message'],
  )
  return (
    <>
      <PageHead title="Templates" note={`Sender ${sender}`} />
      <Loaded resource={resource} what="Loading templates">
        {({ body: { data }, command }) =>
          data.length === 0 ? (
            <Empty title="No templates" />
          ) : (
            <>
              <Searchable label="Templates" rows={data} textOf={(it) => fillTemplate(it.body_text, it.variables)}>
                {(found) => (
                  <ul class="cards">
                    {found.map(({ row: it }) => (
                      <li key={it.id} class="section">
                        <div class="section-head">
                          <h2 dir="auto">{it.name}</h2>
                          <Badge status={it.status} />
                        </div>
                        <p class="preview" dir="auto" lang={it.language.replace('_', '-')}>
                          {fillTemplate(it.body_text, it.variables)}
                        </p>
                        <p class="muted">
                          {words(it.category)}, {it.language}
                          {it.variables.length > 0 && `, variables: ${it.variables.join(', ')}`}
                        </p>
                      </li>
                    ))}
                  </ul>
                )}
              </Searchable>
              <CommandLine command={command} />
            </>
          )
        }
      </Loaded>
    </>
  )
}
