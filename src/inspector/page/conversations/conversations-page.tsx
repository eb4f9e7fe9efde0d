import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { When } from '../app/clock-state.tsx'
import { navigate, queryValue, route } from '../app/history.ts'
import { phonePath, routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { account, isReadOnly, session } from '../data/session.ts'
import { plainText, shownAt, utcToIso, words } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { FilterChips, Pager, pageNumber } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Chat, type ChatMessage } from './chat.tsx'
import { ScenarioButton } from './scenario-dialog.tsx'
import { simulateMessage } from './simulate.ts'

interface Party {
  readonly name: string | null
  readonly phone: string
}

/** Copy of the fields of contract/resources/conversations.ts that the page shows. */
interface Conversation {
  readonly id: string
  readonly assistant_name: string
  readonly type: string
  readonly message_count: number
  readonly total_cost: number
  readonly ai_enabled: boolean
  /** Missing on platforms that do not report it. */
  readonly status?: string
  readonly customer?: Party | null
  readonly external_identifier?: string | null
  readonly created_at: string
  readonly updated_at: string
}

const visitors: Readonly<Record<string, string>> = { widget: 'Visitor of the website', test: 'Test' }

/** Returns who wrote: name and number, the identifier in the caller's system, or what is known of the visitor. */
const customerText = (conversation: Conversation): string =>
  party(conversation.customer) ??
  conversation.external_identifier ??
  visitors[conversation.type] ??
  `Customer ${conversation.id.slice(0, 8)}`

/** Whether the assistant answers, a person must, or the conversation is over. */
const ConversationState = ({ of: conversation }: { of: Conversation }) =>
  conversation.status === 'ended' ? (
    <Badge status="ended" />
  ) : conversation.ai_enabled ? (
    <Badge status={conversation.status ?? 'open'} />
  ) : (
    <Badge status="paused" text="AI replies off" />
  )

interface Page {
  readonly data: readonly Conversation[]
  readonly current_page: number
  readonly last_page: number
  readonly total?: number
}

const types = ['', 'widget', 'messaging', 'api', 'test']
const listPath = '/api/user/conversations'

