// A write counts as done only when this file has seen its effect: in the response, or by reading the resource. Writes of
// commands pass through it (connection/platform-call.ts).

import type { CreatedSearch, Reply } from '../../../client/client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { checkOutcomeHint } from '../../../client/failures/uncertain-writes.ts'
import { property } from '../../../client/response-body.ts'
import { schemaDefinition, unwrap } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { parseIgnoredFields } from '../../../contract/endpoint/ignored-header.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import { redactValue } from '../../../contract/values/redact.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Context } from '../context.ts'
import { idsOf, readResource } from '../history/read-resource.ts'
import { findWritten, loadReadable, type RecordedResource } from '../resources/registry.ts'
import type { Resource } from '../resources/resource.ts'
import { compareSentFields, type SentComparison, shownValue } from './compare-sent.ts'
import { createdSearch, writtenFieldsOf } from './find-created.ts'
import { type Confirmation, type ConfirmedReply, type DifferingField, describeDifferences } from './write-tracker.ts'

interface WrittenRequest {
  readonly endpoint: Endpoint
  readonly input: ResourceRecord
  readonly previous: ResourceRecord | undefined
  /** Local time in milliseconds at which the request was sent. */
  readonly sentAt: number
  /** Whether the write is one of many rows. */
  readonly isRow: boolean
}

interface Written extends WrittenRequest {
  readonly descriptor: Resource
  readonly kind: RecordedResource
  readonly reply: Reply<unknown>
}

/** Pauses in milliseconds between reads of a difference: a replica may show a write up to two seconds later. */
const pausesMs = [100, 200, 400, 600, 700]

/**
 * Confirms that a write took effect: by the response where it shows the fields that were sent, else by reading the
 * resource. Completes a response without its record, so that commands print the live resource.
 *
 * @throws ClientFailure `unknown` if the response proves nothing and nothing can be read
 */
export async function confirmWrite(
  context: Context,
  request: WrittenRequest,
  reply: Reply<unknown>,
): Promise<ConfirmedReply<unknown>> {
  const { endpoint, input } = request
  const [descriptor, action] = findWritten(endpoint.name, context.commandName) ?? []
  const kind = descriptor && (await loadReadable(descriptor))
  if (!descriptor || !kind) return requireComplete(endpoint, reply)
  const written: Written = { ...request, descriptor, kind, reply }
  const confirmed: ConfirmedReply<unknown> =
    endpoint.method === 'DELETE'
      ? await confirmDeletion(context, written)
      : isCreation(endpoint)
        ? await confirmCreation(context, written)
        : action && kind.document?.isReadBack(action, input)
          ? reply
          : isChangeOf(kind, endpoint)
            ? await confirmUpdate(context, written)
            : requireComplete(endpoint, reply)
  if (confirmed.confirmation) context.writes.confirmations.push(confirmed.confirmation)
  return confirmed
}

/** Returns the search for a creation that was rejected with 429 and may have been carried out nevertheless. */
export function searchAfterRejection(
  context: Context,
  { endpoint, input, isRow }: WrittenRequest,
): CreatedSearch | undefined {
  const [descriptor] = findWritten(endpoint.name, context.commandName) ?? []
  return descriptor?.naturalKey && isCreation(endpoint)
    ? createdSearch(context, { descriptor, endpoint, input, isRow })
    : undefined
}

/**
 * Returns whether an endpoint creates a resource, by its name: a creation with another name is not searched when its response is
 * lost or shows no id.
 */
export const isCreation = ({ name, method }: Endpoint): boolean =>
  method === 'POST' && /\.(?:create[A-Z]?|apply$)/.test(name)

/** Returns whether an endpoint changes fields of the resource itself, and not of a part such as a run. */
const isChangeOf = ({ pathParameters = ['id'] }: RecordedResource, { params }: Endpoint): boolean =>
  Object.keys(params?.shape ?? {}).every((name) => pathParameters.includes(name) || name === 'uuid')

