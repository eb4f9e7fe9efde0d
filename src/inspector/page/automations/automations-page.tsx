import { useSignal } from '@preact/signals'
import { When } from '../app/clock-state.tsx'
import { route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { account, isReadOnly } from '../data/session.ts'
import { dateTime, prettyJson, words } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, PageHead, Section } from '../parts/fields.tsx'
import { openForm, parseFormJson } from '../parts/form-dialog.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import {
  type AutomationBrief,
  type AutomationRecord,
  flowsPath,
  type RunRecord,
  type RunSummary,
} from './automation-records.ts'
import { FlowGraph } from './flow-graph.tsx'
import { childrenOf, type FlowNode } from './flow-layout.ts'
import { RunDetail } from './run-detail.tsx'
import { Runs } from './runs.tsx'
import { Versions } from './versions.tsx'

/** The newest live run of an automation, with a link to it. */
function LastRun({ of: { id, last_run } }: { of: AutomationBrief }) {
  if (last_run === undefined) return null
  if (last_run === null) return <span class="muted">never ran</span>
  return (
    <span>
      <Badge status={last_run.status} />{' '}
      <a href={routePath('automations', [id, 'runs', last_run.id])}>
        <When at={last_run.start_time} />
      </a>
    </span>
  )
}

const failuresText = ({ recent_runs, recent_failures }: AutomationBrief): string =>
  recent_runs ? `${recent_failures ?? 0} of ${recent_runs}` : ''

const isFailing = (it: AutomationBrief): boolean => it.status === 'enabled' && it.last_run?.status === 'FAILED'

const failingFirst = (all: readonly AutomationBrief[]): readonly AutomationBrief[] => [
  ...all.filter(isFailing),
  ...all.filter((it) => !isFailing(it)),
]

