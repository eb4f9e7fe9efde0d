import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { type Call, calls } from '../../../contract/resources/calls.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { maxRunsPerPage } from '../../../contract/values/page-size.ts'
import { crypto } from '../../../node/crypto.ts'
import { stringifyJson } from '../../../node/json.ts'
import { signHeaders } from '../../../node/webhook-signature.ts'
import { passingFailures } from '../../program/connection/passing-failures.ts'
import type { Context } from '../../program/context.ts'
import { parseTime } from '../../program/output/time.ts'
import { isInProgress } from '../calls/wait.ts'
import type { ForwardedEvent, Forwarder } from './forwarder.ts'
import { type ListenState, openListenState } from './listen-state.ts'
import type { RecordedEvent } from './recorded-events.ts'

type Fields = Readonly<Record<string, unknown>>

/** Something that happened on a deployment, as its lists show it. */
interface RemoteEvent {
  /** Identifies the event among all of the deployment: `call.ended:12`. */
  readonly key: string
  readonly kind: 'call.ended' | 'conversation.started' | 'conversation.ended' | 'automation.run_failed'
  /** Milliseconds since 1970. */
  readonly at: number
  readonly payload: Fields
}

/** What a deployment reports, by its capabilities. */
interface Visibility {
  /** Whether a conversation has ended. */
  readonly ends: boolean
  readonly runs: boolean
}

/** Reads what a deployment reports. */
const readVisibility = async (context: Context): Promise<Visibility> => ({
  ends: await context.supports('details'),
  runs: await context.supports('runs'),
})

/** Describes the events that polling cannot find. */
function describeInvisible({ ends, runs }: Visibility): string {
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
async function readRemoteEvents(context: Context, from: number, sees: Visibility): Promise<RemoteEvent[]> {
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
  if (isInProgress(record as Pick<Call, 'status'>)) return []
  return [
    {
      // Keys of events, here and below, are saved in the file of the profile: they never change.
      key: `call.ended:${record.id}`,
      kind: 'call.ended',
      at: timeOf(record.updated_at) ?? timeOf(record.created_at) ?? 0,
      // Receivers read these names, which are those of the webhook of a platform (call-service.ts).
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
  const query = { status: 'FAILED', test: false, since: new Date(from).toISOString(), limit: maxRunsPerPage } as const
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

/** Milliseconds between two polls of a deployment. */
const pollIntervalMs = 5000
/** Lists are read from this long before the latest event: a conversation may end long after it started. */
const overlapMs = 3 * 24 * 60 * 60 * 1000
const [firstWaitMs, maxWaitMs] = [1000, 30_000]

/** Where events go. */
interface ListenOptions {
  readonly forward: Forwarder | undefined
  readonly record: ((event: RecordedEvent) => void) | undefined
  readonly limit: number | undefined
}

/**
 * Polls a deployment and yields its new events after their delivery, in order. An event is delivered again only if the
 * process was killed between the response of the receiver and saving it, with the same id. A receiver that cannot be
 * reached stops the order: the event is sent until it answers.
 */
export async function* listenRemotely(context: Context, options: ListenOptions): AsyncGenerator<ForwardedEvent> {
  const { system, notes } = context
  const { profileName, baseUrl } = await context.settings()
  const sees = await readVisibility(context)
  const platformNow = await context.platformNow()
  const state = openListenState(system, { profile: profileName.value, baseUrl: baseUrl.value, platformNow })
  try {
    await notes.note(describeInvisible(sees))
    if (options.forward) await notes.note(`The signing secret is in the first line of ${state.file}.`)
    let remaining = options.limit ?? Number.POSITIVE_INFINITY
    for (let isFirst = true; !system.signal.aborted; isFirst = false) {
      const read = () => readRemoteEvents(context, state.lastAt - overlapMs, sees)
      const events = isFirst ? await read() : await readWhenReachable(context, read)
      if (!events) return
      if (!state.isResumed) {
        state.start(events.map(({ key }) => key))
        await notes.note('Listening. Stop with Ctrl-C.')
      }
      for (const event of events) {
        if (state.has(event.key)) continue
        const sent = await deliver(context, event, state, `${baseUrl.value} ${event.key}`, options)
        if (!sent) return
        yield sent
        if (--remaining <= 0) return
      }
      await system.sleep(pollIntervalMs, system.signal).catch(() => undefined)
    }
  } finally {
    state.close()
  }
}

/** Repeats a poll until the deployment answers. Undefined if the command was interrupted before. */
async function readWhenReachable<T>({ system, notes }: Context, read: () => Promise<T>): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; !system.signal.aborted; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    try {
      return await read()
    } catch (error) {
      if (system.signal.aborted) return undefined
      if (!(error instanceof ClientFailure) || !passingFailures.has(error.exit)) throw error
      if (waitMs === firstWaitMs) await notes.warn(`Waiting until the deployment can be reached: ${error.message}`)
      await system.sleep(waitMs, system.signal).catch(() => undefined)
    }
  }
  return undefined
}

/** Delivers one event and saves it as delivered. Undefined if the command was interrupted before. */
async function deliver(
  { system, notes }: Context,
  { key, kind, at, payload }: RemoteEvent,
  state: ListenState,
  identity: string,
  { forward, record }: ListenOptions,
): Promise<ForwardedEvent | undefined> {
  // Receivers ignore an id they have seen, so an event keeps its id in later versions: it never changes.
  const id = `msg_${crypto().createHash('sha256').update(identity).digest('hex').slice(0, 27)}`
  const body = stringifyJson(payload)
  record?.({ id, kind, payload })
  let status: number | null = null
  for (let waitMs = firstWaitMs; forward; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    const headers = {
      'content-type': 'application/json',
      ...signHeaders([state.secret], id, Math.floor(system.now() / 1000), body),
    }
    const sent = await forward({ headers, body })
    if (system.signal.aborted) return undefined
    status = sent.status
    if (status !== null) break
    if (waitMs === firstWaitMs) await notes.warn(`${kind} waits until the receiver can be reached: ${sent.error}`)
    await system.sleep(waitMs, system.signal).catch(() => undefined)
    if (system.signal.aborted) return undefined
  }
  state.add(key, at)
  return { id, kind, genuine: true, status, error: null, payload }
}
