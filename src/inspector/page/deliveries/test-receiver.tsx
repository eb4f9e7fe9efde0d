import { parseJson } from '../../../node/json.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { dateTime } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Fields, Section } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { testReceiverUrl } from './delivery-actions.tsx'

/** Copy of `ReceivedRequest` (inspector/inspector.ts), which the inspector sends. */
interface Received {
  readonly id: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
}

/** What a request is about, in a few words: the call or conversation in its body; otherwise the start of the body. */
function about({ body }: Received): { readonly text: string; readonly to: string | null } {
  try {
    const { id, customer_phone, conversation_id } = parseJson(body) as Record<string, unknown>
    const phone = typeof customer_phone === 'string' ? `, ${customer_phone}` : ''
    if (typeof conversation_id === 'string')
      return {
        text: `Conversation${phone || ` ${conversation_id}`}`,
        to: routePath('conversations', [conversation_id]),
      }
    if (typeof id === 'number' && phone) return { text: `Call ${id}${phone}`, to: routePath('calls', [id]) }
  } catch {
    // The body is no JSON.
  }
  return { text: body.length > 100 ? `${body.slice(0, 100)}…` : body, to: null }
}

/** One received request: what it is about, its body and its headers. */
function ReceivedRequest({ of: request }: { of: Received }) {
  const { to } = about(request)
  const message = request.headers['webhook-id']
  return (
    <Section title={`${request.method} ${dateTime(request.at)}`} aside={<Badge status={String(request.status)} />}>
      <Fields
        items={[
          ['About', to && <a href={to}>{about(request).text}</a>],
          ['Delivery', message && <a href={routePath('deliveries', [], { find: message })}>{message}</a>],
          ['Path', request.path],
        ]}
      />
      <div class="columns">
        <div>
          <h3>Body</h3>
          <JsonView value={request.body} label={`Body of request ${request.id}`} />
        </div>
        <div>
          <h3>Headers</h3>
          <JsonView value={request.headers} label={`Headers of request ${request.id}`} />
        </div>
      </div>
      <p>
        <a href={routePath('deliveries', ['receiver'])}>All received requests</a>
      </p>
    </Section>
  )
}

/** An address that accepts deliveries, and what it received. `id` shows one request. */
export function TestReceiver({ id }: { id: string | undefined }) {
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
        {({ body: { data } }) => {
          const one = data.find((it) => String(it.id) === id)
          if (one) return <ReceivedRequest of={one} />
          return data.length === 0 ? (
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
              <Table
                label="Received requests, newest first"
                rows={data}
                keyOf={(it) => it.id}
                href={(it) => routePath('deliveries', ['receiver', it.id])}
                columns={[
                  { title: 'About', cell: (it) => about(it).text || `${it.method} without a body` },
                  { title: 'Answered', cell: (it) => <Badge status={String(it.status)} />, isState: true },
                  { title: 'Received', cell: (it) => dateTime(it.at) },
                  { title: 'Message', cell: (it) => it.headers['webhook-id'] ?? '' },
                ]}
              />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
