import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { mapReference, senderPathOf } from '../../../contract/references/reference-paths.ts'
import type { Reference, ResourceKind } from '../../../contract/references/resource-references.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { suggestNames } from '../commandline/closest-match.ts'
import { resources } from '../resources/registry.ts'
import type { ReferencePlace, ResourceFiles } from '../resources/resource-files.ts'
import type { ResourceNames } from './resource-names.ts'

const referencesIn = (kind: ResourceFiles, content: ResourceRecord): readonly Reference[] => [
  ...kind.references,
  ...(kind.nestedReferences?.(content) ?? []),
]

/** A name that no resource has. */
export interface UnresolvedName {
  readonly to: ResourceKind
  readonly name: string
  readonly path: string
  /** The platform accepts the name, and finds the resource when it is used. */
  readonly takesName?: true
  /** The names of the resources that exist. */
  readonly known: readonly string[]
}

interface FoundReference extends ReferencePlace {
  readonly value: unknown
  /** Path of the value: `tool_ids.1`. */
  readonly at: string
}

const fieldOf = (path: string): string => path.replace(/\[\].*$/, '')

/** Returns the references in a content with their values. */
function findReferences(kind: ResourceFiles, content: ResourceRecord): { place: Reference; found: FoundReference[] }[] {
  return referencesIn(kind, content).map((place) => {
    const { to, path, takesName } = place
    let sender: unknown
    if (to === 'templates')
      mapReference(content, { path: senderPathOf(path) }, (value) => {
        sender = value
        return value
      })
    const found: FoundReference[] = []
    mapReference(content, place, (value, at) => {
      found.push({ value, at, to, path: fieldOf(path), sender, ...(takesName && { takesName }) })
      return value
    })
    return { place, found }
  })
}

/** Replaces the values of references in a content. All values are collected first and replaced concurrently. */
async function replaceReferences(
  kind: ResourceFiles,
  content: ResourceRecord,
  replaceValue: (reference: FoundReference) => Promise<unknown>,
): Promise<ResourceRecord> {
  let result = content
  for (const { place, found } of findReferences(kind, content)) {
    const values = await Promise.all(found.map(replaceValue))
    let n = 0
    result = mapReference(result, place, () => values[n++])
  }
  return result
}

/** Returns the references in a content whose values are ids, because the resource has no unique name. */
export const unnamedReferences = (kind: ResourceFiles, content: ResourceRecord): FoundReference[] =>
  findReferences(kind, content).flatMap(({ found }) => found.filter((it) => isNumericId(it.value)))

/** Replaces ids in a content by names. An id without a unique name stays an id. */
export async function replaceIdsWithNames(
  names: ResourceNames,
  kind: ResourceFiles,
  content: ResourceRecord,
): Promise<ResourceRecord> {
  const referring = (await kind.withReferences?.(content, (id, place) => names.nameOf(id, place))) ?? content
  return replaceReferences(kind, referring, ({ value, ...place }) => names.nameOf(value, place))
}

/**
 * Replaces names in a content by ids. `onUnresolved` is called for names that do not exist. @throws ClientFailure
 * `usage` for an ambiguous name
 */
export const replaceNamesWithIds = (
  names: Pick<ResourceNames, 'idOf' | 'all'>,
  kind: ResourceFiles,
  content: ResourceRecord,
  file: string,
  onUnresolved: (unresolved: UnresolvedName) => void,
): Promise<ResourceRecord> =>
  replaceReferences(kind, content, async ({ value, at, ...place }) => {
    const id = await names.idOf(value, place, file)
    if (id === undefined)
      onUnresolved({
        to: place.to,
        name: String(value),
        path: at,
        known: await names.all(place),
        ...(place.takesName && { takesName: true }),
      })
    return id ?? value
  })

/** Returns the names in a content that no resource has, and a sentence for each that several have. */
export async function findUnresolvedNames(
  names: ResourceNames,
  kind: ResourceFiles,
  content: ResourceRecord,
  file: string,
): Promise<{ readonly unresolved: readonly UnresolvedName[]; readonly ambiguous: readonly string[] }> {
  const unresolved: UnresolvedName[] = []
  const ambiguous: string[] = []
  for (const { value, at, ...place } of findReferences(kind, content).flatMap(({ found }) => found))
    try {
      if ((await names.idOf(value, place, file)) === undefined)
        unresolved.push({ to: place.to, name: String(value), path: at, known: await names.all(place) })
    } catch (error) {
      if (!(error instanceof ClientFailure) || error.exit !== 'usage') throw error
      ambiguous.push(error.message.replace(/\.$/, ''))
    }
  return { unresolved, ambiguous }
}

/** The error for a name in a file that no resource of the platform has. */
export const unresolvedNameError = (file: string, { path, to, name, known }: UnresolvedName): ClientFailure =>
  new ClientFailure({
    exit: 'usage',
    code: 'usage',
    message: `${file}: ${path}: ${resources[to].singular} "${name}" not found.${suggestNames(name, known)}`,
    hint: 'Use an existing name or an id.',
  })
