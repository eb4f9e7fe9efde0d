import type { Endpoint, Output } from '../../../contract/endpoint/endpoint.ts'
import { readOnlyFields } from '../../../contract/endpoint/read-only-fields.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { printWriteResult } from '../output/print-result.ts'
import { describeChanges, ignoredReadOnlyFields } from './field-changes.ts'
import { showsChanges } from './previous-record.ts'
import { writableFields } from './writable-fields.ts'

const loadUnchanged = () => import('../history/unchanged-writes.ts')

interface UpdateRequest<E extends Endpoint> {
  readonly endpoint: E
  /** Path parameters. */
  readonly ids: Readonly<Record<string, number | string>>
  /** The fields to send. */
  readonly change: ResourceRecord
  /** The record before the update, as far as it was read. */
  readonly previous: ResourceRecord | undefined
  /** Text of the progress spinner. */
  readonly progressText?: string
}

/** The record before the update and the sent fields; with an endpoint, only its fields count. */
type ChangeComparison = Pick<UpdateRequest<Endpoint>, 'change' | 'previous'> & { readonly endpoint?: Endpoint }

/** Sends an update. With --dry-run, shows the request and its changes, and returns undefined. */
export async function sendUpdate<E extends Endpoint>(
  context: Context,
  update: UpdateRequest<E>,
): Promise<Output<E> | undefined> {
  const { unchangedAnswer } = await loadUnchanged()
  const { change, live } = context.globals.printCurl
    ? { change: update.change, live: undefined }
    : await writableFields(context, update)
  const isDry = context.globals.printCurl || context.globals.dryRun
  if (live && !isDry && Object.keys(change).length === 0 && Object.keys(update.change).length > 0)
    return unchangedAnswer(update.endpoint, live) as Output<E>
  const answer = await sendRequest(
    context,
    update.endpoint,
    { ...change, ...update.ids },
    { progressText: update.progressText, history: { previous: update.previous ?? live } },
  )
  if (!answer) {
    const lines = await changeLines(context, update)
    if (lines && lines.length > 0) await context.notes.note(`Would change:\n${lines.join('\n')}`)
    else if (lines && showsEveryField(update))
      await context.notes.note('Would change nothing: the values are already set.')
  }
  return answer
}

/** Returns whether the record has every sent field. A top-up, for example, is sent, but no record shows it. */
const showsEveryField = ({ change, previous }: ChangeComparison): boolean =>
  Object.keys(change).every((name) => previous && Object.hasOwn(previous, name))

/** Returns the changed fields, one line each; undefined if changes are not shown or the previous record is unknown. */
async function changeLines(
  context: Context,
  { endpoint, change, previous }: ChangeComparison,
  after: ResourceRecord = {},
): Promise<string[] | undefined> {
  if (!previous || !showsChanges(context)) return undefined
  if (!endpoint?.body) return describeChanges(previous, change, after)
  const [taken, readOnly] = [endpoint.body.shape, readOnlyFields(endpoint)]
  const ignored = ignoredReadOnlyFields(previous, change, (name) => readOnly.has(name))
  if (ignored.length > 0)
    await context.notes.note(`Not changed: ${ignored.join(', ')}. The platform sets these fields.`)
  return describeChanges(previous, change, after, (name) => Object.hasOwn(taken, name))
}

/** Returns a summary of the changes after an update. `after` is the response of the platform. */
async function changeSummary(
  context: Context,
  comparison: ChangeComparison,
  after?: ResourceRecord,
): Promise<string | undefined> {
  const lines = await changeLines(context, comparison, after)
  return lines && (lines.length > 0 ? `Changed:\n${lines.join('\n')}` : 'No changes.')
}

interface UpdateResponse {
  readonly message: string
  readonly data: { readonly id: number }
}

interface UpdateReport {
  readonly endpoint: Endpoint
  readonly change: ResourceRecord
  readonly previous: ResourceRecord | undefined
  /** The next useful command. */
  readonly next: string
}

/** Prints the response to an update and, for people, the changed fields. */
export async function printUpdate(
  context: Context,
  answer: UpdateResponse,
  { next, ...report }: UpdateReport,
): Promise<void> {
  const { isUnchangedAnswer } = await loadUnchanged()
  const { message, data } = answer
  const summary = await changeSummary(context, report, { ...data })
  if (isUnchangedAnswer(answer)) await printWriteResult(context, 'No changes', data, next)
  else await printWriteResult(context, message, data, next, summary)
}

/** Prints the changed fields for people, after a write that returns only a message. */
export async function noteChanges(
  context: Context,
  update: Pick<UpdateRequest<Endpoint>, 'change' | 'previous'>,
): Promise<void> {
  const text = await changeSummary(context, update)
  if (text) await context.notes.note(text)
}

/** Sends an update and prints the result. */
export async function applyUpdate<E extends Endpoint>(
  context: Context,
  update: UpdateRequest<E> & Pick<UpdateReport, 'next'>,
): Promise<void> {
  const answer = await sendUpdate(context, update)
  if (answer) await printUpdate(context, answer as unknown as UpdateResponse, update)
}
