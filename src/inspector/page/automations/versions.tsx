import { navigate, route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { isReadOnly } from '../data/session.ts'
import { dateTime } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Section } from '../parts/fields.tsx'
import { Searchable } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { flowsPath, type VersionBrief } from './automation-records.ts'
import { VersionChanges } from './version-changes.tsx'

function changesText({ changes, restored_from }: VersionBrief): string {
  if (restored_from !== null) return `Restored from version ${restored_from}`
  if (changes === null) return 'First version'
  const parts = [
    ...changes.added.map((it) => `added ${it}`),
    ...changes.removed.map((it) => `removed ${it}`),
    ...changes.moved.map((it) => `moved ${it}`),
    ...changes.changed.map((it) => `changed ${it.step}`),
  ]
  return parts.length === 0 ? 'No steps changed' : parts.join(', ')
}

/** Published versions of an automation: compare any two, and restore one after seeing what changes. */
export function Versions({ automation, name }: { automation: string; name: string }) {
  const resource = useResource<{ versions: readonly VersionBrief[] }>(`${flowsPath}/${automation}/versions?limit=50`, [
    'automation',
  ])
  return (
    <Loaded resource={resource} what="Loading versions">
      {({ body: { versions }, command }) => {
        const live = versions.find((it) => it.live)
        if (versions.length === 0)
          return <Empty title="No published versions">A version is created when the automation is published.</Empty>
        const to = Number(route.value.query.to) || versions[0]?.number || 1
        const from = Number(route.value.query.from) || versions.find((it) => it.number < to)?.number || to
        const compare = (query: { from?: number; to?: number }): void =>
          navigate(
            routePath('automations', [automation, 'versions'], {
              from: String(query.from ?? from),
              to: String(query.to ?? to),
            }),
            { replace: true },
          )
        const restore = (version: VersionBrief): Promise<unknown> =>
          act({
            method: 'POST',
            path: `${flowsPath}/${automation}/versions/${version.number}/restore`,
            ...(live && { headers: { 'Parley-If-Version': live.id } }),
            label: `Restore version ${version.number}`,
            question: `Restore version ${version.number} of "${name}"?`,
            preview: live && (
              <>
                <p>
                  The live version {live.number} is replaced. The next trigger uses the restored version, and runs in
                  progress keep theirs.
                </p>
                <VersionChanges automation={automation} from={live.number} to={version.number} showsGraph={false} />
              </>
            ),
            done: () => `Restored version ${version.number} of "${name}".`,
          })
        const options = versions.map((version) => (
          <option key={version.number} value={version.number}>
            {`Version ${version.number}${version.live ? ' (live)' : ''}`}
          </option>
        ))
        return (
          <>
            <Searchable
              label="Versions, newest first"
              rows={versions}
              textOf={(version) => [
                `Version ${version.number}`,
                version.live ? 'live' : '',
                dateTime(version.published_at),
                changesText(version),
              ]}
            >
              {(found) => (
                <ul class="rows section">
                  {found.map(({ row: version }) => (
                    <li key={version.number}>
                      <b>Version {version.number}</b>
                      {version.live && <Badge status="live" />}
                      <span class="muted">{dateTime(version.published_at)}</span>
                      <span class="grow" dir="auto">
                        {changesText(version)}
                      </span>
                      {!version.live && live && (
                        <button type="button" onClick={() => compare({ from: live.number, to: version.number })}>
                          Compare with live
                        </button>
                      )}
                      {!version.live && !isReadOnly.value && (
                        <button type="button" onClick={() => restore(version)}>
                          Restore…
                        </button>
                      )}
                    </li>
                  ))}
                </ul>
              )}
            </Searchable>
            {versions.length > 1 && (
              <Section
                title="Compare"
                aside={
                  <div class="actions">
                    <label class="field inline">
                      <span>From</span>
                      <select value={from} onChange={(event) => compare({ from: Number(event.currentTarget.value) })}>
                        {options}
                      </select>
                    </label>
                    <label class="field inline">
                      <span>To</span>
                      <select value={to} onChange={(event) => compare({ to: Number(event.currentTarget.value) })}>
                        {options}
                      </select>
                    </label>
                  </div>
                }
              >
                <VersionChanges automation={automation} from={from} to={to} />
              </Section>
            )}
            <CommandLine command={command} />
          </>
        )
      }}
    </Loaded>
  )
}
