import type { ComponentChildren } from 'preact'
import { useResource } from '../data/resource.ts'
import { words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead } from '../parts/fields.tsx'
import { Searchable } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { fillTemplate } from './template-preview.ts'

/** Copy of the fields of contract/resources/messaging.ts that the page shows, as `Sender` below. */
interface Template {
  readonly id: number
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly body_text: string
  readonly variables: readonly string[]
}

export interface Sender {
  readonly id: number
  readonly phone_number: string
  readonly display_name: string
  readonly status: string
  readonly quality_rating: string
  readonly messaging_limit_formatted: string
}

export const sendersPath = '/api/user/messaging/senders?status=all'

/** The templates of a sender, each as the message that the customer would read. */
export function Templates({ sender, navigation }: { sender: number; navigation: ComponentChildren }) {
  const resource = useResource<{ data: readonly Template[] }>(
    `/api/user/messaging/senders/${sender}/templates?status=all`,
    ['message'],
  )
  const senders = useResource<{ data: readonly Sender[] }>(sendersPath, ['message'])
  const known = senders.answer?.body.data.find((it) => it.id === sender)
  return (
    <>
      <PageHead
        title={known ? `Templates of ${known.display_name}` : 'Templates'}
        note={
          known ? (
            <>
              <Badge status={known.status} /> {known.phone_number}
            </>
          ) : (
            `Sender ${sender}`
          )
        }
      />
      {navigation}
      <Loaded resource={resource} what="Loading templates">
        {({ body: { data }, command }) =>
          data.length === 0 ? (
            <Empty title="No templates" />
          ) : (
            <>
              <Searchable label="Templates" rows={data} textOf={(it) => fillTemplate(it.body_text, it.variables)}>
                {(found) => (
                  <ul class="cards">
                    {found.map(({ row: template }) => (
                      <li key={template.id} class="section">
                        <div class="section-head">
                          <h2 dir="auto">{template.name}</h2>
                          <Badge status={template.status} />
                        </div>
                        <p class="preview" dir="auto" lang={template.language.replace('_', '-')}>
                          {fillTemplate(template.body_text, template.variables)}
                        </p>
                        <p class="muted">
                          {words(template.category)}, {template.language}
                          {template.variables.length > 0 && `, variables: ${template.variables.join(', ')}`}
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
