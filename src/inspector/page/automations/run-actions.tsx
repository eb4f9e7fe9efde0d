import { maskText } from '../../../contract/values/mask-text.ts'
import { isReadOnly } from '../data/session.ts'
import { prettyJson, words } from '../data/values.ts'
import { type Action, act } from '../parts/action.tsx'
import { openForm, parseFormJson } from '../parts/form-dialog.tsx'
import { type CancelledRun, flowsPath, type RunRecord, type RunSummary } from './automation-records.ts'

const rerunAction = ({ id }: RunRecord, payload?: unknown): Action => ({
  method: 'POST',
  path: `/api/user/automate/runs/${id}/rerun`,
  // The gateway has asked for it.
  body: { confirm_side_effects: true, ...(payload !== undefined && { payload }) },
  label: 'Run again',
  done({ body }) {
    const { data } = body as { data: RunSummary }
    return `Started run ${data.id}. Status: ${words(data.status)}`
  },
})

/** Opens a form that starts a new run like this one with an edited payload. */
function openRerunForm(run: RunRecord): void {
  openForm({
    title: `Run "${run.automation_name}" again`,
    isWide: true,
    note: <p>This starts a new run. It runs for real: it may send messages and requests.</p>,
    fields: [{ name: 'payload', label: 'Payload (JSON)', kind: 'long', value: prettyJson(run.trigger ?? {}) }],
    label: 'Run with this payload',
    toAction({ payload: text = '' }) {
      const parsed = parseFormJson(text)
      if (typeof parsed === 'string') return parsed
      if (text.includes(maskText)) return `Replace "${maskText}" with the real value, or remove the field.`
      return { ...rerunAction(run, parsed.value), label: 'Run with this payload' }
    },
  })
}

/** Buttons that retry, cancel or repeat a run. */
export function RunActions({ run }: { run: RunRecord }) {
  if (isReadOnly.value) return null
  const isActive = run.end_time === null && (run.status === 'RUNNING' || run.status === 'PAUSED')
  const path = `/api/user/automate/runs/${run.id}`
  const called = run.steps.flatMap((it) => it.called_run ?? [])
  return (
    <>
      {(run.status === 'FAILED' || run.status === 'CANCELLED') && (
        <button
          type="button"
          class="primary"
          onClick={() =>
            act<{ note: string }>({
              method: 'POST',
              path: `${flowsPath}/${run.automation_id}/runs/${run.id}/retry`,
              label: 'Retry from the failed step',
              done: (answer) => (answer.body as { note: string }).note,
            })
          }
        >
          Retry from the failed step
        </button>
      )}
      {isActive && (
        <button
          type="button"
          onClick={() =>
            act<{ data: CancelledRun }>({
              method: 'POST',
              path: `${path}/cancel`,
              label: 'Cancel the run',
              question: 'Cancel this run?',
              preview: (
                <>
                  <p>No further step starts. A step that is running may have taken effect.</p>
                  {called.length > 0 && (
                    <p>It waits for run {called.join(', ')}. That run, and those it waits for, are cancelled too.</p>
                  )}
                </>
              ),
              done(answer) {
                const { status, also_cancelled } = (answer.body as { data: CancelledRun }).data
                const others = also_cancelled.length > 0 ? ` Also cancelled: ${also_cancelled.join(', ')}.` : ''
                return `Status of the run: ${status}.${others}`
              },
            })
          }
        >
          Cancel run…
        </button>
      )}
      <button type="button" onClick={() => act(rerunAction(run))}>
        Run again…
      </button>
      <button type="button" onClick={() => openRerunForm(run)} disabled={run.shortened}>
        Run with edited payload…
      </button>
    </>
  )
}