/** @throws ClientFailure `unknown` for a response that lacks what proves the write */
function requireComplete(endpoint: Endpoint, reply: Reply<unknown>): Reply<unknown> {
  // The contract of these writes is a message, which says nothing that an empty response does not.
  if (reply.incomplete === undefined || (endpoint.record === undefined && endpoint.successProof === undefined))
    return reply.incomplete === undefined ? reply : { ...reply, output: isObject(reply.output) ? reply.output : {} }
  throw unknownOutcome(endpoint, reply, 'Nothing shows whether it was carried out.')
}

const unknownOutcome = (
  endpoint: Endpoint,
  { status, requestId, incomplete = 'the result' }: Reply<unknown>,
  reason: string,
  next?: readonly string[],
): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: 'outcome_unknown',
    message: `The platform accepted the request and returned ${status} without ${incomplete}. ${reason}`,
    hint: checkOutcomeHint(endpoint),
    status,
    requestId,
    sent: true,
    ...(next && { next }),
  })

/** Returns the text of the platform, else a sentence of our own. */
const messageOf = ({ output }: Reply<unknown>, fallback: string): string => {
  const message = property(output, 'message')
  return typeof message === 'string' && message !== '' ? message : fallback
}

async function confirmDeletion(context: Context, written: Written): Promise<ConfirmedReply<unknown>> {
  const { endpoint, kind, input, reply, previous } = written
  // A deletion that was repeated is done if it finds nothing more.
  if (reply.status === 404 && !previous)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `No ${kind.singular} with this id.`,
      status: 404,
      requestId: reply.requestId,
      sent: true,
    })
  const ids = idsOf(kind, input)
  const id = Object.values(ids).at(-1)
  const done = { singular: kind.singular, id, answered: [], readBack: [], hidden: [], differing: [] }
  const capitalized = kind.singular.charAt(0).toUpperCase() + kind.singular.slice(1)
  const output = {
    message: messageOf(
      reply,
      reply.status === 404 ? `${capitalized} deleted by an earlier attempt.` : `${capitalized} deleted.`,
    ),
  }
  if (endpoint.takesEffectLater) return { ...reply, output, confirmation: done }
  const live = await poll(
    context,
    () => readLive(context, written, ids),
    ({ record }) => record === undefined,
  )
  // Where nothing can be read, such as with a key that revoked itself, the statement of the platform counts.
  const isStated = typeof property(reply.output, 'message') === 'string' && reply.incomplete === undefined
  if (live.problem !== undefined && !(isStated && [401, 403, 405, 501].includes(live.status ?? 0)))
    return unread({ ...reply, output }, { ...done, problem: live.problem })
  if (!live.record) return { ...reply, output, confirmation: done }
  return {
    ...reply,
    output: { message: `The platform accepted the deletion, but the ${kind.singular} still exists.` },
    confirmation: { ...done, differing: [{ field: 'id', sent: null, read: id ?? null }], record: live.record },
  }
}

async function confirmCreation(context: Context, written: Written): Promise<ConfirmedReply<unknown>> {
  const { endpoint, kind, descriptor, input, reply, isRow } = written
  const { created } = context.writes
  // The platform rejected the request after it had carried it out; the client searched for the result.
  if (reply.status === 429) return completeCreation(written, reply.output as ResourceRecord)
  const answered = answeredRecord(endpoint, reply)
  const id = reply.incomplete === undefined ? idIn(endpoint, reply.output, answered) : undefined
  if (id !== undefined) {
    created.claimed.add(`${endpoint.name} ${id}`)
    if (endpoint.record === undefined) return reply
    const confirmed = await confirmFields(context, written, answered, createdIds(kind, input, id))
    // The response may show another resource: then the created one is searched.
    if (!descriptor.naturalKey || !confirmed.confirmation?.differing.some(({ field }) => field === 'id'))
      return confirmed
  } else if (reply.incomplete === undefined) return reply
  const search = createdSearch(context, { descriptor, endpoint, input, isRow, isAccepted: true })
  const outcome = await poll(
    context,
    () => search({ sentAt: written.sentAt, rejectedAt: realTime.monotonicMs() }),
    (it) => 'found' in it || descriptor.naturalKey === null,
  )
  if (!('found' in outcome))
    throw unknownOutcome(
      endpoint,
      reply,
      'unclear' in outcome ? outcome.unclear : `No such ${kind.singular} was found.`,
      'unclear' in outcome ? outcome.next : undefined,
    )
  return completeCreation(written, outcome.found as ResourceRecord)
}