/** Enabled automations whose last run failed, each with its reason and the way to the run. */
export function FailingAutomations() {
  const { answer } = useResource<{ data: readonly AutomationBrief[] }>(flowsPath, ['automation', 'run'])
  const failing = answer?.body.data.filter(isFailing) ?? []
  if (failing.length === 0) return null
  return (
    <Section title="Needs attention">
      <ul class="findings">
        {failing.map((automation) => (
          <li key={automation.id} class="failed">
            <p class="finding-title" dir="auto">
              <a href={routePath('automations', [automation.id])}>{automation.name}</a> <LastRun of={automation} />
            </p>
            <p dir="auto">{automation.last_run?.error}</p>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function AutomationList() {
  const resource = useResource<{ data: readonly AutomationBrief[] }>(flowsPath, ['automation', 'run'])
  const isRuns = route.value.parts[0] === 'runs'
  return (
    <>
      <PageHead title="Automations" />
      <Tabs
        label="Automations and runs"
        current={isRuns ? 'runs' : 'list'}
        items={[
          { name: 'list', title: 'Automations', href: routePath('automations') },
          { name: 'runs', title: 'All runs', href: routePath('automations', ['runs']) },
        ]}
      />
      {isRuns ? (
        <Runs />
      ) : (
        <Loaded resource={resource} what="Loading automations">
          {({ body: { data }, command }) =>
            data.length === 0 ? (
              <Empty title="No automations" command="parley automate templates">
                Create one from a template:
              </Empty>
            ) : (
              <>
                <Table
                  label="Automations, failing ones first"
                  rows={failingFirst(data)}
                  keyOf={(it) => it.id}
                  href={(it) => routePath('automations', [it.id])}
                  columns={[
                    { title: 'Name', cell: (it) => it.name },
                    { title: 'Status', cell: (it) => <Badge status={it.status} />, isState: true },
                    { title: 'Last run', cell: (it) => <LastRun of={it} /> },
                    { title: 'Failed runs', cell: failuresText },
                    { title: 'Error', cell: (it) => it.last_run?.error ?? '' },
                    {
                      title: 'Event',
                      cell: (it) => (it.binding ? `${words(it.binding.type)} of ${it.binding.assistant_name}` : ''),
                    },
                  ]}
                />
                <CommandLine command={command} />
              </>
            )
          }
        </Loaded>
      )}
    </>
  )
}

const findStep = (node: FlowNode | null | undefined, name: string): FlowNode | undefined => {
  if (!node) return undefined
  if (node.name === name) return node
  for (const { child } of childrenOf(node)) {
    const found = findStep(child, name)
    if (found) return found
  }
  return undefined
}

function Definition({ automation }: { automation: AutomationRecord }) {
  const chosen = useSignal<string>(String(automation.definition.name ?? 'trigger'))
  const step = findStep(automation.definition, chosen.value)
  return (
    <div class="graph-and-detail">
      <FlowGraph
        trigger={automation.definition}
        label={`Graph of ${automation.name}`}
        selected={chosen.value}
        onSelect={(item) => {
          chosen.value = item
        }}
      />
      {step && (
        <Section title={step.displayName || chosen.value} aside={<span class="muted">{chosen.value}</span>}>
          <Fields items={[['Type', step.type]]} />
          <JsonView value={step.settings} label={`Settings of ${chosen.value}`} />
        </Section>
      )}
    </div>
  )
}

const tabs = [
  { name: 'graph', title: 'Graph' },
  { name: 'versions', title: 'Versions' },
  { name: 'runs', title: 'Runs' },
] as const

/** Opens a form that triggers the event of an automation with an edited payload. */
function openTestForm(automation: AutomationRecord, payload: unknown): void {
  const { binding } = automation
  if (!binding) return
  openForm({
    title: `Test "${automation.name}"`,
    isWide: true,
    note: (
      <p>
        This triggers the event {words(binding.type)} of assistant "{binding.assistant_name}". The automation runs for
        real: it may send messages and requests.
      </p>
    ),
    fields: [{ name: 'payload', label: 'Payload (JSON)', kind: 'long', value: prettyJson(payload ?? {}) }],
    label: 'Run with this payload',
    toAction({ payload: text = '' }) {
      const parsed = parseFormJson(text)
      if (typeof parsed === 'string') return parsed
      return {
        method: 'POST',
        path: '/control/events',
        body: {
          kind: binding.type,
          account: account.value,
          assistant_id: binding.assistant_id,
          payload: parsed.value,
        },
        label: 'Run with this payload',
      }
    },
  })
}

function AutomationDetail({ id, tab, run }: { id: string; tab: string; run: string | undefined }) {
  const resource = useResource<{ data: AutomationRecord }>(`${flowsPath}/${id}`, ['automation'])
  const last = useResource<{ data: readonly RunSummary[] }>(`/api/user/automate/runs?automation_id=${id}&limit=1`, [
    'run',
  ])
  const lastId = last.answer?.body.data[0]?.id
  const lastRun = useResource<{ data: RunRecord }>(lastId ? `/api/user/automate/runs/${lastId}?full=true` : null)
  return (
    <Loaded resource={resource} what="Loading the automation">
      {({ body: { data: automation }, command }) => (
        <>
          <PageHead
            title={automation.name}
            note={
              <>
                <Badge status={automation.status} />{' '}
                {automation.binding && `${words(automation.binding.type)} of ${automation.binding.assistant_name} · `}
                Updated {dateTime(automation.updated_at)}
              </>
            }
          >
            {automation.binding && !isReadOnly.value && (
              <button type="button" onClick={() => openTestForm(automation, lastRun.answer?.body.data.trigger)}>
                Test with a payload…
              </button>
            )}
            {!isReadOnly.value && (
              <button
                type="button"
                onClick={() => {
                  const isOn = automation.status === 'enabled'
                  act({
                    method: 'PUT',
                    path: `${flowsPath}/${id}`,
                    body: { enabled: !isOn },
                    label: isOn ? 'Disable' : 'Enable',
                    done: () => `${isOn ? 'Disabled' : 'Enabled'} "${automation.name}".`,
                  })
                }}
              >
                {automation.status === 'enabled' ? 'Disable' : 'Enable'}
              </button>
            )}
          </PageHead>
          <Tabs
            label="Parts of the automation"
            current={tab}
            items={tabs.map((tab) => ({
              ...tab,
              href: routePath('automations', tab.name === 'graph' ? [id] : [id, tab.name]),
            }))}
          />
          {tab === 'versions' ? (
            <Versions automation={id} name={automation.name} />
          ) : tab === 'runs' && run ? (
            <RunDetail key={run} run={run} automation={id} />
          ) : tab === 'runs' ? (
            <Runs automation={id} />
          ) : (
            <>
              <Definition key={automation.updated_at} automation={automation} />
              <CommandLine command={command} />
            </>
          )}
        </>
      )}
    </Loaded>
  )
}

/** A run whose automation is not part of the address. */
function RunById({ id }: { id: string }) {
  const resource = useResource<{ data: RunRecord }>(`/api/user/automate/runs/${id}`)
  return (
    <Loaded resource={resource} what="Loading the run">
      {({ body: { data } }) => <AutomationDetail id={data.automation_id} tab="runs" run={id} />}
    </Loaded>
  )
}

/** Automations as graphs, with their versions and runs. */
export function AutomationsPage() {
  const [id, tab = 'graph', run] = route.value.parts
  if (id === 'runs' && route.value.parts[1]) return <RunById id={tab} />
  if (id === undefined || id === 'runs') return <AutomationList />
  return <AutomationDetail key={id} id={id} tab={tab} run={run} />
}
