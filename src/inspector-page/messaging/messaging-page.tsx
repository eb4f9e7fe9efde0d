import { platformNow } from '../app/clock-state.tsx'
import { route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { simulateMessage } from '../conversations/simulate.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly, session } from '../data/session.ts'
import { relativeTime, shownAt, words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead, Section } from '../parts/fields.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Campaign, CampaignDetail, contactRate } from './campaign-detail.tsx'
import { Templates } from './templates.tsx'

export interface Sender {
  readonly id: number
  readonly phone_number: string
  readonly display_name: string
  readonly status: string
  readonly quality_rating: string
  readonly messaging_limit_formatted: string
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
                { title: 'Status', cell: (it) => <Badge status={it.status} /> },
                { title: 'Channel', cell: (it) => it.channel },
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
  const resource = useResource<{ data: readonly Sender[] }>('/api/user/messaging/senders?status=all', ['message'])
  return (
    <Loaded resource={resource} what="Loading senders">
      {(answer) =>
        answer.body.data.length === 0 ? (
          <Empty title="No senders" />
        ) : (
          <>
            <Table
              label="Senders"
              rows={answer.body.data}
              keyOf={(it) => it.id}
              href={(it) => routePath('messaging', ['templates', it.id])}
              columns={[
                { title: 'Name', cell: (it) => it.display_name },
                { title: 'Number', cell: (_, at) => shownAt(answer, `/data/${at}/phone_number`) },
                { title: 'Status', cell: (it) => <Badge status={it.status} /> },
                { title: 'Quality', cell: (it) => <Badge status={it.quality_rating} /> },
                { title: 'Recipients per 24 hours', cell: (it) => it.messaging_limit_formatted },
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
    readonly message: string
    readonly expires_at?: string | null
    readonly expired_at?: string | null
  }
}

function Windows() {
  const resource = useResource<{ data: readonly Window[] }>('/api/user/messaging/sessions?status=all&per_page=50', [
    'message',
    'clock',
  ])
  return (
    <Loaded resource={resource} what="Loading windows">
      {(answer) =>
        answer.body.data.length === 0 ? (
          <Empty title="No customer has written yet">
            A message of a customer opens a window of 24 hours in which messages need no template.
          </Empty>
        ) : (
          <>
            <Table
              label="24-hour windows"
              rows={answer.body.data}
              keyOf={(it) => `${it.sender_id} ${it.recipient_phone}`}
              columns={[
                {
                  title: 'Customer',
                  cell: (it, at) =>
                    [it.customer_name, shownAt(answer, `/data/${at}/recipient_phone`)].filter(Boolean).join(', '),
                },
                { title: 'Window', cell: (it) => <Badge status={it.session_status.is_open ? 'active' : 'closed'} /> },
                {
                  title: 'Until',
                  cell: ({ session_status: it }) => {
                    const at = it.expires_at ?? it.expired_at
                    return at ? relativeTime(at, platformNow.value) : ''
                  },
                },
                { title: 'Sending', cell: (it) => it.session_status.message },
              ]}
            />
            <CommandLine command={answer.command} />
          </>
        )
      }
    </Loaded>
  )
}

const tabs = [
  { name: 'campaigns', title: 'Campaigns' },
  { name: 'senders', title: 'Senders and templates' },
  { name: 'windows', title: '24-hour windows' },
] as const

/** Campaigns, senders with their templates, and the 24-hour windows. */
export function MessagingPage() {
  const [part = 'campaigns', id] = route.value.parts
  if (/^\d+$/.test(part)) return <CampaignDetail key={part} id={Number(part)} />
  if (part === 'templates' && id) return <Templates key={id} sender={Number(id)} />
  return (
    <>
      <PageHead title="Campaigns and messaging">
        {session.value?.mode === 'local' && !isReadOnly.value && (
          <button type="button" onClick={() => simulateMessage()}>
            Simulate a message…
          </button>
        )}
      </PageHead>
      <Tabs
        label="Campaigns and messaging"
        current={part}
        items={tabs.map((it) => ({ ...it, href: routePath('messaging', it.name === 'campaigns' ? [] : [it.name]) }))}
      />
      {part === 'senders' ? <Senders /> : part === 'windows' ? <Windows /> : <Campaigns />}
      <div class="gap" />
      {part === 'campaigns' && <MessageFailures />}
    </>
  )
}

/** Links to the failures, which the timeline shows with their reasons. */
const MessageFailures = () => (
  <Section title="Failures by reason">
    <p>
      <a href={routePath('timeline', [], { search: `kind:message status:failed` })}>
        Show failed messages in the {words('timeline')}
      </a>
    </p>
  </Section>
)