/** Returns a reply to a creation with the record that was found. */
function completeCreation(
  { endpoint, kind, descriptor, input, reply }: Written,
  found: ResourceRecord,
): ConfirmedReply<unknown> {
  const outcomes = compareSentFields(writtenFieldsOf(descriptor, endpoint, input), found)
  const { incomplete: _, ...rest } = reply
  return {
    ...rest,
    output: createdOutput(endpoint, kind, reply, found),
    confirmation: {
      singular: kind.singular,
      id: found.id as number,
      answered: [],
      readBack: namesWith(outcomes, 'shown'),
      hidden: namesWith(outcomes, 'hidden'),
      differing: [],
      record: found,
    },
  }
}

/** Returns the output of a creation for a record that was read. */
const createdOutput = (
  endpoint: Endpoint,
  { singular }: Pick<RecordedResource, 'singular'>,
  reply: Reply<unknown>,
  found: ResourceRecord,
): ResourceRecord =>
  endpoint.record === undefined
    ? { ...found, automation_id: found.id }
    : {
        message: messageOf(reply, `${singular.charAt(0).toUpperCase()}${singular.slice(1)} created.`),
        [endpoint.record]: found,
      }

const createdIds = (
  { pathParameters = ['id'] }: RecordedResource,
  input: ResourceRecord,
  id: number | string,
): Record<string, number | string> =>
  Object.fromEntries(
    pathParameters.map((name, n) => [name, n === pathParameters.length - 1 ? id : input[name]]),
  ) as never

function idIn(endpoint: Endpoint, output: unknown, answered: ResourceRecord): number | string | undefined {
  const [proof = 'id'] = Object.keys(endpoint.successProof ?? {})
  const id = endpoint.record === undefined ? property(output, proof) : answered.id
  return typeof id === 'number' || typeof id === 'bigint' || typeof id === 'string' ? (id as number) : undefined
}

async function confirmUpdate(context: Context, written: Written): Promise<ConfirmedReply<unknown>> {
  const { endpoint, kind, input, reply } = written
  const ids = idsOf(kind, { ...input, id: input.id ?? input.uuid })
  const id = Object.values(ids).at(-1)
  const answered = answeredRecord(endpoint, reply)
  const isOther = answered.id !== undefined && String(answered.id) !== String(id)
  return confirmFields(context, written, isOther ? {} : answered, ids)
}

/** Returns the record of a response; the response itself if it is one. */
function answeredRecord(endpoint: Endpoint, { output }: Reply<unknown>): ResourceRecord {
  const data = property(output, endpoint.record ?? 'data')
  return isObject(data) ? data : endpoint.record === undefined && isObject(output) ? output : {}
}

