import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Context } from '../context.ts'
import { resources } from '../resources/registry.ts'
import type { ListedItem } from '../resources/resource.ts'
import { createAccountReader, requireReferences } from './account-reader.ts'
import { findUsages } from './usages.ts'

/**
 * Returns the resources of a kind that nothing references, in one reading of the account. @throws ClientFailure
 * `undo_unavailable` if a list cannot be read in which a reference may be
 */
export async function findUnused(
  context: Context,
  kind: ResourceKind,
  rows: readonly ListedItem[],
): Promise<readonly ListedItem[]> {
  const { singular, plural } = resources[kind]
  const account = createAccountReader(context.call, context.system.signal)
  const usages = await Promise.all(rows.map((it) => findUsages(account, kind, it)))
  await requireReferences(context, account, singular)
  if (usages.some((it) => it.possible.length > 0))
    await context.notes.warn(
      `Automations may use ${plural} through expressions, whose value is known only when they run.`,
    )
  return rows.filter((_, n) => usages[n]?.certain.length === 0)
}
