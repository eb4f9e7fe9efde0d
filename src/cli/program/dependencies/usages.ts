import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { resources } from '../resources/registry.ts'
import type { AccountReader } from './account-reader.ts'
import { isLive, useKey } from './deletion-effects.ts'
import { hasDefinition, type Link, type LinkedItem, linksOf, referringKinds } from './resource-links.ts'

/** A reference to a resource. */
export interface Usage {
  readonly link: Link
  /** Whether the reference is in use now. */
  readonly live: boolean
}

interface Usages {
  readonly certain: readonly Usage[]
  /** Expressions that may reference it: their value is known when the automation runs. */
  readonly possible: readonly Link[]
}

/** Returns the resources of a kind, with their definitions if they have some. */
export const itemsOfKind = (account: AccountReader, resourceKind: ResourceKind): Promise<readonly LinkedItem[]> =>
  hasDefinition(resourceKind) ? account.automations() : account.list(resourceKind)

const referringItems = (account: AccountReader, resourceKind: ResourceKind): Promise<readonly LinkedItem[]> =>
  hasDefinition(resourceKind) ? account.automations() : account.listReferring(resourceKind)

/** Finds references to a resource. A template and a called automation may be referenced by name. */
export async function findUsages(account: AccountReader, to: ResourceKind, target: LinkedItem): Promise<Usages> {
  const kinds = referringKinds(to)
  // All lists are read before the definitions, so that requests have a stable order.
  await Promise.all(kinds.map((it) => account.listReferring(it)))
  const found = (
    await Promise.all(
      kinds.map(async (from) => (await referringItems(account, from)).flatMap((it) => linksOf(from, it))),
    )
  ).flat()
  const links = found.filter((it) => it.to === to)
  // A tool is in use if an active assistant has it. What the tool references is in use then too, and asks for more consent.
  const used = new Set(
    found.flatMap((usage) =>
      usage.by === 'tool_ids[]' && resources[usage.from].isActive?.(usage.item) === true
        ? [useKey(usage.to, usage.id)]
        : [],
    ),
  )
  // A reference of the resource to itself is deleted with it, and breaks nothing.
  const certain = links.filter(
    (it) => isTarget(it, target) && !(it.from === to && String(it.item.id) === String(target.id)),
  )
  return {
    certain: certain.map((link) => ({ link, live: isLive(link, used) })),
    possible: links.filter((it) => it.expression !== undefined),
  }
}

/**
 * Returns whether a link references the target: by its id, or by its name if steps accept names. A template has its
 * name within a sender.
 */
function isTarget({ to, id, sender }: Link, target: LinkedItem): boolean {
  if (id === undefined) return false
  // Where a sender is not known, the reference counts: a warning too many is better than one too few.
  const isSameSender =
    to !== 'templates' ||
    sender === undefined ||
    target.sender_id === undefined ||
    String(sender) === String(target.sender_id)
  return (
    isSameSender &&
    (String(id) === String(target.id) || ((to === 'templates' || to === 'automate') && id === target.name))
  )
}

/**
 * Finds the target of a link: the resource, `missing` if its list was read completely without it, otherwise `unknown`.
 */
export async function findLinkTarget(
  account: AccountReader,
  link: Link,
  origin?: string,
): Promise<LinkedItem | 'missing' | 'unknown'> {
  // An expression has its value only when the automation runs, so it is never reported as missing.
  if (link.id === undefined) return 'unknown'
  const items = await account.list(link.to)
  const found = items.find((it) => isTarget(link, it))
  if (found) return found
  // Addresses on another platform reference automations that are not in this account.
  if (
    link.address !== undefined &&
    (origin === undefined || !URL.canParse(link.address) || new URL(link.address).origin !== origin)
  )
    return 'unknown'
  // Only a list that was read to its end proves that something is missing.
  return account.isComplete(link.to) ? 'missing' : 'unknown'
}
