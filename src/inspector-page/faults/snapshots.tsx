import { useSignal } from '@preact/signals'
import { resync } from '../data/changes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { dateTime, plainText } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Section } from '../parts/fields.tsx'
import { openForm } from '../parts/form-dialog.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

interface Snapshot {
  readonly name: string
  readonly status: string
  readonly saved_at: string
  readonly time: string | null
  readonly bytes: number
  readonly seed: number | null
  readonly accounts: number | null
  readonly numbers: number | null
}

const size = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const rows: readonly { readonly title: string; readonly value: (it: Snapshot) => string }[] = [
  { title: 'Saved', value: (it) => dateTime(it.saved_at) },
  { title: 'Time of the platform', value: (it) => (it.time ? dateTime(it.time) : '–') },
  { title: 'Accounts', value: (it) => plainText(it.accounts) },
  { title: 'Numbers', value: (it) => plainText(it.numbers) },
  { title: 'Seed', value: (it) => plainText(it.seed) },
  { title: 'Size', value: (it) => size(it.bytes) },
]

/** Two snapshots side by side. Values that differ are marked. */
function Compare({ snapshots }: { snapshots: readonly Snapshot[] }) {
  const names = useSignal<readonly [string, string]>([snapshots[1]?.name ?? '', snapshots[0]?.name ?? ''])
  const [left, right] = names.value.map((name) => snapshots.find((it) => it.name === name) ?? snapshots[0])
  const choose = (at: 0 | 1, label: string) => (
    <label class="field inline">
      <span>{label}</span>
      <select
        value={names.value[at]}
        onChange={(event) => {
          const name = event.currentTarget.value
          names.value = at === 0 ? [name, names.value[1]] : [names.value[0], name]
        }}
      >
        {snapshots.map((it) => (
          <option key={it.name} value={it.name}>
            {it.name}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <h3>Compare</h3>
      <div class="actions">
        {choose(0, 'First')}
        {choose(1, 'Second')}
      </div>
      {left && right && (
        <Table
          label="Comparison of two snapshots"
          rows={rows}
          keyOf={(it) => it.title}
          columns={[
            { title: 'Property', cell: (it) => it.title },
            { title: left.name, cell: (it) => it.value(left) },
            {
              title: right.name === left.name ? `${right.name} (again)` : right.name,
              cell: (it) => (it.value(left) === it.value(right) ? it.value(right) : <mark>{it.value(right)}</mark>),
            },
          ]}
        />
      )}
    </>
  )
}

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
  const restore = async (it: Snapshot): Promise<void> => {
    const done = await act({
      method: 'POST',
      path: `/control/snapshots/${encodeURIComponent(it.name)}/restore`,
      label: 'Restore the snapshot',
      question: `Restore the snapshot "${it.name}"?`,
      preview: (
        <p>
          All data goes back to {dateTime(it.saved_at)}. Later changes are lost. API keys that were created later stop
          working.
        </p>
      ),
    })
    if (done) resync()
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
                rows={data}
                keyOf={(it) => it.name}
                columns={[
                  { title: 'Name', cell: (it) => <b>{it.name}</b> },
                  { title: 'State', cell: (it) => <Badge status={it.status} /> },
                  { title: 'Saved', cell: (it) => dateTime(it.saved_at) },
                  { title: 'Size', cell: (it) => size(it.bytes), isNumber: true },
                  ...(isReadOnly.value
                    ? []
                    : [
                        {
                          title: 'Actions',
                          cell: (it: Snapshot) => (
                            <span class="actions">
                              <button type="button" onClick={() => restore(it)} aria-label={`Restore ${it.name}`}>
                                Restore…
                              </button>
                              <button
                                type="button"
                                aria-label={`Delete ${it.name}`}
                                onClick={() =>
                                  act({
                                    method: 'DELETE',
                                    path: `/control/snapshots/${encodeURIComponent(it.name)}`,
                                    label: 'Delete',
                                    question: `Delete the snapshot "${it.name}"?`,
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
            {data.length > 1 && <Compare snapshots={data} />}
            <CommandLine command={command} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
