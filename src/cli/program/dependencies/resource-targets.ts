import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import { resources } from '../resources/registry.ts'
import type { Target } from '../resources/resource.ts'

/** Returns how a resource is found: as in its own commands; catalog items by name or code. */
export async function targetOfKind(resourceKind: ResourceKind): Promise<Target> {
  const { loadTarget, singular, showCommand, catalogCode } = resources[resourceKind]
  if (loadTarget) return loadTarget()
  return {
    singular,
    list: resourceLists[resourceKind],
    listCommand: showCommand,
    by: ['name', catalogCode ?? 'code'],
    label: ({ id, name, code, gender, accent }) =>
      `${[name, code, gender, accent].filter((it) => it !== undefined && it !== null).join(', ')} (${id})`,
  }
}
