import { platformNow } from '../app/clock-state.tsx'
import { resourcePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { session } from '../data/session.ts'
import { dateTime, milliseconds, relativeTime } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Loaded } from '../parts/states.tsx'
import type { Entry } from './entry.ts'

/** Copy of the fields of contract/control/requests.ts that the page shows. */
interface LoggedRequest {
  readonly id: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly answer: string
}

/** Returns the number of a request or event from the id of its entry, which is its kind and number: `request:12`. */
const numberOf = (entry: Entry): number => Number(entry.id.slice(entry.id.indexOf(':') + 1))

/** Whether two times differ by less than a second: the clock of the platform was not moved. */
const isSameTime = (a: string, b: string): boolean => Math.abs(Date.parse(a) - Date.parse(b)) < 1000

function RequestDetail({ entry }: { entry: Entry }) {
  const id = numberOf(entry)
  const resource = useResource<{ data: readonly LoggedRequest[] }>(`/control/requests?after=${id - 1}&limit=1`)
  return (
    <Loaded resource={resource}>
      {(answer) => {
        const request = answer.body.data[0]
        if (request?.id !== id) return <p class="muted">The request log no longer contains this request.</p>
        return (
          <>
            <Fields
              items={[
                ['Method', request.method],
                ['Path', request.path],
                ['Status', String(request.status)],
                ['Duration', milliseconds(request.ms)],
                ['Time of the computer', isSameTime(request.at, entry.at) ? null : dateTime(request.at)],
              ]}
            />
            <h3>Response</h3>
            <JsonView value={request.answer} label="Response" />
            {request.body && (
              <>
                <h3>Request body</h3>
                <JsonView value={request.body} label="Request body" />
              </>
            )}
            <h3>Request headers</h3>
            <JsonView value={request.headers} label="Request headers" />
            <CommandLine command={answer.command} />
          </>
        )
      }}
    </Loaded>
  )
}

function EventDetail({ entry }: { entry: Entry }) {
  const id = numberOf(entry)
  const resource = useResource<{ data: readonly { id: number; payload: unknown; subject: string }[] }>(
    `/control/events?after=${id - 1}&limit=1`,
  )
  return (
    <Loaded resource={resource}>
      {(answer) => {
        const event = answer.body.data[0]
        if (event?.id !== id) return <p class="muted">This event was deleted.</p>
        return (
          <>
            <Fields items={[['Resource', event.subject]]} />
            <h3>Payload</h3>
            <JsonView value={event.payload} label="Payload" />
            <CommandLine command={answer.command} />
          </>
        )
      }}
    </Loaded>
  )
}

/** Everything about one entry of the timeline, with a link to its resource. */
export function EntryDetail({ entry }: { entry: Entry }) {
  const to = entry.subject && resourcePath(entry.subject.noun, entry.subject.id)
  const name = session.value?.accounts.find((it) => it.id === entry.account)?.name
  return (
    <article>
      <h2 dir="auto">{entry.title}</h2>
      <p>
        <Badge status={entry.status} />
      </p>
      <Fields
        items={[
          ['Kind', entry.kind],
          ['Time', `${dateTime(entry.at)} (${relativeTime(entry.at, platformNow.value)})`],
          ['Account', name ?? (entry.account === null ? null : String(entry.account))],
          ['Resource', entry.subject && `${entry.subject.noun} ${entry.subject.id}`],
        ]}
      />
      {entry.text && (
        <p class="entry-full" dir="auto">
          {entry.text}
        </p>
      )}
      {to && (
        <p>
          <a class="button" href={to}>
            Open the {entry.subject?.noun}
          </a>
        </p>
      )}
      {entry.kind === 'request' && <RequestDetail entry={entry} />}
      {entry.kind === 'event' && <EventDetail entry={entry} />}
    </article>
  )
}
