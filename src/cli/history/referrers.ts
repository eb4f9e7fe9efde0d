import { itemsOf } from '../../client/paginate.ts'
import type { ResourceKind } from '../../contract/references/resource-references.ts'
import type { Context } from '../context.ts'
import type { RecordedResource } from '../resources/descriptors.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { Referrer } from './entries.ts'

/** Resource kinds by command noun, where the two differ. */
const resourceKinds: Readonly<Record<string, ResourceKind>> = { 'sip-trunks': 'numbers' }

type ReadList = (kind: ResourceKind) => Promise<readonly ResourceRecord[]>

/** Resources that reference a resource before its deletion. `readList` reads lists (default: one page of each). */
export async function findReferrers(
  context: Context,
  kind: RecordedResource,
  { id }: ResourceRecord,
  readList?: ReadList,
): Promise<Referrer[]> {
  const { referringLists, references } = await import('../../contract/references/resource-references.ts')
  const { valuesAtReference } = await import('../../contract/references/reference-paths.ts')
  const resourceKind = resourceKinds[kind.noun] ?? (kind.noun as ResourceKind)
  const found: Referrer[] = []
  for (const [from, fields] of Object.entries(references)) {
    const pointing = fields.filter(({ to }) => to === resourceKind)
    if (pointing.length === 0) continue
    const list = referringLists[from as ResourceKind]
    const items = readList
      ? await readList(from as ResourceKind)
      : (itemsOf(list, await context.call(list, { per_page: 100 } as never).catch(() => undefined)) as ResourceRecord[])
    for (const it of items)
      for (const { path, ...how } of pointing)
        if (valuesAtReference(it, { path, ...how }).includes(id))
          found.push({
            noun: from,
            id: it.id as number,
            name: ((it.name ?? it.display_name) as string | undefined) ?? null,
            field: path.split(/[[.]/, 1)[0] as string,
          })
  }
  return found.filter((it) => !(it.noun === kind.noun && it.id === id))
}
