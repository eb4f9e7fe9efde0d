import { signal } from '@preact/signals'
import { inspectorHeaders } from '../../../contract/values/inspector-headers.ts'
import type { Resources } from '../../../generated/client-types.ts'
import { When } from '../app/clock-state.tsx'
import { route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { type Resource, useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

type Approval = Awaited<ReturnType<Resources['approvals']['get']>>['data']
type PlanHeading = Omit<Approval['plan'], 'requests' | 'steps' | 'stdin'>
type ListedApproval = Omit<Approval, 'plan'> & { readonly plan: PlanHeading }

/** The key that decides. It is only in the memory of this page, and is gone when the page is closed or loaded again. */
const approveKey = signal('')

const shortId = (id: string): string => id.slice(0, 8)

const costText = ({ maximum_usd: maximum }: PlanHeading): string =>
  maximum === undefined ? 'None' : maximum === null ? 'Not known' : `At most ${maximum} USD`

function ApprovalList() {
  const resource = useResource<{ data: readonly ListedApproval[] }>('/api/user/approvals', ['request'])
  return (
    <Section title="Operations">
      <Loaded resource={resource} what="Loading operations">
        {({ body: { data }, command }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No operations wait for a person">
                What a coding agent asks for and may not do by itself appears here.
              </Empty>
            ) : (
              <Table
                label="Operations"
                rows={data}
                keyOf={(it) => it.id}
                href={(it) => routePath('approvals', [it.id])}
                current={route.value.parts[0]}
                columns={[
                  { title: 'Operation', cell: (it) => it.plan.summary },
                  { title: 'State', cell: (it) => <Badge status={it.state} />, isState: true },
                  { title: 'Maximum cost', cell: (it) => costText(it.plan) },
                  { title: 'Asked by', cell: (it) => it.asked_by ?? 'A person or a script' },
                  { title: 'Asked', cell: (it) => <When at={it.created_at} /> },
                  { title: 'Id', cell: (it) => <code>{shortId(it.id)}</code> },
                ]}
              />
            )}
            <CommandLine command={command} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** Decides about what is shown: the hash is that of the plan on the screen. */
const decide = (approval: Approval, decision: 'approved' | 'declined', reload: () => void): void => {
  const isApproved = decision === 'approved'
  act<{ data: Approval }>({
    method: 'POST',
    path: `/api/user/approvals/${approval.id}/decision`,
    body: { decision, hash: approval.hash },
    headers: { [inspectorHeaders.key]: approveKey.value },
    label: isApproved ? 'Approve' : 'Decline',
    question: isApproved ? `Approve operation ${shortId(approval.id)}?` : `Decline operation ${shortId(approval.id)}?`,
    preview: (
      <>
        <p dir="auto">{approval.plan.summary}</p>
        <p>Maximum cost: {costText(approval.plan)}</p>
      </>
    ),
    done: () => (isApproved ? 'Approved. The agent can run it now.' : 'Declined.'),
  }).then(reload)
}

function Decision({ approval, reload }: { approval: Approval; reload: () => void }) {
  if (isReadOnly.value)
    return (
      <Section title="Decision">
        <p>Decide on a terminal, or in the inspector of the server itself.</p>
        <CommandLine command={`parley ops approve ${shortId(approval.id)}`} />
      </Section>
    )
  return (
    <Section title="Decision">
      <label class="field">
        <span>API key with the scope approve</span>
        <input
          type="password"
          autocomplete="off"
          value={approveKey.value}
          onInput={(event) => {
            approveKey.value = event.currentTarget.value.trim()
          }}
        />
      </label>
      <p class="muted">
        The key stays in the memory of this page until you close it. The owner of the server creates one with “parley
        server accounts key &lt;account&gt; --scope approve”.
      </p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={approveKey.value === ''}
          onClick={() => decide(approval, 'approved', reload)}
        >
          Approve…
        </button>
        <button type="button" disabled={approveKey.value === ''} onClick={() => decide(approval, 'declined', reload)}>
          Decline…
        </button>
      </div>
    </Section>
  )
}

function ApprovalDetail({ id }: { id: string }) {
  const resource: Resource<{ data: Approval }> = useResource(`/api/user/approvals/${encodeURIComponent(id)}`, [
    'request',
  ])
  return (
    <Loaded resource={resource} what="Loading the operation">
      {({ body: { data: approval }, command }) => {
        const { plan } = approval
        return (
          <>
            <Section title={`Operation ${shortId(id)}`}>
              <p class="lead" dir="auto">
                {plan.summary}
              </p>
              <Fields
                items={[
                  ['State', <Badge key="state" status={approval.state} />],
                  ['Maximum cost', costText(plan)],
                  ['Asked by', approval.asked_by ?? 'A person or a script'],
                  ['Platform', plan.platform],
                  ['Profile', plan.profile],
                  ['API key begins with', plan.key_mark],
                  ['Command', <code key="command">{`parley ${plan.command.join(' ')}`}</code>],
                  ['Folder', plan.folder],
                  ['Asked', <When key="asked" at={approval.created_at} />],
                  ['Expires', <When key="expires" at={approval.expires_at} />],
                  ['Decided', approval.decided_at && <When key="decided" at={approval.decided_at} />],
                  ['Reason', approval.reason],
                ]}
              />
              <CommandLine command={command} />
            </Section>
            {plan.requests.length > 0 && (
              <Section title="Requests, as they are sent">
                {plan.requests.map((request) => (
                  <div key={`${request.method} ${request.path} ${request.body}`}>
                    <p>
                      <code>
                        {request.method} {request.path}
                      </code>
                    </p>
                    {request.body !== null && (
                      <pre dir="auto">
                        <LongText text={request.body} limit={6000} />
                      </pre>
                    )}
                  </div>
                ))}
              </Section>
            )}
            {plan.steps && (
              <Section title="What it does">
                <p>
                  {Object.entries(plan.steps.allows)
                    .map(([name, count]) => `${name} at most ${count}`)
                    .join(', ')}
                </p>
                <JsonView value={plan.steps.content} label="Content" />
              </Section>
            )}
            {plan.stdin !== undefined && (
              <Section title="Standard input">
                <pre dir="auto">
                  <LongText text={plan.stdin} limit={6000} />
                </pre>
              </Section>
            )}
            {approval.state === 'pending' && <Decision approval={approval} reload={resource.reload} />}
          </>
        )
      }}
    </Loaded>
  )
}

/** Operations that wait for the approval of a person. */
export function ApprovalsPage() {
  const [id] = route.value.parts
  return (
    <>
      <PageHead title="Approvals">{id !== undefined && <a href={routePath('approvals')}>All operations</a>}</PageHead>
      {id === undefined ? <ApprovalList /> : <ApprovalDetail key={id} id={id} />}
    </>
  )
}
