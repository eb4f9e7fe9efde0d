import { When } from '../app/clock-state.tsx'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead, Section } from '../parts/fields.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { describeFault, type Fault } from './describe-fault.ts'
import { openFaultForm } from './fault-form.ts'
import { Snapshots } from './snapshots.tsx'

function FaultRules() {
  const resource = useResource<{ data: readonly Fault[] }>('/control/faults', ['fault', 'request'])
  return (
    <Section
      title="Fault rules"
      aside={
        !isReadOnly.value && (
          <div class="actions">
            {(resource.answer?.body.data.length ?? 0) > 0 && (
              <button
                type="button"
                onClick={() =>
                  act({
                    method: 'DELETE',
                    path: '/control/faults',
                    label: 'Delete all',
                    question: 'Delete all fault rules?',
                  }).then(resource.reload)
                }
              >
                Delete all…
              </button>
            )}
            <button type="button" class="primary" onClick={() => openFaultForm(resource.reload)}>
              Create a fault rule…
            </button>
          </div>
        )
      }
    >
      <Loaded resource={resource} what="Loading fault rules">
        {({ body: { data }, command }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No fault rules">A fault rule makes matching requests fail on purpose.</Empty>
            ) : (
              <Table
                label="Fault rules"
                rows={data}
                keyOf={(it) => it.id}
                columns={[
                  { title: 'Endpoint', cell: (it) => <code>{it.endpoint}</code> },
                  { title: 'Effect', cell: describeFault },
                  {
                    title: 'State',
                    cell: (fault) =>
                      fault.times !== null && fault.fired >= fault.times ? (
                        <Badge status="exhausted" />
                      ) : (
                        <Badge status="warning" text="active" />
                      ),
                    isState: true,
                  },
                  {
                    title: 'Triggered',
                    cell: (it) => (it.times === null ? String(it.fired) : `${it.fired} of ${it.times}`),
                    isNumber: true,
                  },
                  { title: 'Matching requests', cell: (it) => it.met, isNumber: true },
                  { title: 'Created', cell: (it) => <When at={it.created_at} /> },
                  ...(isReadOnly.value
                    ? []
                    : [
                        {
                          title: 'Action',
                          cell: (fault: Fault) => (
                            <button
                              type="button"
                              aria-label={`Delete the fault rule of ${fault.endpoint}`}
                              onClick={() =>
                                act({ method: 'DELETE', path: `/control/faults/${fault.id}`, label: 'Delete' }).then(
                                  resource.reload,
                                )
                              }
                            >
                              Delete
                            </button>
                          ),
                        },
                      ]),
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

/** Fault rules and snapshots of the local platform. */
export function FaultsPage() {
  return (
    <>
      <PageHead title="Faults and snapshots" />
      <FaultRules />
      <Snapshots />
    </>
  )
}
