import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { readDocument } from '../input/read-document.ts'
import { findWrite, loadRecorded, type RecordedResource } from '../resources/registry.ts'
import { isMasked, mayBeEqual, redactSecrets, withOneMask } from '../secrets/masked-values.ts'
import { describeChanges } from '../updates/field-changes.ts'
import { redactContent } from './entry-content.ts'
import { idsOf, readPreviousState } from './read-resource.ts'
import { Unread } from './undo-unavailable.ts'

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)

/**
 * Reads a resource and checks that it matches `--if-unchanged`: a time, or a file with the resource. Returns it. @throws
 * ClientFailure `conflict` if it differs, and if it cannot be read
 */
export async function requireUnchanged(
  context: Context,
  kind: RecordedResource,
  ids: Readonly<Record<string, number | string>>,
  expected: string,
): Promise<ResourceRecord> {
  const live = await readPreviousState(context, kind, ids)
  if (live instanceof Unread)
    throw live.reason === 'not_offered'
      ? usageError(
          `--if-unchanged cannot be checked: the platform has no endpoint that reads the ${kind.singular}. Nothing was sent.`,
        )
      : live.error
  const before = isMoment(expected)
    ? expectedMoment(kind, live, expected)
    : await expectedDocument(context, kind, expected)
  const [expectedFields, liveFields] = [before, withoutSecrets(await redactContent(kind, live))]
  const differing = Object.keys(expectedFields).filter((name) => !isSameValue(expectedFields[name], liveFields[name]))
  if (differing.length === 0) return live
  const expectedValues = Object.fromEntries(
    differing.map((name) => [
      name,
      typeof liveFields[name] === 'number' && expectedFields[name] !== '' && !Number.isNaN(Number(expectedFields[name]))
        ? Number(expectedFields[name])
        : expectedFields[name],
    ]),
  )
  const lines = describeChanges(expectedValues, Object.fromEntries(differing.map((name) => [name, liveFields[name]])))
  const definition = kind.document?.compare(expectedFields, liveFields)
  const fields = differing.map((name) => ({
    path: name,
    message: definition?.fields.includes(name)
      ? definition.lines.join('\n')
      : (lines.find((it) => it.startsWith(`${name}: `))?.slice(name.length + 2) ?? 'changed'),
  }))
  throw new ClientFailure({
    exit: 'conflict',
    code: 'changed_since',
    message: `The ${kind.singular} was changed since it was read: ${differing.join(', ')}. Nothing was sent.`,
    details: fields,
    hint: `Read it again, then repeat the change: parley ${readCommand(kind, live.id)} -o json.`,
  })
}

/** Returns the command that prints a resource, or its list if no endpoint returns one. */
const readCommand = ({ noun, listCommand, readers }: RecordedResource, id: unknown): string =>
  readers[0].items === undefined ? `${noun} get ${id}` : (listCommand ?? `${noun} list`)

/** Runs the same check for a dry run. Does nothing for resources without history. */
export async function requireUnchangedBeforeWrite(
  context: Context,
  endpoint: Endpoint,
  input: ResourceRecord,
): Promise<void> {
  const change = findWrite(endpoint.name, context.commandName)
  if (!change || context.writeSettings.ifUnchanged === undefined) return
  const kind = await loadRecorded(change[0].noun)
  await requireUnchanged(context, kind, idsOf(kind, input), context.writeSettings.ifUnchanged)
}

function expectedMoment(kind: RecordedResource, { updated_at: at }: ResourceRecord, expected: string): ResourceRecord {
  if (typeof at !== 'string')
    throw usageError(
      `A ${kind.singular} has no time of its last change, so --if-unchanged cannot take a time.`,
      'Pass --if-unchanged a file with the complete resource as it was read.',
    )
  const spelled = (it: string): number => Date.parse(/Z$|[+-]\d\d:?\d\d$/.test(it) ? it : `${it.replace(' ', 'T')}Z`)
  // Platforms may return more digits than a Date stores.
  return {
    updated_at:
      spelled(expected) === spelled(at) &&
      (expected.length < 20 || at.slice(0, expected.length - 1) === expected.slice(0, -1))
        ? at
        : expected,
  }
}

async function expectedDocument(context: Context, kind: RecordedResource, expected: string): Promise<ResourceRecord> {
  const read = (await readDocument(context.system, expected, undefined, '--if-unchanged')) as
    | ResourceRecord
    | readonly ResourceRecord[]
  const record = Array.isArray(read) ? (read.length === 1 ? read[0] : undefined) : read
  if (!isObject(record) || Object.keys(record).length === 0)
    throw usageError(
      `--if-unchanged ${expected} does not contain a ${kind.singular}.`,
      `Save its current state first: parley ${readCommand(kind, '<id>')} -o json.`,
    )
  const computed = kind.computedFields ?? []
  return withoutSecrets(Object.fromEntries(Object.entries(record).filter(([name]) => !computed.includes(name))))
}

/** Returns a record with one text for every secret, also for those that are masked already. */
const withoutSecrets = (record: ResourceRecord): ResourceRecord => redactSecrets(withOneMask(record) as ResourceRecord)

/**
 * Returns whether a live value equals the value in the file, where YAML scalars may be text. Of masked texts, what they show is
 * compared.
 */
function isSameValue(read: unknown, live: unknown): boolean {
  if (isMasked(read) && isMasked(live)) return mayBeEqual(read, live)
  if (Array.isArray(read) && Array.isArray(live))
    return read.length === live.length && read.every((it, n) => isSameValue(it, live[n]))
  if (isObject(read) && isObject(live))
    return [...new Set([...Object.keys(read), ...Object.keys(live)])].every((name) =>
      isSameValue(read[name], live[name]),
    )
  if (typeof read === 'string' && typeof live !== 'string') return read === (live === null ? 'null' : String(live))
  return isDeepStrictEqual(read ?? null, live ?? null)
}