async function confirmFields(
  context: Context,
  written: Written,
  answered: ResourceRecord,
  ids: Readonly<Record<string, number | string>>,
): Promise<ConfirmedReply<unknown>> {
  const { endpoint, kind, descriptor, input, reply } = written
  const sent = writtenFieldsOf(descriptor, endpoint, input)
  const ignored = new Set(parseIgnoredFields(reply.headers))
  const id = Object.values(ids).at(-1)
  // A platform may answer a change of an automation, or of the status of an assistant, without making it.
  const isSwitch =
    !isCreation(endpoint) && (kind.document !== undefined || (kind.update !== undefined && endpoint !== kind.update))
  const first = compareSentFields(sent, isSwitch ? {} : answered)
  const isIncomplete =
    reply.incomplete !== undefined || (endpoint.record !== undefined && String(answered.id) !== String(id))
  const readable = readableFields(kind)
  const toRead = Object.keys(sent).filter(
    (name) =>
      first[name] === 'different' ||
      (ignored.has(name) && first[name] !== 'shown') ||
      (first[name] === 'hidden' && (isSwitch || isReadable(readable, answered, name))),
  )
  const base = { singular: kind.singular, id, answered: namesWith(first, 'shown') }
  if (toRead.length === 0 && !isIncomplete)
    return {
      ...reply,
      confirmation: { ...base, readBack: [], hidden: namesWith(first, 'hidden'), differing: [] },
    }
  const outcomesOf = (record: ResourceRecord): Record<string, SentComparison> => ({
    ...first,
    ...compareSentFields(Object.fromEntries(toRead.map((name) => [name, sent[name]])), record),
  })
  const differs = (record: ResourceRecord): readonly string[] => namesWith(outcomesOf(record), 'different')
  const found = await poll(
    context,
    () => readLive(context, written, ids),
    (state) =>
      state.problem !== undefined ||
      (state.record !== undefined && differs(state.record).every((name) => ignored.has(name))),
  )
  const { record, problem } = found
  if (!record) {
    const isUnreadable = problem !== undefined
    const confirmation: Confirmation = {
      ...base,
      readBack: [],
      hidden: isUnreadable ? toRead : [],
      differing: isUnreadable ? [] : [{ field: 'id', sent: id ?? null, read: null }],
      ...(isUnreadable && { problem }),
    }
    if (isIncomplete && endpoint.record !== undefined)
      throw unknownOutcome(endpoint, reply, problem ?? `The ${kind.singular} ${id} was not found when it was read.`)
    return unread(reply, confirmation)
  }
  const outcomes = outcomesOf(record)
  // The platform says that it ignored them, and does not show them.
  const unshown = namesWith(outcomes, 'hidden').filter((name) => ignored.has(name))
  const differing = [...differs(record), ...unshown].map((field) => ({
    field,
    sent: redactValue(sent[field]),
    read: redactValue(shownValue(record, field)),
  }))
  const shown = Object.fromEntries(
    differing.filter(({ field }) => Object.hasOwn(answered, field)).map(({ field }) => [field, record[field]]),
  )
  const { incomplete: _, ...rest } = reply
  const isCreated = isCreation(endpoint)
  const sentence = `${kind.singular.charAt(0).toUpperCase()}${kind.singular.slice(1)} ${isCreated ? 'created' : 'updated'}.`
  const part = endpoint.record ?? (kind.document || isObject(property(reply.output, 'data')) ? 'data' : undefined)
  const names = endpoint.record === undefined ? ['id', ...Object.keys(sent)] : Object.keys(record)
  const live = Object.fromEntries(
    names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]),
  )
  const output = {
    ...(isIncomplete ? implied(endpoint, sent) : {}),
    ...(isObject(reply.output) ? reply.output : {}),
    message: differing.length > 0 ? differenceText(kind.singular, isCreated, differing) : messageOf(reply, sentence),
    ...(part !== undefined && { [part]: { ...(isIncomplete ? live : {}), ...answered, ...shown } }),
  }
  return {
    ...rest,
    output,
    confirmation: {
      ...base,
      readBack: toRead.filter((name) => outcomes[name] === 'shown'),
      hidden: namesWith(outcomes, 'hidden').filter((name) => !unshown.includes(name)),
      differing,
      ...(isCreated && { isCreated }),
      record,
    },
  }
}

