import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import type { Context } from '../../program/context.ts'
import { parseTime } from '../../program/output/time.ts'

type Fields = Readonly<Record<string, unknown>>

/** Something that happened on a deployment, as its lists show it. */
export interface RemoteEvent {
  /** Identifies the event among all of the deployment: `call.ended:12`. */
  readonly key: string
  readonly kind: 'call.ended' | 'conversation.started' | 'conversation.ended' | 'automation.run_failed'
  /** Milliseconds since 1970. */
  readonly at: number
  readonly payload: Fields
}

/** What a deployment reports, by its capabilities. */
export interface Visibility {
  /** Whether a conversation has ended. */
  readonly ends: boolean
  readonly runs: boolean
}

/** Statuses of calls that have not ended. */
const openStatuses = new Set(['initiated', 'ringing', 'in-progress'])

/** Reads what a deployment reports. */
export const readVisibility = async (context: Context): Promise<Visibility> => ({
  ends: await context.supports('details'),
  runs: await context.supports('runs'),
})

/** Describes the events that polling cannot find. */
export function describeInvisible({ ends, runs }: Visibility): string {
  const missing = [
    'inbound calls before they are answered',
    'message statuses',
    'purchases',
    'ends of calls and conversations that started more than 3 days ago',
    ...(ends ? [] : ['ends of conversations']),
    ...(runs ? [] : ['failed runs of automations']),
  ]
  return `Events come from the lists of the deployment. Not visible: ${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}. Payloads have the fields that the lists report.`
}

/** Reads the events of calls, conversations and runs that started at a time or later, oldest first. */
export async function readRemoteEvents(context: Context, from: number, sees: Visibility): Promise<RemoteEvent[]> {
  const found = await Promise.all([
    readList(context, calls.list, from, (it) => callEvents(it)),
    readList(context, conversations.list, from, (it) => conversationEvents(it)),
    sees.runs ? readFailedRuns(context, from) : [],
  ])
  return found.flat().sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
}

async function readList(
  { call, system }: Context,
  list: Endpoint,
  from: number,
  eventsOf: (record: Fields) => RemoteEvent[],
): Promise<RemoteEvent[]> {
  const found: RemoteEvent[] = []
  const day = new Date(from).toISOString().slice(0, 10)
  const pages = paginate<Endpoint, Fields>(
    call,
    list,
    { date_from: day },
    {
      all: true,
      signal: system.signal,
    },
  )
  // A platform may ignore the filter of days.
  for await (const record of pages) if ((timeOf(record.created_at) ?? 0) >= from) found.push(...eventsOf(record))
  return found
}

const timeOf = (value: unknown): number | undefined => (typeof value === 'string' ? parseTime(value) : undefined)

function callEvents(record: Fields): RemoteEvent[] {
  if (openStatuses.has(String(record.status))) return []
  return [
    {
      key: `call.ended:${record.id}`,
      kind: 'call.ended',
      at: timeOf(record.updated_at) ?? timeOf(record.created_at) ?? 0,
      payload: {
        id: record.id,
        customer_phone: record.client_phone_number,
        assistant_phone: record.assistant_phone_number,
        duration: record.duration,
        status: record.status,
        extracted_variables: record.variables,
        formatted_transcript: record.transcript,
        recording_url: record.recording_url,
        created_at: record.created_at,
      },
    },
  ]
}

function conversationEvents(record: Fields): RemoteEvent[] {
  const { id, assistant_id, type, created_at } = record
  const payload = { conversation_id: id, assistant_id, type, created_at }
  const started = timeOf(created_at) ?? 0
  return [
    { key: `conversation.started:${id}`, kind: 'conversation.started', at: started, payload },
    ...(record.status === 'ended'
      ? [
          {
            key: `conversation.ended:${id}`,
            kind: 'conversation.ended',
            at: Math.max(started, timeOf(record.updated_at) ?? started),
            payload: { ...payload, message_count: record.message_count, status: record.status },
          } as const,
        ]
      : []),
  ]
}

async function readFailedRuns({ call }: Context, from: number): Promise<RemoteEvent[]> {
  const found: RemoteEvent[] = []
  const query = { status: 'FAILED', test: false, since: new Date(from).toISOString(), limit: 100 } as const
  for (let cursor: string | undefined; ; ) {
    const page = await call(automate.listRuns, { ...query, ...(cursor !== undefined && { cursor }) })
    for (const run of page.data as readonly Fields[])
      found.push({
        key: `automation.run_failed:${run.id}`,
        kind: 'automation.run_failed',
        at: (timeOf(run.started_at) ?? from) + Number(run.duration_ms ?? 0),
        payload: run,
      })
    if (page.next_cursor === null) return found
    cursor = page.next_cursor
  }
}
