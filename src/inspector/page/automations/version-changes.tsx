import { useResource } from '../data/resource.ts'
import { Loaded } from '../parts/states.tsx'
import { flowsPath } from './automation-records.ts'
import { FlowGraph, type StepMark } from './flow-graph.tsx'
import type { FlowNode } from './flow-layout.ts'
import { compareLines, compareVersions, type StepChange, summarizeChanges } from './version-diff.ts'

const FieldDiff = ({ before, after, path }: StepChange['fields'][number]) => (
  <>
    <p class="field-path">{path}</p>
    <pre class="diff" dir="auto">
      {compareLines(before, after).map((line, at) => (
        <span key={at} class={line.mark === '+' ? 'added' : line.mark === '-' ? 'removed' : ''}>
          {`${line.mark} ${line.text}\n`}
        </span>
      ))}
    </pre>
  </>
)

/** Which steps differ between two definitions, field by field. */
const ChangeList = ({ changes }: { changes: readonly StepChange[] }) => (
  <>
    <p>{summarizeChanges(changes)}</p>
    {changes.map((change) => (
      <details key={`${change.change} ${change.step}`} open={changes.length < 5}>
        <summary>
          <span class={`change ${change.change}`}>{change.change}</span> <b dir="auto">{change.title}</b>{' '}
          <span class="muted">{change.step}</span>
        </summary>
        {change.fields.map((field) => (
          <FieldDiff key={field.path} {...field} />
        ))}
      </details>
    ))}
  </>
)

/** What changes from one version to another, as a list and as a graph. */
export function VersionChanges({
  automation,
  from,
  to,
  showsGraph = true,
}: {
  automation: string
  from: number
  to: number
  showsGraph?: boolean
}) {
  type Version = { data: { definition: FlowNode } }
  const before = useResource<Version>(`${flowsPath}/${automation}/versions/${from}`)
  const after = useResource<Version>(`${flowsPath}/${automation}/versions/${to}`)
  return (
    <Loaded resource={before} what="Loading the versions">
      {(old) => (
        <Loaded resource={after} what="Loading the versions">
          {(now) => {
            const changes = compareVersions(old.body.data.definition, now.body.data.definition)
            const marks: Record<string, StepMark> = Object.fromEntries(
              changes.map((it) => [it.step, { change: it.change }]),
            )
            return (
              <>
                <ChangeList changes={changes} />
                {showsGraph && (
                  <div class="columns">
                    <div>
                      <h3>Version {from}</h3>
                      <FlowGraph trigger={old.body.data.definition} label={`Graph of version ${from}`} marks={marks} />
                    </div>
                    <div>
                      <h3>Version {to}</h3>
                      <FlowGraph trigger={now.body.data.definition} label={`Graph of version ${to}`} marks={marks} />
                    </div>
                  </div>
                )}
              </>
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}
