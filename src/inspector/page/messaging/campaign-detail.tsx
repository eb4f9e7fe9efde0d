import { leadStatuses, toneOf } from '../../../contract/values/states.ts'
import { When } from '../app/clock-state.tsx'
import { queryValue } from '../app/history.ts'
import { phonePath, routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { plainText, utcToIso, words } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { Pager, pageNumber } from '../parts/list-controls.tsx'
import { Bars } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

/** Copy of the fields of contract/resources/campaigns.ts that the page shows. */
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

/** Copy of the fields of contract/resources/leads.ts that the page shows. */
interface Lead {
  readonly id: number
  readonly phone_number: string
  readonly status: string
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly updated_at: string
}

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

interface LeadPage {
  readonly data: readonly Lead[]
  readonly total: number
  readonly last_page: number
}

const leadChanges = ['campaign', 'message', 'call']

/**
 * How many leads of a campaign have each status. A status leads to its leads. `leads` are all leads of the campaign;
 * without them, the platform counts.
 */
function LeadCounts({ id, leads }: { id: number; leads?: readonly Lead[] }) {
  const chosen = queryValue('status')
  const counts = leadStatuses.map((status) => {
    const { answer } = useResource<LeadPage>(
      leads ? null : `/api/user/leads?campaign_id=${id}&status=${status}&per_page=1`,
      leadChanges,
    )
    return { status, count: leads ? leads.filter((it) => it.status === status).length : answer?.body.total }
  })
  const total = counts.reduce((sum, it) => sum + (it.count ?? 0), 0)
  return (
    <>
      <p>{counts.some((it) => it.count === undefined) ? 'Counting the leads…' : `${total} leads`}</p>
      <Bars
        label="Leads by status"
        items={counts
          .filter((it) => (it.count ?? 0) > 0)
          .map(({ status, count = 0 }) => ({
            label: words(status),
            href: routePath('messaging', [id], { status: status === chosen ? '' : status }),
            isChosen: status === chosen,
            value: count,
            text: String(count),
            tone: toneOf(status),
          }))}
      />
    </>
  )
}

function Progress({ id }: { id: number }) {
  const status = queryValue('status')
  const query = new URLSearchParams({ campaign_id: String(id), per_page: '50', page: String(pageNumber()) })
  if (status) query.set('status', status)
  const resource = useResource<LeadPage>(`/api/user/leads?${query}`, leadChanges)
  return (
    <Section title="Progress">
      <Loaded resource={resource} what="Loading leads">
        {({ body, command }) => {
          if (body.data.length === 0)
            return status ? (
              <>
                <LeadCounts id={id} />
                <Empty title={`No leads with the status ${words(status)}`} />
              </>
            ) : (
              <Empty title="No leads" command={`parley leads import --campaign ${id} --file leads.csv`}>
                Import contacts in your terminal:
              </Empty>
            )
          return (
            <>
              <LeadCounts id={id} {...(!status && body.last_page === 1 && { leads: body.data })} />
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
                    cell: (lead) =>
                      Object.entries(lead.variables ?? {})
                        .map(([name, value]) => `${name}: ${plainText(value)}`)
                        .join(', '),
                  },
                ]}
              />
              <Pager last={body.last_page} />
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
      {({ body: { data: campaign }, command }) => {
        const action = campaign.status === 'in-progress' || campaign.status === 'scheduled' ? 'stop' : 'start'
        return (
          <>
            <PageHead
              title={campaign.name}
              note={
                <>
                  <Badge status={campaign.status} /> {words(campaign.channel)} · Next: {nextOf(campaign)}
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
                  ['Rate', contactRate(campaign)],
                  ['Attempts per lead', campaign.max_retries && String(campaign.max_retries)],
                  ['Between attempts', campaign.retry_interval && `${campaign.retry_interval} min`],
                  ['Days', campaign.allowed_days?.map((day) => day.slice(0, 3)).join(', ')],
                  ['Hours', campaign.schedule_windows?.map((hours) => `${hours.start} to ${hours.end}`).join(', ')],
                  ['Time zone', campaign.timezone],
                  ['SMS text', campaign.sms_body],
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