/** Returns the fields that a write without a record implies, where its response has none: `ai_enabled`. */
const implied = (endpoint: Endpoint, sent: ResourceRecord): ResourceRecord =>
  endpoint.record === undefined && endpoint.body === undefined ? sent : {}

/** Returns a sentence about fields that were accepted and still have another value. */
const differenceText = (singular: string, isCreated: boolean, fields: readonly DifferingField[]): string =>
  `The platform accepted the ${isCreated ? 'creation' : 'update'}, but the ${singular} differs: ${describeDifferences(fields)}.`

const unread = (reply: Reply<unknown>, confirmation: Confirmation): ConfirmedReply<unknown> => ({
  ...reply,
  output: {
    ...(isObject(reply.output) ? reply.output : {}),
    message: 'The platform accepted the request, but its result is unknown.',
  },
  confirmation,
})

const namesWith = (outcomes: Readonly<Record<string, SentComparison>>, wanted: SentComparison): string[] =>
  Object.keys(outcomes).filter((name) => outcomes[name] === wanted)

/** Returns the fields that the contract shows in a read of the resource; undefined if it does not say. */
function readableFields({ readers: [reader] }: RecordedResource): ReadonlySet<string> | undefined {
  const output = schemaDefinition(unwrap(reader.output).base)
  const part = reader.record ?? reader.items
  const inner = part === undefined || part === '' ? reader.output : output.shape?.[part]
  const record = inner && unwrap(inner)
  const item = record?.kind === 'array' ? schemaDefinition(record.base).element : record?.base
  const shape = item && schemaDefinition(unwrap(item).base).shape
  return shape && new Set(Object.keys(shape))
}

/** Returns whether a read may show a field that the response does not show. */
function isReadable(readable: ReadonlySet<string> | undefined, answered: ResourceRecord, name: string): boolean {
  if (shownValue(answered, name) !== undefined) return false
  return !readable || readable.has(name) || readable.has(name.replace(/_id(s?)$/, '$1'))
}

/** A resource as it was read; without a record it was not found, or `problem` says why it could not be read. */
interface LiveRead {
  readonly record?: ResourceRecord
  readonly problem?: string
  /** Status of the answer that is the problem. */
  readonly status?: number | undefined
}

async function readLive(
  context: Context,
  { kind, descriptor, endpoint, input, previous }: Written,
  ids: Readonly<Record<string, number | string>>,
): Promise<LiveRead> {
  // A changed field cannot be a filter: the change may not be visible yet.
  const isCreated = isCreation(endpoint)
  const known = isCreated ? input : (previous ?? {})
  let problem: string | undefined
  let status: number | undefined
  for (const reader of kind.readers) {
    const names = (descriptor.naturalKey ?? []).filter((name) => Object.hasOwn(reader.query?.shape ?? {}, name))
    const filters = Object.fromEntries(
      names.flatMap((name) => {
        const value = shownValue(known, name)
        const isChanged = !isCreated && endpoint.method !== 'DELETE' && Object.hasOwn(input, name)
        return value === undefined || value === null || isChanged ? [] : [[name, value]]
      }),
    )
    try {
      return { record: await readResource(context, { ...kind, readers: [reader] }, ids, undefined, filters) }
    } catch (error) {
      if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
      // The platform may not have this endpoint: then the next one is read.
      status = error.status
      problem = error.exit === 'not_found' ? undefined : `It could not be read back: ${error.message}`
      if (error.exit !== 'not_found' && ![405, 501].includes(error.status ?? 0)) break
    }
  }
  return problem === undefined ? {} : { problem, status }
}

/** Repeats a read for up to two seconds, until its result is settled. */
async function poll<T>(context: Context, read: () => Promise<T>, isSettled: (result: T) => boolean): Promise<T> {
  for (const pauseMs of pausesMs) {
    const result = await read()
    if (isSettled(result)) return result
    await context.pause(pauseMs)
  }
  return read()
}
