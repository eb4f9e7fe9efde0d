import { resync } from '../data/changes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly, loadSession } from '../data/session.ts'
import { dateTime } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Section } from '../parts/fields.tsx'
import { openForm } from '../parts/form-dialog.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { SnapshotComparison } from './snapshot-comparison.tsx'

/** Copy of the fields of contract/control/snapshots.ts that the page shows. */
interface Snapshot {
  readonly name: string
  readonly status: string
  readonly saved_at: string
  readonly time: string | null
  readonly bytes: number
}

const size = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** Snapshots: save, compare, restore. */
export function Snapshots() {
  const resource = useResource<{ data: readonly Snapshot[] }>('/control/snapshots', ['snapshot'])
  const save = (): void =>
    openForm({
      title: 'Save a snapshot',
      fields: [{ name: 'name', label: 'Name (optional)', hint: 'Lower-case letters, digits, dots and hyphens' }],
      label: 'Save',
      toAction: ({ name }) => ({
        method: 'POST',
        path: '/control/snapshots',
        body: { ...(name && { name }) },
        label: 'Save',
      }),
      onDone: resource.reload,
    })
  const restore = async (snapshot: Snapshot): Promise<void> => {
    const done = await act({
      method: 'POST',
      path: `/control/snapshots/${encodeURIComponent(snapshot.name)}/restore`,
      label: 'Restore the snapshot',
      question: `Restore the snapshot "${snapshot.name}"?`,
      preview: (
        <p>
          All data goes back to {dateTime(snapshot.saved_at)}. Later changes are lost. API keys that were created later
          stop working.
        </p>
      ),
    })
    if (!done) return
    await loadSession()
    resync()
  }
  return (
    <Section
      title="Snapshots"
      aside={
        !isReadOnly.value && (
          <button type="button" class="primary" onClick={save}>
            Save a snapshot…
          </button>
        )
      }
    >
      <Loaded resource={resource} what="Loading snapshots">
        {({ body: { data }, command }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No snapshots">A snapshot is a copy of everything the local platform holds.</Empty>
            ) : (
              <Table
                label="Snapshots, newest first"
                find="snapshot"
                rows={data}
                keyOf={(it) => it.name}
                columns={[
                  { title: 'Name', cell: (it) => <b>{it.name}</b> },
                  { title: 'State', cell: (it) => <Badge status={it.status} />, isState: true },
                  { title: 'Saved', cell: (it) => dateTime(it.saved_at) },
                  { title: 'Platform time', cell: (it) => (it.time ? dateTime(it.time) : '–') },
                  { title: 'Size', cell: (it) => size(it.bytes), isNumber: true },
                  ...(isReadOnly.value
                    ? []
                    : [
                        {
                          title: 'Actions',
                          cell: (snapshot: Snapshot) => (
                            <span class="actions">
                              <button
                                type="button"
                                onClick={() => restore(snapshot)}
                                aria-label={`Restore ${snapshot.name}`}
                              >
                                Restore…
                              </button>
                              <button
                                type="button"
                                aria-label={`Delete ${snapshot.name}`}
                                onClick={() =>
                                  act({
                                    method: 'DELETE',
                                    path: `/control/snapshots/${encodeURIComponent(snapshot.name)}`,
                                    label: 'Delete',
                                    question: `Delete the snapshot "${snapshot.name}"?`,
                                  }).then(resource.reload)
                                }
                              >
                                Delete…
                              </button>
                            </span>
                          ),
                        },
                      ]),
                ]}
              />
            )}
            <CommandLine command={command} />
            {data.length > 0 && <SnapshotComparison names={data.map((it) => it.name)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}
