import { platformNow, When } from '../app/clock-state.tsx'
import { queryValue, route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { account, isReadOnly } from '../data/session.ts'
import { dateTime, milliseconds, relativeTime, words } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Cut, FilterChips } from '../parts/list-controls.tsx'
import { Bars } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import {
  canEnableWebhook,
  DisabledWebhook,
  editAndReplay,
  enableWebhook,
  sendToTestReceiver,
} from './delivery-actions.tsx'
import { TestReceiver } from './test-receiver.tsx'

/** Copy of the fields of contract/control/deliveries.ts that the page shows. */
interface Delivery {
  readonly id: number
  readonly message_id: string
  readonly event: string
  readonly assistant_id: number | null
  readonly url: string
  readonly status: string
  readonly attempts: number
  readonly attempts_left: number
  readonly next_attempt_at: string | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly created_at: string
  readonly finished_at: string | null
}

interface DeliveryRecord extends Delivery {
  readonly payload: unknown
  /** URL that a replay is sent to; null if the webhook is disabled. */
  readonly replay_url: string | null
  readonly tries: readonly {
    readonly number: number
    readonly at: string
    readonly status: number | null
    readonly error: string | null
    readonly answer: string | null
    readonly ms: number
  }[]
}

const statuses = ['', 'failed', 'pending', 'delivered']
const shownDeliveries = 200

const replay = (body: object, label: string, question?: string): Promise<unknown> =>
  act({
    method: 'POST',
    path: '/control/deliveries/replay',
    body,
    label,
    ...(question !== undefined && { question }),
  })

const DeliveryTabs = ({ current }: { current: string }) => (
  <Tabs
    label="Parts of the page"
    current={current}
    items={[
      { name: 'deliveries', title: 'Deliveries', href: routePath('deliveries') },
      { name: 'receiver', title: 'Test receiver', href: routePath('deliveries', ['receiver']) },
    ]}
  />
)

