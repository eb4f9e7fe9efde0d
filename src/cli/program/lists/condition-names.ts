import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Context } from '../context.ts'
import { targetOfKind } from '../dependencies/resource-targets.ts'
import { usageError } from '../errors/usage-error.ts'
import { listItems, selectItem } from '../input/resolve-target.ts'
import { resourceOfField } from '../resources/registry.ts'
import { type Condition, holdsName } from './parse-conditions.ts'

/**
 * Replaces names in conditions on ids by the ids: `folder_id=Reception`. @throws ClientFailure `not_found` for an
 * unknown name, `usage` for an ambiguous one and for ids of resources without names
 */
export async function resolveConditionNames(
  context: Context,
  conditions: readonly Condition[],
): Promise<readonly Condition[]> {
  return Promise.all(
    conditions.map(async (it) => {
      if (!holdsName(it)) return it
      const { field, operator, value } = it
      const [leaf = ''] = field.path.split('.').slice(-1)
      const kind = resourceOfField(leaf)
      // Names of templates are unique only within a sender.
      const target = kind === undefined || kind === 'templates' ? undefined : await targetOfKind(kind as ResourceKind)
      if (!target) throw usageError(`Invalid --filter "${field.path}${operator}${value}": ${field.path} is a number.`)
      const { id } = await selectItem(context, await listItems(context, target), value, target)
      return { ...it, value: String(id) }
    }),
  )
}
