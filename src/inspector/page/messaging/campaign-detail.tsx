import { toneOf } from '../../../contract/values/states.ts'
import { When } from '../app/clock-state.tsx'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { plainText, utcToIso, words } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { Bars } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

export interface Campaign {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly channel: string
  /** In the time zone of the campaign. */
  readonly scheduled_start_at?: string | null
  readonly max_calls_in_parallel: number | null
  readonly messages_per_minute: number | null
  readonly max_retries: number | null
  readonly retry_interval: number | null
  readonly timezone: string | null
  readonly allowed_days: readonly string[] | null
  readonly schedule_windows: readonly { readonly start: string; readonly end: string }[] | null
  readonly sms_body: string | null
}

interface Lead {
  readonly id: number
  readonly phone_number: string
  readonly status: string
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly updated_at: string
}

/** Returns the address of all entries of a phone number. */
export const phonePath = (phone: string): string => routePath('timeline', [], { search: phone })

/** Returns what happens next in a campaign. */
export function nextOf({ status, scheduled_start_at: start, timezone: zone }: Campaign): string {
  if (status === 'completed') return 'nothing, all leads are done'
  if (status === 'in-progress') return 'contacts its leads in the allowed hours'
  if (status === 'scheduled') return start ? `starts at ${start}${zone ? ` (${zone})` : ''}` : 'starts as scheduled'
  return status === 'draft' ? 'nothing until it is started' : 'nothing until it is started again'
}

/** Returns how fast a campaign contacts its leads. */
export function contactRate({ channel, max_calls_in_parallel, messages_per_minute }: Campaign): string {
  if (channel === 'call' && max_calls_in_parallel) return `${max_calls_in_parallel} calls in parallel`
  return messages_per_minute ? `${messages_per_minute} messages per minute` : ''
}

function Progress({ id }: { id: number }) {
  const resource = useResource<{ data: readonly Lead[]; total: number }>(
    `/api/user/leads?campaign_id=${id}&per_page=100`,
    ['campaign', 'message', 'call'],
  )
  return (
    <Section title="Progress">
      <Loaded resource={resource} what="Loading leads">
        {({ body, command }) => {
          if (body.data.length === 0)
            return (
              <Empty title="No leads" command={`parley leads import --campaign ${id} --file leads.csv`}>
                Import contacts in your terminal:
              </Empty>
            )
          const counts = new Map<string, number>()
          for (const it of body.data) counts.set(it.status, (counts.get(it.status) ?? 0) + 1)
          return (
            <>
              <p>
                {body.total} leads{body.total > body.data.length && `, the newest ${body.data.length} are shown`}
              </p>
              <Bars
                label="Leads by status"
                items={[...counts].map(([name, value]) => ({
                  label: words(name),
                  value,
                  text: String(value),
                  tone: toneOf(name),
                }))}
              />
              <div class="gap" />
              <Table
                label="Leads"
                rows={body.data}
                keyOf={(it) => it.id}
                href={(it) => phonePath(it.phone_number)}
                columns={[
                  { title: 'Number', cell: (it) => it.phone_number },
                  { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                  { title: 'Updated', cell: (it) => <When at={utcToIso(it.updated_at)} /> },
                  {
                    title: 'Variables',
                    cell: (it) =>
                      Object.entries(it.variables ?? {})
                        .map(([name, value]) => `${name}: ${plainText(value)}`)
                        .join(', '),
                  },
                ]}
              />
              <CommandLine command={command} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** One campaign: its progress and its limits. */
export function CampaignDetail({ id }: { id: number }) {
  const resource = useResource<{ data: Campaign }>(`/api/user/campaign/${id}`, ['campaign'])
  return (
    <Loaded resource={resource} what="Loading the campaign">
      {({ body: { data: it }, command }) => {
        const action = it.status === 'in-progress' || it.status === 'scheduled' ? 'stop' : 'start'
        return (
          <>
            <PageHead
              title={it.name}
              note={
                <>
                  <Badge status={it.status} /> {words(it.channel)} · Next: {nextOf(it)}
                </>
              }
            >
              {!isReadOnly.value && (
                <button
                  type="button"
                  class={action === 'start' ? 'primary' : ''}
                  onClick={() =>
                    act({
                      method: 'POST',
                      path: '/api/user/campaigns/update-status',
                      body: { campaign_id: id, action },
                      label: action === 'start' ? 'Start the campaign' : 'Stop the campaign',
                    })
                  }
                >
                  {action === 'start' ? 'Start…' : 'Stop…'}
                </button>
              )}
            </PageHead>
            <Progress id={id} />
            <Section title="Attempts and limits">
              <Fields
                items={[
                  ['Rate', contactRate(it)],
                  ['Attempts per lead', it.max_retries && String(it.max_retries)],
                  ['Between attempts', it.retry_interval && `${it.retry_interval} min`],
                  ['Days', it.allowed_days?.map((day) => day.slice(0, 3)).join(', ')],
                  ['Hours', it.schedule_windows?.map((hours) => `${hours.start} to ${hours.end}`).join(', ')],
                  ['Time zone', it.timezone],
                  ['SMS text', it.sms_body],
                ]}
              />
              <CommandLine command={command} />
            </Section>
          </>
        )
      }}
    </Loaded>
  )
}
