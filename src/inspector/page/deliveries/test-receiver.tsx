import { useResource } from '../data/resource.ts'
import { dateTime } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Section } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Searchable } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { testReceiverUrl } from './replay-copy.tsx'

interface Received {
  readonly id: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
}

/** An address that accepts deliveries, and what it received. */
export function TestReceiver() {
  const resource = useResource<{ data: readonly Received[] }>('/received', ['delivery'])
  const clear = async (): Promise<void> => {
    await act({ method: 'DELETE', path: '/received', label: 'Clear', done: () => 'Cleared.' })
    resource.reload()
  }
  return (
    <>
      <Section title="Address">
        <p>
          <code>{testReceiverUrl}</code> <CopyButton text={testReceiverUrl} label="Copy the address" shown="Copy" />
        </p>
        <p class="muted">
          Use it as the webhook of an assistant, or send a copy of a delivery to it. It answers with 200. Add
          ?status=503 to test failures. The newest 50 requests are listed until the server stops.
        </p>
      </Section>
      <Loaded resource={resource} what="Loading received requests">
        {({ body: { data } }) =>
          data.length === 0 ? (
            <Empty title="Nothing was received yet">Open a delivery and choose "Send to the test receiver".</Empty>
          ) : (
            <>
              <p class="actions">
                <button type="button" onClick={resource.reload}>
                  Refresh
                </button>
                <button type="button" onClick={clear}>
                  Clear
                </button>
              </p>
              <Searchable label="Received requests" rows={data} textOf={(it) => [it.method, dateTime(it.at)]}>
                {(found) =>
                  found.map(({ row: it }) => (
                    <Section
                      key={it.id}
                      title={`${it.method} ${dateTime(it.at)}`}
                      aside={<Badge status={String(it.status)} />}
                    >
                      <div class="columns">
                        <div>
                          <h3>Body</h3>
                          <JsonView value={it.body} label={`Body of request ${it.id}`} />
                        </div>
                        <div>
                          <h3>Headers</h3>
                          <JsonView value={it.headers} label={`Headers of request ${it.id}`} />
                        </div>
                      </div>
                    </Section>
                  ))
                }
              </Searchable>
            </>
          )
        }
      </Loaded>
    </>
  )
}
