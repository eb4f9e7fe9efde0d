import { formatDuration } from '../../../../../contract/values/duration.ts'
import { stateText } from '../../../../../contract/values/states.ts'
import { stringifyJson } from '../../../../../node/json.ts'
import { localTime } from '../../../../program/output/time.ts'
import type { ShownRun, ShownStep } from './runs-by-automation.ts'

/** Maximum number of characters of a value that is printed on one line. */
const maxInlineLength = 100

/** Formats milliseconds: `850 ms`, `1.25 s`, `42 s`, `4 min 5 s`, `2 h 5 min`. */
export const formatMilliseconds = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : formatDuration(ms / 1000)

/**
 * Returns the classification of a failed step in words; empty where it says less than the error: `wiring_error` is every
 * failure that is not of a connection or a record.
 */
export const describeClass = (classification: unknown, describe: (words: string) => string): string =>
  typeof classification === 'string' && classification !== 'wiring_error' && classification !== 'ok'
    ? describe(stateText(classification))
    : ''

const formatTime = (time: string): string => `${localTime(Date.parse(time))}`

/** Renders a run for people: its status, the input of its trigger, and a block for each step. */
export function runLines(run: ShownRun, now: number): string[] {
  const of =
    run.automation_name === null ? (run.automation_id ?? '') : `"${run.automation_name}" (${run.automation_id})`
  const version = run.version === null ? '' : `, version ${run.version}`
  const lines = [`Run ${run.id} of ${of}${version}${run.testing ? ', test' : ''}`]
  const time = typeof run.duration_ms === 'number' ? `, took ${formatMilliseconds(run.duration_ms)}` : ''
  const end = run.testing && run.status === 'PAUSED' ? ' (a test ends where it waits)' : ''
  lines.push(`Status    ${stateText(run.status)}${end}`, `Started   ${formatTime(run.start_time)}${time}`)
  if (run.error !== null) lines.push(`Error     ${run.error}`)
  if (run.trigger !== null) lines.push('', 'Trigger', ...valueLines('Received', run.trigger))
  for (const step of run.steps) lines.push('', ...stepLines(step, now))
  if (run.steps.length === 0) lines.push('', 'No step was started.')
  if (run.steps_omitted) lines.push('', `${run.steps_omitted} more steps.`)
  if (run.response !== null) lines.push('', 'Response', ...valueLines('Answered', run.response))
  return lines
}

function stepLines(step: ShownStep, now: number): string[] {
  const name = step.path ?? step.name
  const title = [
    name,
    step.display_name !== null && step.display_name !== step.name ? `"${step.display_name}"` : '',
    step.type === null ? '' : `(${step.type})`,
  ]
  const facts = [
    stateText(step.status),
    typeof step.duration_ms === 'number' ? formatMilliseconds(step.duration_ms) : '',
    (step.attempts ?? 1) > 1 ? `${step.attempts} attempts` : '',
  ]
  const lines = [`${title.filter(Boolean).join(' ')}  ${facts.filter(Boolean).join(', ')}`]
  for (const error of step.earlier_errors ?? [])
    lines.push(...labelledLines(`Attempt ${error.attempt}`, `failed ${formatTime(error.failed_at)}: ${error.error}`))
  if (step.error !== null)
    lines.push(...labelledLines('Error', `${describeClass(step.classification, (it) => `${it}: `)}${step.error}`))
  if (step.error_line) lines.push(...labelledLines(`Line ${step.error_line.number}`, step.error_line.text))
  if (step.wakes_at !== null)
    lines.push(
      ...labelledLines('Continues', `${formatTime(step.wakes_at)}${Date.parse(step.wakes_at) < now ? ' (due)' : ''}`),
    )
  if (step.called_run) lines.push(...labelledLines('Waits for', `run ${step.called_run}`))
  if (step.branches) lines.push(...labelledLines('Branches', step.branches.join(', ') || 'none'))
  if (step.input !== null && step.input !== undefined) lines.push(...valueLines('Input', step.input))
  if (step.output !== null && step.output !== undefined) lines.push(...valueLines('Output', step.output))
  for (const iteration of step.iterations ?? [])
    lines.push(
      ...labelledLines(
        `Item ${iteration.index}`,
        `${stateText(iteration.status ?? 'not started')}  ${stringifyJson(iteration.item)}`,
      ),
    )
  if (step.unresolved && step.unresolved.length > 0)
    lines.push(...labelledLines('Not found', step.unresolved.join(', ')))
  if (step.log && step.log.length > 0) lines.push(...labelledLines('Log', step.log.join('\n')))
  return lines
}

function valueLines(title: string, value: unknown): string[] {
  const short = stringifyJson(value) ?? ''
  return labelledLines(title, short.length <= maxInlineLength ? short : stringifyJson(value, null, 2))
}

/** Renders a title with text beside it; further lines are aligned below. */
function labelledLines(title: string, text: string): string[] {
  const [first = '', ...more] = text.split('\n')
  return [`  ${title.padEnd(9)} ${first}`, ...more.map((it) => `  ${' '.repeat(9)} ${it}`)]
}