function DeliveryList() {
  const status = queryValue('status')
  const query = new URLSearchParams({ account: String(account.value), limit: String(shownDeliveries) })
  if (status) query.set('status', status)
  const resource = useResource<{ data: readonly Delivery[] }>(`/control/deliveries?${query}`, ['delivery'])
  return (
    <>
      <PageHead title="Deliveries">
        {!isReadOnly.value && (
          <button
            type="button"
            onClick={() =>
              replay(
                { failed: true, account: account.value },
                'Replay failed deliveries',
                'Send all failed deliveries of this account again?',
              )
            }
          >
            Replay failed…
          </button>
        )}
      </PageHead>
      <DeliveryTabs current="deliveries" />
      <FilterChips label="Status of the deliveries" name="status" values={statuses} />
      <Loaded resource={resource} what="Loading deliveries">
        {({ body: { data }, command }) =>
          data.length === 0 ? (
            <Empty title="No deliveries">
              Each event that is sent to a webhook appears here. The{' '}
              <a href={routePath('deliveries', ['receiver'])}>test receiver</a> has an address for a webhook.
            </Empty>
          ) : (
            <>
              <Table
                label="Deliveries, newest first"
                rows={data}
                keyOf={(it) => it.id}
                href={(it) => routePath('deliveries', [it.id])}
                columns={[
                  { title: 'Event', cell: (it) => words(it.event) },
                  { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                  { title: 'Created', cell: (it) => <When at={it.created_at} /> },
                  { title: 'Answer', cell: (it) => it.last_error ?? it.last_status ?? '' },
                  {
                    title: 'Next attempt',
                    cell: (delivery) =>
                      delivery.next_attempt_at ? (
                        <When at={delivery.next_attempt_at} />
                      ) : delivery.status === 'failed' ? (
                        'none: replay it'
                      ) : (
                        ''
                      ),
                  },
                  { title: 'Attempts', cell: (it) => it.attempts, isNumber: true },
                  { title: 'Receiver', cell: (it) => it.url },
                ]}
              />
              <Cut at={shownDeliveries} rows={data.length} what="deliveries" kind="delivery" />
              <CommandLine command={command} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** The call or conversation that an event is about. */
function Subject({ of: { event, payload } }: { of: DeliveryRecord }) {
  const { id, conversation_id } = (payload ?? {}) as { id?: unknown; conversation_id?: unknown }
  if (typeof conversation_id === 'string')
    return <a href={routePath('conversations', [conversation_id])}>Open the conversation</a>
  return event === 'post_call' && typeof id === 'number' ? (
    <a href={routePath('calls', [id])}>Open call {id}</a>
  ) : (
    <span>{words(event)}</span>
  )
}

function DeliveryDetail({ id }: { id: string }) {
  const resource = useResource<{ data: DeliveryRecord }>(`/control/deliveries/${id}`, ['delivery'])
  return (
    <Loaded resource={resource} what="Loading the delivery">
      {({ body: { data: delivery }, command }) => (
        <>
          <PageHead
            title={`Delivery ${delivery.id}: ${words(delivery.event)}`}
            note={
              <>
                <Badge status={delivery.status} /> {delivery.url}
              </>
            }
          >
            {!isReadOnly.value && (
              <>
                <button type="button" onClick={() => sendToTestReceiver(delivery)}>
                  Send to the test receiver
                </button>
                <button type="button" onClick={() => editAndReplay(delivery)}>
                  Edit and replay…
                </button>
                {delivery.replay_url === null && canEnableWebhook(delivery) && (
                  <button type="button" class="primary" onClick={() => enableWebhook(delivery, resource.reload)}>
                    Enable the webhook…
                  </button>
                )}
                {delivery.replay_url !== null && (
                  <button type="button" class="primary" onClick={() => replay({ id: delivery.id }, 'Replay')}>
                    Replay
                  </button>
                )}
              </>
            )}
          </PageHead>
          <Section title="Delivery">
            {delivery.last_error && <p class="notice bad">{delivery.last_error}</p>}
            {delivery.replay_url === null && <DisabledWebhook event={delivery.event} />}
            <Fields
              items={[
                ['About', <Subject of={delivery} key="about" />],
                ['Created', dateTime(delivery.created_at)],
                ['Finished', delivery.finished_at && dateTime(delivery.finished_at)],
                [
                  'Next attempt',
                  delivery.next_attempt_at && (
                    <>
                      {dateTime(delivery.next_attempt_at)} ({relativeTime(delivery.next_attempt_at, platformNow.value)}){' '}
                      <a href={routePath('clock')}>Advance the clock</a>
                    </>
                  ),
                ],
                ['Attempts', `${delivery.attempts} of ${delivery.attempts + delivery.attempts_left}`],
                ['Replay goes to', delivery.replay_url === delivery.url ? null : delivery.replay_url],
                ['Message id', delivery.message_id],
              ]}
            />
          </Section>
          <div class="columns">
            <Section title="Attempts">
              {delivery.tries.length === 0 ? (
                <Empty title="No attempts yet" />
              ) : (
                <>
                  <Bars
                    label="Duration of the attempts"
                    items={delivery.tries.map((attempt) => ({
                      label: `Attempt ${attempt.number}`,
                      value: attempt.ms,
                      text: milliseconds(attempt.ms),
                      tone: attempt.status !== null && attempt.status < 300 ? 'good' : 'bad',
                    }))}
                  />
                  {delivery.tries.map((attempt) => (
                    <div key={attempt.number} class="attempt">
                      <h3>
                        Attempt {attempt.number} <Badge status={attempt.status ? String(attempt.status) : 'error'} />
                      </h3>
                      <p class="muted">{dateTime(attempt.at)}</p>
                      {attempt.error && <p dir="auto">{attempt.error}</p>}
                      {attempt.answer && (
                        <JsonView value={attempt.answer} label={`Response to attempt ${attempt.number}`} />
                      )}
                    </div>
                  ))}
                </>
              )}
            </Section>
            <Section title="Payload">
              <JsonView value={delivery.payload} label="JSON of the payload" />
              <h3>Headers</h3>
              <p class="muted">
                Each attempt has webhook-id {delivery.message_id}, webhook-timestamp and webhook-signature. See them
                with a copy to the <a href={routePath('deliveries', ['receiver'])}>test receiver</a>.
              </p>
            </Section>
          </div>
          <CommandLine command={command} />
        </>
      )}
    </Loaded>
  )
}

/** Webhook deliveries with their attempts. */
export function DeliveriesPage() {
  const [id, request] = route.value.parts
  if (id === 'receiver')
    return (
      <>
        <PageHead title="Deliveries" />
        <DeliveryTabs current="receiver" />
        <TestReceiver id={request} />
      </>
    )
  return id === undefined ? <DeliveryList /> : <DeliveryDetail key={id} id={id} />
}
