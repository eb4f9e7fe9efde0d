import { useSignal } from '@preact/signals'
import { platformNow } from '../app/clock-state.tsx'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { dateTime, milliseconds, relativeTime, words } from '../data/values.ts'
import { Badge, toneOf } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Bars } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import type { RunSummary } from './automation-records.ts'

const statuses = ['', 'FAILED', 'PAUSED', 'RUNNING', 'SUCCEEDED', 'CANCELLED']
const pageSize = 50

/** Runs of one automation, or of all, newest first. Runs that wait are those with the status paused. */
export function Runs({ automation }: { automation?: string }) {
  const status = useSignal('')
  const limit = useSignal(pageSize)
  const query = new URLSearchParams({ limit: String(Math.min(100, limit.value)) })
  if (automation) query.set('automation_id', automation)
  if (status.value) query.set('status', status.value)
  const resource = useResource<{ data: readonly RunSummary[]; next_cursor: string | null }>(
    `/api/user/automate/runs?${query}`,
    ['run'],
  )
  return (
    <>
      <fieldset class="chips filters">
        <legend class="hidden">Status of the runs</legend>
        {statuses.map((it) => (
          <button
            key={it}
            type="button"
            aria-pressed={status.value === it}
            onClick={() => {
              status.value = it
            }}
          >
            {it === '' ? 'all' : it === 'PAUSED' ? 'waiting' : words(it)}
          </button>
        ))}
      </fieldset>
      <Loaded resource={resource} what="Loading runs">
        {({ body, command }) => {
          if (body.data.length === 0)
            return (
              <Empty title={status.value ? `No runs with the status ${words(status.value)}` : 'No runs yet'}>
                A run starts when the trigger of the automation fires.
              </Empty>
            )
          const counts = new Map<string, number>()
          for (const it of body.data) counts.set(it.status, (counts.get(it.status) ?? 0) + 1)
          return (
            <>
              {!status.value && (
                <Bars
                  label="Runs by status"
                  items={[...counts].map(([name, value]) => ({
                    label: words(name),
                    value,
                    text: String(value),
                    tone: toneOf(name),
                  }))}
                />
              )}
              <Table
                label="Runs, newest first"
                rows={body.data}
                keyOf={(it) => it.id}
                href={(it) => routePath('automations', [it.automation_id, 'runs', it.id])}
                columns={[
                  { title: 'Started', cell: (it) => dateTime(it.start_time) },
                  { title: 'Age', cell: (it) => relativeTime(it.start_time, platformNow.value) },
                  ...(automation ? [] : [{ title: 'Automation', cell: (it: RunSummary) => it.automation_name }]),
                  {
                    title: 'Status',
                    cell: (it) => (
                      <>
                        <Badge status={it.status} /> {it.testing && <span class="muted">test</span>}
                      </>
                    ),
                  },
                  { title: 'Error', cell: (it) => it.error ?? '' },
                  { title: 'Version', cell: (it) => it.version ?? 'draft', isNumber: true },
                  { title: 'Duration', cell: (it) => milliseconds(it.duration_ms), isNumber: true },
                ]}
              />
              {body.next_cursor && limit.value < 100 && (
                <p>
                  <button
                    type="button"
                    onClick={() => {
                      limit.value += pageSize
                    }}
                  >
                    Show more
                  </button>
                </p>
              )}
              <CommandLine command={command} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
