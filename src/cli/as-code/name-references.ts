import { ClientFailure } from '../../client/failures/client-failure.ts'
import { mapReference } from '../../contract/references/reference-paths.ts'
import type { Reference, ResourceKind } from '../../contract/references/resource-references.ts'
import { resources } from '../resources/descriptors.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { FileKind } from './kinds/file-kind.ts'
import type { ResourceNames } from './resource-names.ts'

const referencesIn = (kind: FileKind, content: ResourceRecord): readonly Reference[] => [
  ...kind.references,
  ...(kind.nestedReferences?.(content) ?? []),
]

/** A name that no resource has. */
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

/** Replaces the values of references in a content. All values are collected first and replaced concurrently. */
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

/** Replaces ids in a content by names. An id without a unique name stays an id. */
export const replaceIdsWithNames = (
  names: ResourceNames,
  kind: FileKind,
  content: ResourceRecord,
): Promise<ResourceRecord> =>
  replaceReferences(kind, content, ({ value, to, field }) =>
    typeof value === 'number' ? names.nameOf(value, to, field) : Promise.resolve(value),
  )

/**
 * Replaces names in a content by ids. `onUnresolved` is called for names that do not exist. @throws ClientFailure
 * `usage` for an ambiguous name
 */
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

/** The error for a name in a file that no resource of the platform has. */
export const unresolvedNameError = (file: string, path: string, to: ResourceKind, name: string): ClientFailure =>
  new ClientFailure({
    exit: 'usage',
    code: 'usage',
    message: `${file}: ${path}: ${resources[to].singular} "${name}" not found.`,
    hint: 'Use an existing name or an id.',
  })