function ConversationList() {
  const query = new URLSearchParams({ per_page: '50', page: String(pageNumber()) })
  if (queryValue('type')) query.set('type', queryValue('type'))
  const resource = useResource<Page>(`${listPath}?${query}`, ['conversation', 'message'])
  return (
    <>
      <PageHead title="Conversations">
        {session.value?.mode === 'local' && (
          <button
            type="button"
            onClick={() => simulateMessage((id) => id && navigate(routePath('conversations', [id])))}
          >
            Simulate a message…
          </button>
        )}
      </PageHead>
      <FilterChips label="Type of the conversations" name="type" values={types} />
      <Loaded resource={resource} what="Loading conversations">
        {(answer) =>
          answer.body.data.length === 0 ? (
            <Empty title="No conversations" command="parley conversations start">
              Start one in your terminal:
            </Empty>
          ) : (
            <>
              <Table
                label="Conversations, newest first"
                rows={answer.body.data}
                keyOf={(it) => it.id}
                href={(it) => routePath('conversations', [it.id])}
                columns={[
                  { title: 'Customer', cell: customerText },
                  { title: 'State', cell: (it) => <ConversationState of={it} />, isState: true },
                  { title: 'Updated', cell: (it) => <When at={utcToIso(it.updated_at)} /> },
                  { title: 'Type', cell: (it) => words(it.type) },
                  { title: 'Assistant', cell: (it) => it.assistant_name },
                  { title: 'Messages', cell: (it) => it.message_count, isNumber: true },
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

interface ConversationRecord {
  readonly history: readonly ChatMessage[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly external_identifier?: string | null
  readonly messaging_sender?: Party | null
  readonly customer?: Party | null
}

/** Sends the next message of the chat, as the customer. */
function Continue({ id }: { id: string }) {
  const text = useSignal('')
  const isBusy = useSignal(false)
  const sendMessage = async (): Promise<void> => {
    isBusy.value = true
    const answer = await act({
      method: 'POST',
      path: `/api/conversations/${id}/messages`,
      body: { message: text.value },
      label: 'Send',
      done: () => 'Sent. The reply is below.',
    })
    isBusy.value = false
    if (answer) text.value = ''
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.value.trim()) sendMessage()
      }}
    >
      <input
        aria-label="Message as the customer"
        placeholder="Write as the customer"
        maxLength={2000}
        dir="auto"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
      />
      <button type="submit" class="primary" disabled={isBusy.value || !text.value.trim()}>
        {isBusy.value ? 'Sending…' : 'Send'}
      </button>
    </form>
  )
}

const party = (party: Party | null | undefined): string | null =>
  party ? [party.name, party.phone].filter(Boolean).join(', ') : null

function ConversationDetail({ id }: { id: string }) {
  const resource = useResource<ConversationRecord>(`/api/conversations/${id}`, ['conversation', 'message'])
  // Only the list has type, state and cost. An older conversation is on a later page of it.
  const page = useSignal(1)
  const list = useResource<Page>(`${listPath}?per_page=${maxPerPage}&page=${page.value}`, ['conversation', 'message'])
  const at = list.answer?.body.data.findIndex((it) => it.id === id) ?? -1
  const known = list.answer?.body.data[at]
  const lastPage = list.answer?.body.last_page ?? 0
  useEffect(() => {
    if (list.answer && !known && page.value < lastPage) page.value += 1
  }, [list.answer])
  const change = (path: string, label: string, body?: object): Promise<unknown> =>
    act({ method: 'POST', path, label, ...(body && { body }), done: () => `${label}: done.` })
  return (
    <Loaded resource={resource} what="Loading the conversation">
      {({ body, command }) => (
        <>
          <PageHead
            title={`Conversation with ${party(body.customer) ?? body.external_identifier ?? (known ? customerText(known) : 'a customer')}`}
            note={
              <>
                {known && <ConversationState of={known} />} {known?.assistant_name} <code>{id}</code>
              </>
            }
          >
            {known && (
              <ScenarioButton
                transcript={body.history}
                assistant={known.assistant_name}
                name={`Conversation of ${known.created_at}`}
                channel={known.type === 'messaging' ? 'messaging' : 'chat'}
              />
            )}
            {!isReadOnly.value && (
              <>
                {known && (
                  <button
                    type="button"
                    onClick={() =>
                      change(
                        `/api/automate/conversations/${id}/${known.ai_enabled ? 'disable' : 'enable'}-ai`,
                        known.ai_enabled ? 'Disable AI replies' : 'Enable AI replies',
                      )
                    }
                  >
                    {known.ai_enabled ? 'Disable AI replies' : 'Enable AI replies'}
                  </button>
                )}
                {session.value?.mode === 'local' && (
                  <button
                    type="button"
                    onClick={() =>
                      change('/control/simulate/end', 'End the conversation', {
                        account: account.value,
                        conversation: id,
                      })
                    }
                  >
                    End
                  </button>
                )}
              </>
            )}
          </PageHead>
          <div class="chat-and-detail">
            <section class="section" aria-label="Transcript">
              {body.history.length === 0 ? (
                <Empty title="No messages yet" />
              ) : (
                <Chat messages={body.history} label="Messages, oldest first" />
              )}
              {!isReadOnly.value && <Continue id={id} />}
            </section>
            <div>
              <Section title="Conversation">
                <Fields
                  items={[
                    ['Type', known && words(known.type)],
                    ['Cost', known && list.answer ? shownAt(list.answer, `/data/${at}/total_cost`) : null],
                    [
                      'Customer',
                      body.customer && <a href={phonePath(body.customer.phone)}>Everything of {body.customer.phone}</a>,
                    ],
                    ['Sender', party(body.messaging_sender)],
                    ['External identifier', body.external_identifier],
                    ['Updated', known && list.answer ? shownAt(list.answer, `/data/${at}/updated_at`) : null],
                  ]}
                />
                <CommandLine command={command} />
              </Section>
              <Section title="Variables">
                {Object.keys(body.variables ?? {}).length === 0 ? (
                  <p class="muted">No variables.</p>
                ) : (
                  <Fields
                    items={Object.entries(body.variables ?? {}).map(([name, variable]) => [name, plainText(variable)])}
                  />
                )}
              </Section>
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

/** Conversations, with each transcript as a chat. */
export function ConversationsPage() {
  const [id] = route.value.parts
  return id === undefined ? <ConversationList /> : <ConversationDetail key={id} id={id} />
}
