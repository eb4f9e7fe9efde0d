import type { Endpoint, Output } from '../../contract/mechanics/endpoint.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { printWriteResult } from '../output/print-result.ts'
import { type ResourceRecord, showsChanges } from './previous-record.ts'

export interface UpdateRequest<E extends Endpoint> {
  readonly endpoint: E
  /** What stands in its path. */
  readonly ids: Readonly<Record<string, number | string>>
  /** The fields to send. */
  readonly change: ResourceRecord
  /** What it is before, where that is known. */
  readonly before: ResourceRecord | undefined
  /** What a spinner says. */
  readonly progressText?: string
}

/** What was before and what was sent; of an endpoint, where the fields are those it takes. */
type ChangeComparison = Pick<UpdateRequest<Endpoint>, 'change' | 'before'> & { readonly endpoint?: Endpoint }

/** Sends an update; with --dry-run shows it, and what it would change. Undefined when it was only shown. */
export async function sendUpdate<E extends Endpoint>(
  context: Context,
  it: UpdateRequest<E>,
): Promise<Output<E> | undefined> {
  const { writableFields } = await import('./writable-fields.ts')
  const change = context.globals.printCurl ? it.change : await writableFields(context, it.endpoint, it.ids, it.change)
  const answer = await sendRequest(context, it.endpoint, { ...change, ...it.ids }, it.progressText)
  if (!answer) {
    const lines = await changeLines(context, it)
    if (lines)
      await context.notes.note(
        lines.length > 0 ? `It would change:\n${lines.join('\n')}` : 'It would change nothing: it is so already.',
      )
  }
  return answer
}

/** What is different field by field, for people; undefined where nobody reads it or it is not known what was before. */
async function changeLines(
  context: Context,
  { endpoint, change, before }: ChangeComparison,
  after: ResourceRecord = {},
): Promise<string[] | undefined> {
  if (!before || !showsChanges(context)) return undefined
  const { describeChanges, ignoredReadOnlyFields } = await import('./field-changes.ts')
  if (!endpoint?.body) return describeChanges(before, change, after)
  const { readOnlyFields } = await import('../../contract/mechanics/read-only-fields.ts')
  const [taken, readOnly] = [endpoint.body.shape, readOnlyFields(endpoint)]
  const ignored = ignoredReadOnlyFields(before, change, (name) => readOnly.has(name))
  if (ignored.length > 0) await context.notes.note(`Not changed: the platform sets ${ignored.join(', ')}.`)
  return describeChanges(before, change, after, (name) => Object.hasOwn(taken, name))
}

/** The same as a text for when it is done. `after` is what the platform answered. */
async function changeSummary(
  context: Context,
  it: ChangeComparison,
  after?: ResourceRecord,
): Promise<string | undefined> {
  const lines = await changeLines(context, it, after)
  return lines && (lines.length > 0 ? `Changed:\n${lines.join('\n')}` : 'Nothing changed: it was so already.')
}

interface UpdateResponse {
  readonly message: string
  readonly data: { readonly id: number }
}

export interface UpdateReport {
  readonly endpoint: Endpoint
  readonly change: ResourceRecord
  readonly before: ResourceRecord | undefined
  /** The next useful command. */
  readonly next: string
}

/** Prints what an update answered, and tells people field by field what is different now. */
export async function printUpdate(
  context: Context,
  { message, data }: UpdateResponse,
  { next, ...it }: UpdateReport,
): Promise<void> {
  await printWriteResult(context, message, data, next, await changeSummary(context, it, { ...data }))
}

/** Tells people what is different now, after a write whose answer is only a sentence. */
export async function noteChanges(
  context: Context,
  it: Pick<UpdateRequest<Endpoint>, 'change' | 'before'>,
): Promise<void> {
  const text = await changeSummary(context, it)
  if (text) await context.notes.note(text)
}

/** Sends an update and prints what it did. */
export async function applyUpdate<E extends Endpoint>(
  context: Context,
  it: UpdateRequest<E> & Pick<UpdateReport, 'next'>,
): Promise<void> {
  const answer = await sendUpdate(context, it)
  if (answer) await printUpdate(context, answer as unknown as UpdateResponse, it)
}
