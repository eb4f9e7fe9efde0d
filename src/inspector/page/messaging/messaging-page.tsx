import { When } from '../app/clock-state.tsx'
import { queryValue, route } from '../app/history.ts'
import { phonePath, routePath } from '../app/routes.ts'
import { simulateMessage } from '../conversations/simulate.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly, session } from '../data/session.ts'
import { amountText, sentenceCase, shownAt, words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead } from '../parts/fields.tsx'
import { FilterChips, Pager, pageNumber } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Campaign, CampaignDetail, contactRate, nextOf } from './campaign-detail.tsx'
import { type Sender, sendersPath, Templates } from './templates.tsx'

interface Assignment {
  readonly id: number
  readonly assistant_name: string | null
}

function Campaigns() {
  const resource = useResource<readonly Campaign[]>('/api/user/campaigns', ['campaign'])
  return (
    <Loaded resource={resource} what="Loading campaigns">
      {({ body, command }) =>
        body.length === 0 ? (
          <Empty title="No campaigns" command="parley campaigns create">
            Create one in your terminal:
          </Empty>
        ) : (
          <>
            <Table
              label="Campaigns"
              rows={body}
              keyOf={(it) => it.id}
              href={(it) => routePath('messaging', [it.id])}
              columns={[
                { title: 'Name', cell: (it) => it.name },
                { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                { title: 'Next', cell: (it) => sentenceCase(nextOf(it)) },
                { title: 'Channel', cell: (it) => words(it.channel) },
                { title: 'Rate', cell: (it) => contactRate(it) },
                { title: 'Attempts per lead', cell: (it) => it.max_retries ?? '', isNumber: true },
              ]}
            />
            <CommandLine command={command} />
          </>
        )
      }
    </Loaded>
  )
}

function Senders() {
  const resource = useResource<{ data: readonly Sender[] }>(sendersPath, ['message'])
  // Only Parley servers say which assistant answers for a sender.
  const { answer: assigned } = useResource<{ data: readonly Assignment[] }>('/api/user/messaging/assignments', [
    'message',
  ])
  const assistantOf = ({ id }: Sender) =>
    assigned?.body.data.find((it) => it.id === id)?.assistant_name ?? <span class="muted">none: cannot send</span>
  return (
    <Loaded resource={resource} what="Loading senders">
      {(answer) =>
        answer.body.data.length === 0 ? (
          <Empty title="No senders">
            Senders are connected on the platform, and appear here after the next check of senders.
          </Empty>
        ) : (
          <>
            <Table
              label="Senders"
              rows={answer.body.data}
              keyOf={(it) => it.id}
              href={(it) => routePath('messaging', ['templates', it.id])}
              columns={[
                { title: 'Name', cell: (it) => it.display_name },
                { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                { title: 'Number', cell: (_, at) => shownAt(answer, `/data/${at}/phone_number`) },
                ...(assigned ? [{ title: 'Assistant', cell: assistantOf }] : []),
                { title: 'Quality', cell: (it) => <Badge status={it.quality_rating} /> },
                {
                  title: 'Recipients per 24 hours',
                  cell: (it) => it.messaging_limit_formatted.replace(/ *\/ *24 ?h\w*$/, ''),
                },
              ]}
            />
            <CommandLine command={answer.command} />
          </>
        )
      }
    </Loaded>
  )
}

interface Window {
  readonly sender_id: number
  readonly recipient_phone: string
  readonly customer_name: string | null
  readonly session_status: {
    readonly is_open: boolean
    readonly expires_at?: string | null
    readonly expired_at?: string | null
  }
}

function Windows() {
  const status = queryValue('status') || 'all'
  const resource = useResource<{ data: readonly Window[]; last_page: number }>(
    `/api/user/messaging/sessions?status=${encodeURIComponent(status)}&per_page=50&page=${pageNumber()}`,
    ['message', 'clock'],
  )
  return (
    <>
      <FilterChips label="Status of the windows" name="status" values={['', 'open', 'closed']} />
      <Loaded resource={resource} what="Loading windows">
        {(answer) =>
          answer.body.data.length === 0 ? (
            <Empty title={status === 'all' ? 'No customer has written yet' : `No ${status} windows`}>
              A message of a customer opens a window of 24 hours in which messages need no template.
            </Empty>
          ) : (
            <>
              <Table
                label="24-hour windows"
                rows={answer.body.data}
                keyOf={(it) => `${it.sender_id} ${it.recipient_phone}`}
                href={(it) => phonePath(it.recipient_phone)}
                columns={[
                  {
                    title: 'Customer',
                    cell: (session, at) =>
                      [session.customer_name, shownAt(answer, `/data/${at}/recipient_phone`)]
                        .filter(Boolean)
                        .join(', '),
                  },
                  {
                    title: 'Window',
                    cell: (it) => <Badge status={it.session_status.is_open ? 'open' : 'closed'} />,
                    isState: true,
                  },
                  {
                    title: 'Closes',
                    cell: ({ session_status: session }) => <When at={session.expires_at ?? session.expired_at} />,
                  },
                  { title: 'Sending', cell: (it) => (it.session_status.is_open ? 'any text' : 'templates only') },
                ]}
              />
              <Pager last={answer.body.last_page} />
              <CommandLine command={answer.command} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

interface Message {
  readonly id: number
  readonly recipient_phone: string
  readonly status: string
  readonly error: string | null
  readonly body: string
  readonly created_at: string
}

/** Messages that were sent, with the reason of those that failed. */
function Messages() {
  const status = queryValue('status')
  const query = new URLSearchParams({ per_page: '50', page: String(pageNumber()) })
  if (status) query.set('status', status)
  const resource = useResource<{ data: readonly Message[]; last_page: number }>(
    `/api/user/messaging/messages?${query}`,
    ['message'],
  )
  return (
    <>
      <FilterChips
        label="Status of the messages"
        name="status"
        values={['', 'failed', 'undelivered', 'queued', 'sent', 'delivered', 'read']}
      />
      <Loaded resource={resource} what="Loading messages">
        {(answer) =>
          answer.body.data.length === 0 ? (
            <Empty title={status ? `No messages with the status ${words(status)}` : 'No messages sent'}>
              Messages of campaigns and of "parley messaging send" appear here. Received messages are in the{' '}
              <a href={routePath('conversations', [], { type: 'messaging' })}>conversations</a>.
            </Empty>
          ) : (
            <>
              <Table
                label="Messages, newest first"
                rows={answer.body.data}
                keyOf={(it) => it.id}
                href={(it) => phonePath(it.recipient_phone)}
                columns={[
                  { title: 'Recipient', cell: (it) => it.recipient_phone },
                  { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                  { title: 'Sent', cell: (it) => <When at={it.created_at} /> },
                  { title: 'Error', cell: (it) => it.error ?? '' },
                  { title: 'Text', cell: (it) => it.body },
                  {
                    title: 'Cost',
                    cell: (_, at) => amountText(shownAt(answer, `/data/${at}/cost`), 'usd'),
                    isNumber: true,
                  },
                ]}
              />
              <Pager last={answer.body.last_page} />
              <CommandLine command={answer.command} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

const tabs = [
  { name: 'campaigns', title: 'Campaigns' },
  { name: 'messages', title: 'Messages' },
  { name: 'senders', title: 'Senders and templates' },
  { name: 'windows', title: '24-hour windows' },
] as const

/** Campaigns, senders with their templates, and the 24-hour windows. */
export function MessagingPage() {
  const [part = 'campaigns', id] = route.value.parts
  if (/^\d+$/.test(part)) return <CampaignDetail key={part} id={Number(part)} />
  const navigation = (
    <Tabs
      label="Campaigns and messaging"
      current={part === 'templates' ? 'senders' : part}
      items={tabs.map((it) => ({ ...it, href: routePath('messaging', it.name === 'campaigns' ? [] : [it.name]) }))}
    />
  )
  if (part === 'templates' && id) return <Templates key={id} sender={Number(id)} navigation={navigation} />
  return (
    <>
      <PageHead title="Campaigns and messaging">
        {session.value?.mode === 'local' && !isReadOnly.value && (
          <button type="button" onClick={() => simulateMessage()}>
            Simulate a message…
          </button>
        )}
      </PageHead>
      {navigation}
      {part === 'senders' ? (
        <Senders />
      ) : part === 'windows' ? (
        <Windows />
      ) : part === 'messages' ? (
        <Messages />
      ) : (
        <Campaigns />
      )}
    </>
  )
}
