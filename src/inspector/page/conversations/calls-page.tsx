import { When } from '../app/clock-state.tsx'
import { navigate, route } from '../app/history.ts'
import { phonePath, routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { session } from '../data/session.ts'
import { plainText, shownAt, words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Pager, pageNumber } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Chat } from './chat.tsx'
import { ScenarioButton } from './scenario-dialog.tsx'
import { simulateCall } from './simulate.ts'
import { parseTranscript } from './transcript.ts'

/** Copy of the fields of contract/resources/calls.ts that the page shows. */
interface Call {
  readonly id: number
  readonly assistant_name: string | null
  readonly campaign_name: string | null
  readonly type: string
  readonly duration: number
  readonly assistant_phone_number: string | null
  readonly client_phone_number: string | null
  readonly status: string
  readonly transcript: string | null
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly evaluation: Readonly<Record<string, unknown>> | null
  readonly webhook_response?: unknown
  readonly answered_by: string | null
  readonly recording_url: string | null
  readonly created_at: string
}

function CallList() {
  const resource = useResource<{ data: readonly Call[]; last_page: number }>(
    `/api/user/calls?per_page=50&page=${pageNumber()}`,
    ['call'],
  )
  return (
    <>
      <PageHead title="Calls">
        {session.value?.mode === 'local' && (
          <button type="button" onClick={() => simulateCall((id) => id && navigate(routePath('calls', [id])))}>
            Simulate a call…
          </button>
        )}
      </PageHead>
      <Loaded resource={resource} what="Loading calls">
        {(answer) =>
          answer.body.data.length === 0 ? (
            <Empty title="No calls">Simulate a call to see one here.</Empty>
          ) : (
            <>
              <Table
                label="Calls, newest first"
                rows={answer.body.data}
                keyOf={(it) => it.id}
                href={(it) => routePath('calls', [it.id])}
                columns={[
                  { title: 'Customer', cell: (_, at) => shownAt(answer, `/data/${at}/client_phone_number`) },
                  { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                  { title: 'Started', cell: (it) => <When at={it.created_at} /> },
                  { title: 'Type', cell: (it) => words(it.type) },
                  { title: 'Assistant', cell: (it) => it.assistant_name ?? '' },
                  { title: 'Campaign', cell: (it) => it.campaign_name ?? '' },
                  { title: 'Duration', cell: (_, at) => durationAt(answer, `/data/${at}/duration`), isNumber: true },
                  { title: 'Cost', cell: (_, at) => shownAt(answer, `/data/${at}/total_cost`), isNumber: true },
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

/** Returns a duration; seconds if the server did not format it. */
function durationAt(answer: Parameters<typeof shownAt>[0], pointer: string): string {
  const text = shownAt(answer, pointer)
  return /^\d+$/.test(text) ? `${text} s` : text
}

function CallDetail({ id }: { id: string }) {
  const resource = useResource<Call>(`/api/user/calls/${id}`, ['call'])
  return (
    <Loaded resource={resource} what="Loading the call">
      {(answer) => {
        const { body: call } = answer
        const turns = parseTranscript(call.transcript)
        return (
          <>
            <PageHead
              title={`Call ${call.id}: ${shownAt(answer, '/client_phone_number')}`}
              note={
                <>
                  <Badge status={call.status} /> {words(call.type)} · {call.assistant_name}
                </>
              }
            >
              <ScenarioButton
                transcript={turns.map((turn) => ({ role: turn.role, content: turn.text }))}
                assistant={call.assistant_name ?? ''}
                name={`Call ${call.id}`}
                channel="call"
              />
            </PageHead>
            <div class="chat-and-detail">
              <section class="section" aria-label="Transcript">
                {turns.length === 0 ? (
                  <Empty title="No transcript" />
                ) : (
                  <Chat
                    messages={turns.map((turn) => ({ role: turn.role, content: turn.text }))}
                    label="Turns, oldest first"
                  />
                )}
              </section>
              <div>
                <Section title="Call">
                  <Fields
                    items={[
                      [
                        'Customer',
                        call.client_phone_number && (
                          <a href={phonePath(call.client_phone_number)}>Everything of {call.client_phone_number}</a>
                        ),
                      ],
                      ['Started', shownAt(answer, '/created_at')],
                      ['Duration', durationAt(answer, '/duration')],
                      ['Total cost', shownAt(answer, '/total_cost')],
                      ['Carrier cost', shownAt(answer, '/carrier_cost')],
                      ['Number of the assistant', shownAt(answer, '/assistant_phone_number')],
                      ['Answered by', call.answered_by && words(call.answered_by)],
                      ['Campaign', call.campaign_name],
                      ['Recording', call.recording_url],
                    ]}
                  />
                  <CommandLine command={answer.command} />
                </Section>
                <Section title="Variables">
                  {Object.keys(call.variables ?? {}).length === 0 ? (
                    <p class="muted">No variables.</p>
                  ) : (
                    <Fields
                      items={Object.entries(call.variables ?? {}).map(([name, value]) => [name, plainText(value)])}
                    />
                  )}
                </Section>
                {call.evaluation && (
                  <Section title="Evaluation">
                    <JsonView value={call.evaluation} label="JSON of the evaluation" />
                  </Section>
                )}
                {call.webhook_response !== undefined && call.webhook_response !== null && (
                  <Section title="Response of the webhook">
                    <JsonView value={call.webhook_response} label="JSON of the response" />
                  </Section>
                )}
              </div>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

/** Calls with their transcripts and costs. */
export function CallsPage() {
  const [id] = route.value.parts
  return id === undefined ? <CallList /> : <CallDetail key={id} id={id} />
}
