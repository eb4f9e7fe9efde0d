import { type ResourceKind, references } from '../../contract/resources/resource-references.ts'
import type { AccountReader } from './account-reader.ts'
import { isLive } from './deletion-effects.ts'
import { type Link, type LinkedItem, linksOf, referringKinds } from './resource-links.ts'

/** Something that points to a thing. */
export interface Usage {
  readonly link: Link
  /** Whether something works through it now. */
  readonly live: boolean
}

export interface Usages {
  readonly certain: readonly Usage[]
  /** Expressions that may come to it: what they point to is known when the automation runs. */
  readonly possible: readonly Link[]
}

export const itemsOfKind = (account: AccountReader, resourceKind: ResourceKind): Promise<readonly LinkedItem[]> =>
  resourceKind === 'automate' ? account.automations() : account.list(resourceKind)

/** What points to a thing, from the lists that can: they are read at the same time. A template may be meant by its name. */
export async function findUsages(account: AccountReader, to: ResourceKind, target: LinkedItem): Promise<Usages> {
  const kinds = referringKinds(to)
  // The lists first, all at once; definitions after them, so that requests come in one order.
  await Promise.all(kinds.map((it) => account.list(it)))
  const found = (
    await Promise.all(kinds.map(async (from) => (await itemsOfKind(account, from)).flatMap((it) => linksOf(from, it))))
  ).flat()
  const links = found.filter((it) => it.to === to)
  const used = new Set(found.flatMap((it) => (it.by === 'tool_ids[]' && it.item.status !== 'inactive' ? [it.id] : [])))
  const certain = links.filter((it) => isTarget(it, target) && !(it.from === to && it.item.id === target.id))
  return {
    certain: certain.map((link) => ({ link, live: isLive(link, used) })),
    possible: links.filter((it) => it.expression !== undefined),
  }
}

/** Whether a link means this thing: its id, or a template's name at its own sender. */
function isTarget({ to, id, sender }: Link, target: LinkedItem): boolean {
  if (id === undefined) return false
  const isSameSender =
    to !== 'templates' || sender === undefined || target.sender_id === undefined || sender === target.sender_id
  return isSameSender && (String(id) === String(target.id) || (to === 'templates' && id === target.name))
}

/** What a link leads to: the thing; `missing` where its list was read and has it not; `unknown` where nobody can tell. */
export async function findLinkTarget(
  account: AccountReader,
  link: Link,
  origin?: string,
): Promise<LinkedItem | 'missing' | 'unknown'> {
  if (link.id === undefined) return 'unknown'
  const items = await account.list(link.to)
  const found = items.find((it) => isTarget(link, it))
  if (found) return found
  // Automations of another platform are none of ours.
  if (
    link.address !== undefined &&
    (origin === undefined || !URL.canParse(link.address) || new URL(link.address).origin !== origin)
  )
    return 'unknown'
  return account.isComplete(link.to) ? 'missing' : 'unknown'
}

/** Whether anything of this kind points elsewhere. */
export const hasReferences = (resourceKind: ResourceKind): boolean =>
  resourceKind === 'automate' || resourceKind === 'tools' || Object.hasOwn(references, resourceKind)
