import { useSignal } from '@preact/signals'
import { maskText } from '../../../contract/values/mask-text.ts'
import { useResource } from '../data/resource.ts'
import { CommandLine } from '../parts/command-line.tsx'
import { Empty, Loaded } from '../parts/states.tsx'

/** Copy of what `snapshots.compare` answers (contract/control/snapshots.ts). */
interface Difference {
  readonly resource: string
  readonly created: number
  readonly changed: number
  readonly deleted: number
  readonly records: readonly {
    readonly change: 'created' | 'changed' | 'deleted'
    readonly id: string
    readonly name: string | null
    readonly fields: readonly {
      readonly field: string
      readonly before: string | null
      readonly after: string | null
    }[]
  }[]
}

const tones = { created: 'good', changed: 'pending', deleted: 'bad' } as const

function Changes({ difference: { resource, created, changed, deleted, records } }: { difference: Difference }) {
  const counts = [
    [created, 'created'],
    [changed, 'changed'],
    [deleted, 'deleted'],
  ] as const
  const rest = created + changed + deleted - records.length
  return (
    <details class="difference" open={records.length <= 5}>
      <summary>
        <b>{resource}</b>{' '}
        {counts
          .filter(([count]) => count > 0)
          .map(([count, word]) => `${count} ${word}`)
          .join(', ')}
      </summary>
      <ul>
        {records.map((record) => (
          <li key={`${record.change} ${record.id}`}>
            <span class={`badge ${tones[record.change]}`}>{record.change}</span>{' '}
            <span dir="auto">{record.name ?? `Record ${record.id}`}</span>{' '}
            {record.name !== null && <span class="muted">{record.id}</span>}
            {record.fields.length > 0 && (
              <dl class="changed-fields">
                {record.fields.map(({ field, before, after }) => (
                  <div key={field}>
                    <dt>{field}</dt>
                    <dd dir="auto">
                      {before === maskText && after === maskText ? (
                        'changed, not shown'
                      ) : (
                        <>
                          <del>{before ?? 'not set'}</del> → <ins>{after ?? 'not set'}</ins>
                        </>
                      )}
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="muted">{rest} more. The command shows them with --limit.</p>}
    </details>
  )
}

/** Compares a snapshot with another, or with the current data: what was created, changed and deleted. */
export function SnapshotComparison({ names }: { names: readonly string[] }) {
  const from = useSignal(names[0] ?? '')
  const to = useSignal('')
  const path = useSignal<string | null>(null)
  const resource = useResource<{ data: readonly Difference[] }>(path.value)
  // The chosen snapshot may have been deleted.
  const chosenFrom = names.includes(from.value) ? from.value : (names[0] ?? '')
  const choose = (chosen: typeof from, label: string, present: boolean) => (
    <label class="field inline">
      <span>{label}</span>
      <select
        value={present ? chosen.value : chosenFrom}
        onChange={(event) => {
          chosen.value = event.currentTarget.value
          path.value = null
        }}
      >
        {present && <option value="">Current data</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <h3>Compare</h3>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault()
          const query = to.value === '' ? '' : `?to=${encodeURIComponent(to.value)}`
          const next = `/control/snapshots/${encodeURIComponent(chosenFrom)}/compare${query}`
          if (next === path.value) resource.reload()
          path.value = next
        }}
      >
        {choose(from, 'From', false)}
        {choose(to, 'To', true)}
        <button type="submit">Compare</button>
      </form>
      {path.value !== null && (
        <Loaded resource={resource} what="Comparing">
          {({ body: { data }, command }) => (
            <>
              {data.length === 0 ? (
                <Empty title="No differences" />
              ) : (
                data.map((it) => <Changes key={it.resource} difference={it} />)
              )}
              <CommandLine command={command} />
            </>
          )}
        </Loaded>
      )}
    </>
  )
}
