import { valuesAtReference } from '../../../contract/references/reference-paths.ts'
import { type ResourceKind, references } from '../../../contract/references/resource-references.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import { type AccountReader, createAccountReader, requireReferences } from '../dependencies/account-reader.ts'
import type { RecordedResource } from '../resources/registry.ts'
import type { Referrer } from './entries.ts'

/** Resource kinds by command noun, where the two differ. */
const resourceKinds: Readonly<Record<string, ResourceKind>> = { 'sip-trunks': 'numbers' }

/**
 * Returns the resources that reference a resource before its deletion, from complete lists. `readList`
 * reads a list whose failures the command has reported. @throws ClientFailure `undo_unavailable`
 */
export async function findReferrers(
  context: Context,
  kind: RecordedResource,
  { id }: ResourceRecord,
  readList?: AccountReader['listReferring'],
): Promise<Referrer[]> {
  const account = createAccountReader(context.call, context.system.signal)
  const resourceKind = resourceKinds[kind.noun] ?? (kind.noun as ResourceKind)
  const found: Referrer[] = []
  for (const [from, fields] of Object.entries(references)) {
    const pointing = fields.filter(({ to }) => to === resourceKind)
    if (pointing.length === 0) continue
    for (const item of await (readList ?? account.listReferring)(from as ResourceKind))
      for (const { path, ...how } of pointing)
        if (valuesAtReference(item, { path, ...how }).some((value) => String(value) === String(id)))
          found.push({
            noun: from,
            id: item.id as number,
            name: ((item.name ?? item.display_name) as string | undefined) ?? null,
            field: path.split(/[[.]/, 1)[0] as string,
          })
  }
  await requireReferences(context, account, kind.singular)
  return found.filter((it) => !(it.noun === kind.noun && String(it.id) === String(id)))
}
