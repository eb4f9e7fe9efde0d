import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { mapTexts } from '../../../contract/values/json-object.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import type { RecordedResource } from '../resources/registry.ts'
import { redactSecrets } from '../secrets/masked-values.ts'

/** Returns a resource without its secrets, for saving to a file. */
export async function redactContent(kind: RecordedResource, record: ResourceRecord): Promise<ResourceRecord> {
  return kind.document ? kind.document.redact(record) : redactSecrets(record)
}

/** Replaces `[hidden]` in a text until its secrets are hidden. */
const literalMark = '\u0000hidden\u0000'

/** Returns the texts that contain `[hidden]` as their own content, and no secret that redaction would hide. */
export function literalTexts(...values: readonly unknown[]): readonly string[] {
  const texts = new Set<string>()
  const marked = mapTexts(values, '', (it) => (it === redactedText ? it : it.replaceAll(redactedText, literalMark)))
  mapTexts(redactSecrets(marked), '', (text) => {
    if (text.includes(literalMark) && !text.includes(redactedText))
      texts.add(text.replaceAll(literalMark, redactedText))
    return text
  })
  return [...texts]
}

/** Returns the fields that a write changes, with their new values. */
export function sentFields(
  kind: RecordedResource,
  endpoint: Endpoint,
  before: ResourceRecord,
  input: ResourceRecord,
): ResourceRecord {
  const written = endpoint === kind.update ? undefined : kind.writtenFields?.[endpoint.name]
  if (written) return written(input)
  const fields = Object.fromEntries(
    Object.entries(input).filter(([name]) => Object.hasOwn(endpoint.body?.shape ?? {}, name)),
  )
  const merged = (kind.mergedFields ?? []).filter((name) => fields[name])
  return {
    ...fields,
    ...Object.fromEntries(merged.map((name) => [name, { ...(before[name] as object), ...(fields[name] as object) }])),
  }
}

/** Returns the fields of a resource that its update or creation accepts, and those with endpoints of their own. */
export async function writableFieldsOf(
  kind: RecordedResource,
  endpoint: Endpoint | undefined,
  record: ResourceRecord,
): Promise<ResourceRecord> {
  const isUpdate = endpoint === kind.update
  if (kind.document) return kind.document.toFields(record, isUpdate)
  const shape = endpoint?.body?.shape ?? {}
  const fields = Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(shape, name)))
  const separate = isUpdate ? Object.keys(kind.separateWrites ?? {}) : []
  return { ...fields, ...Object.fromEntries(separate.map((name) => [name, record[name] ?? null])) }
}

/**
 * Returns the definition of a resource: the fields that users set, without counts, times and status of the platform. `history diff`
 * compares them, and a deletion asks again if one of them changes during its question.
 */
export function definitionOf(kind: RecordedResource, record: ResourceRecord): ResourceRecord {
  const names = new Set([
    ...Object.keys(kind.create?.body?.shape ?? {}),
    ...Object.keys(kind.update?.body?.shape ?? {}),
    ...Object.keys(kind.separateWrites ?? {}),
    ...(kind.definitionFields ?? []),
  ])
  const { withoutPlatformValues = (all) => all } = kind
  return withoutPlatformValues(Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name))))
}
