import type { Reference, ResourceKind } from '../../contract/resources/resource-references.ts'
import { mapReference } from '../dependencies/reference-paths.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { FileKind } from './kinds/file-kind.ts'
import type { ResourceNames } from './resource-names.ts'

const referencesIn = (kind: FileKind, content: ResourceRecord): readonly Reference[] => [
  ...kind.references,
  ...(kind.nestedReferences?.(content) ?? []),
]

/** A name nothing is called by. */
export interface UnresolvedName {
  readonly to: ResourceKind
  readonly name: string
  readonly path: string
}

type FoundReference = {
  readonly value: unknown
  readonly to: ResourceKind
  readonly path: string
  readonly field: string
}

const fieldOf = (path: string): string => path.replace(/\[\].*$/, '')

/** Replaces what content points to; each value is looked up once it is known what there is. */
async function replaceReferences(
  kind: FileKind,
  content: ResourceRecord,
  replaceValue: (it: FoundReference) => Promise<unknown>,
): Promise<ResourceRecord> {
  let result = content
  for (const place of referencesIn(kind, content)) {
    const found: unknown[] = []
    const pending: Promise<unknown>[] = []
    mapReference(result, place, (value, path) => {
      pending.push(replaceValue({ value, to: place.to, path, field: fieldOf(place.path) }))
      return value
    })
    found.push(...(await Promise.all(pending)))
    let n = 0
    result = mapReference(result, place, () => found[n++])
  }
  return result
}

/** Content that calls by their names what it points to; what has none that is its own stays an id. */
export const replaceIdsWithNames = (
  names: ResourceNames,
  kind: FileKind,
  content: ResourceRecord,
): Promise<ResourceRecord> =>
  replaceReferences(kind, content, ({ value, to, field }) =>
    typeof value === 'number' ? names.nameOf(value, to, field) : Promise.resolve(value),
  )

/** The same by ids, as the platform takes it. `missing` is told what is not there. @throws ClientFailure `usage` for a name that several have */
export const replaceNamesWithIds = (
  names: ResourceNames,
  kind: FileKind,
  content: ResourceRecord,
  file: string,
  onUnresolved: (it: UnresolvedName) => void,
): Promise<ResourceRecord> =>
  replaceReferences(kind, content, async ({ value, to, path, field }) => {
    const id = await names.idOf(value, to, field, file)
    if (id === undefined) onUnresolved({ to, name: String(value), path })
    return id ?? value
  })
