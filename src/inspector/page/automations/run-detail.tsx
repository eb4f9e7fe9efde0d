import { useSignal } from '@preact/signals'
import { platformNow } from '../app/clock-state.tsx'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { dateTime, milliseconds, relativeTime } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, Section } from '../parts/fields.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Loaded } from '../parts/states.tsx'
import { flowsPath, type RunRecord, type RunStep } from './automation-records.ts'
import { FlowGraph, type StepMark } from './flow-graph.tsx'
import type { FlowNode } from './flow-layout.ts'
import { RunActions } from './run-actions.tsx'

function marksOf(run: RunRecord): Record<string, StepMark> {
  const marks: Record<string, StepMark> = {}
  for (const step of run.steps) {
    const known = marks[step.name]
    // A step in a loop ran several times: a failure is what matters.
    if (known?.status !== 'FAILED') marks[step.name] = { status: step.status, durationMs: step.duration_ms }
  }
  return marks
}

function StepDetail({ step }: { step: RunStep }) {
  return (
    <>
      {step.error && (
        <div class="notice bad">
          <b>{step.error}</b>
          {step.error_line && (
            <pre class="error-line">
              {step.error_line.number}: {step.error_line.text}
            </pre>
          )}
        </div>
      )}
      {step.earlier_errors.length > 0 && (
        <>
          <h3>Earlier attempts</h3>
          <ul>
            {step.earlier_errors.map((error) => (
              <li key={error.attempt}>
                Attempt {error.attempt} failed {dateTime(error.failed_at)}: <span dir="auto">{error.error}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Fields
        items={[
          ['Started', dateTime(step.started_at)],
          ['Duration', milliseconds(step.duration_ms)],
          ['Attempts', String(step.attempts)],
          ['Path taken', step.branches?.join(', ')],
          ['Iterations', step.iterations && String(step.iterations.length)],
          [
            'Continues',
            step.wakes_at && `${dateTime(step.wakes_at)} (${relativeTime(step.wakes_at, platformNow.value)})`,
          ],
          ['Expressions without a value', step.unresolved.join(', ')],
        ]}
      />
      {[
        { title: 'Input', value: step.input },
        { title: 'Output', value: step.output },
      ].map(({ title, value }) =>
        value === null || value === undefined ? (
          <p key={title} class="muted">
            No {title.toLowerCase()} recorded.
          </p>
        ) : (
          <div key={title}>
            <h3>{title}</h3>
            <JsonView value={value} label={`${title} of ${step.path}`} />
          </div>
        ),
      )}
      {step.log.length > 0 && (
        <>
          <h3>Console</h3>
          <JsonView value={step.log.join('\n')} label={`Console of ${step.path}`} />
        </>
      )}
    </>
  )
}

/** One run: the path it took through the graph, and each step with its input, output and error. */
export function RunDetail({ run: id, automation }: { run: string; automation: string }) {
  const isFull = useSignal(false)
  const chosen = useSignal<string | undefined>(undefined)
  const resource = useResource<{ data: RunRecord }>(
    `/api/user/automate/runs/${id}${isFull.value ? '?full=true' : ''}`,
    ['run'],
  )
  const version = resource.answer?.body.data.version
  const definition = useResource<{ data: { definition: FlowNode } }>(
    resource.answer === undefined
      ? null
      : version === null
        ? `${flowsPath}/${automation}?draft=true`
        : `${flowsPath}/${automation}/versions/${version}`,
  )
  return (
    <Loaded resource={resource} what="Loading the run">
      {({ body: { data: run }, command }) => {
        const failed = run.steps.find((it) => it.status === 'FAILED')
        const name = chosen.value ?? failed?.name ?? run.steps.at(-1)?.name
        const steps = run.steps.filter((it) => it.name === name)
        const waits = run.steps.find((it) => it.wakes_at !== null)
        return (
          <>
            <Section
              title={`Run of ${dateTime(run.start_time)}`}
              aside={
                <span>
                  {run.testing && <span class="tag">test</span>} <Badge status={run.status} />
                </span>
              }
            >
              {run.error && (
                <p class="notice bad" dir="auto">
                  {run.error}
                </p>
              )}
              {waits?.wakes_at && (
                <p class="notice warning">
                  Step "{waits.display_name ?? waits.name}" waits until {dateTime(waits.wakes_at)} (
                  {relativeTime(waits.wakes_at, platformNow.value)}). <a href={routePath('clock')}>Advance the clock</a>
                </p>
              )}
              <div class="actions">
                <RunActions run={run} />
                {run.version !== null && (
                  <a class="button" href={routePath('automations', [run.automation_id, 'versions'])}>
                    Restore a version
                  </a>
                )}
              </div>
              <Fields
                items={[
                  ['Version', run.version === null ? 'draft' : String(run.version)],
                  ['Duration', milliseconds(run.duration_ms)],
                  ['Steps', String(run.steps.length + run.steps_omitted)],
                  ['Id', run.id],
                ]}
              />
              <CommandLine command={command} />
            </Section>
            <div class="graph-and-detail">
              <Loaded resource={definition} what="Loading the graph">
                {(answer) => (
                  <FlowGraph
                    trigger={answer.body.data.definition}
                    label="Path of the run"
                    marks={marksOf(run)}
                    selected={name}
                    onSelect={(name) => {
                      chosen.value = name
                    }}
                  />
                )}
              </Loaded>
              <div>
                {steps.length === 0 && name !== undefined && (
                  <Section title={name}>
                    {name === 'trigger' ? (
                      <JsonView value={run.trigger} label="Payload of the step trigger" />
                    ) : (
                      <p class="muted">The run did not reach this step.</p>
                    )}
                  </Section>
                )}
                {steps.map((step) => (
                  <Section
                    key={step.path}
                    title={step.display_name ?? step.path}
                    aside={
                      <span>
                        <span class="muted">{step.path}</span> <Badge status={step.status} />
                      </span>
                    }
                  >
                    <StepDetail step={step} />
                  </Section>
                ))}
              </div>
            </div>
            <div class="columns">
              <Section title="Trigger">
                <JsonView value={run.trigger} label="Payload of the trigger" />
              </Section>
              {run.response !== null && (
                <Section title="Response">
                  <JsonView value={run.response} label="Response of the run" />
                </Section>
              )}
            </div>
            {run.shortened && (
              <button
                type="button"
                onClick={() => {
                  isFull.value = true
                }}
              >
                Show long values and all steps
              </button>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
