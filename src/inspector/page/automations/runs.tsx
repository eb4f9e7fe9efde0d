import { toneOf } from '../../../contract/values/states.ts'
import { When } from '../app/clock-state.tsx'
import { queryValue } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { milliseconds, words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { CursorPager, FilterChips } from '../parts/list-controls.tsx'
import { Bars } from '../parts/plot.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import type { RunSummary } from './automation-records.ts'

const statuses = ['', 'FAILED', 'PAUSED', 'RUNNING', 'SUCCEEDED', 'CANCELLED']
const pageSize = 50

/** Runs of one automation, or of all, newest first. Runs that wait are those with the status paused. */
export function Runs({ automation }: { automation?: string }) {
  const status = queryValue('status')
  const cursor = queryValue('cursor')
  const query = new URLSearchParams({ limit: String(pageSize) })
  if (cursor) query.set('cursor', cursor)
  if (automation) query.set('automation_id', automation)
  if (status) query.set('status', status)
  const resource = useResource<{ data: readonly RunSummary[]; next_cursor: string | null }>(
    `/api/user/automate/runs?${query}`,
    ['run'],
  )
  return (
    <>
      <FilterChips label="Status of the runs" name="status" values={statuses} />
      <Loaded resource={resource} what="Loading runs">
        {({ body, command }) => {
          if (body.data.length === 0)
            return (
              <Empty title={status ? `No runs with the status ${words(status)}` : 'No runs yet'}>
                A run starts when the trigger of the automation fires.
              </Empty>
            )
          const counts = new Map<string, number>()
          for (const run of body.data) counts.set(run.status, (counts.get(run.status) ?? 0) + 1)
          return (
            <>
              {!status && (body.next_cursor || cursor) && (
                <p class="muted">
                  {cursor ? 'These' : 'The newest'} {body.data.length} runs by status:
                </p>
              )}
              {!status && (
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
                  ...(automation ? [] : [{ title: 'Automation', cell: (it: RunSummary) => it.automation_name }]),
                  { title: 'Started', cell: (it) => <When at={it.start_time} /> },
                  {
                    title: 'Status',
                    cell: (run) => (
                      <>
                        <Badge status={run.status} /> {run.testing && <span class="muted">test</span>}
                      </>
                    ),
                    isState: true,
                  },
                  { title: 'Error', cell: (it) => it.error ?? '' },
                  { title: 'Version', cell: (it) => it.version ?? 'draft', isNumber: true },
                  { title: 'Duration', cell: (it) => milliseconds(it.duration_ms), isNumber: true },
                ]}
              />
              <CursorPager next={body.next_cursor} />
              <CommandLine command={command} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
