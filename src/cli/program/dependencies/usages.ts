import { toolsPath } from '../../../contract/references/reference-paths.ts'
import {
  hasDefinition,
  type Link,
  type LinkedItem,
  linksOf,
  referringKinds,
} from '../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { resources } from '../resources/registry.ts'
import type { AccountReader, SearchableAccount } from './account-reader.ts'
import { isLive, useKey } from './deletion-effects.ts'
import { groupBy, itemsWith } from './item-index.ts'

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

/** The references of an account to one kind. */
interface KindUsages {
  readonly links: readonly Link[]
  /** Positions in `links` by the text of the id, or name, that they have. */
  readonly positions: ReadonlyMap<string, readonly number[]>
  readonly possible: readonly Link[]
  /** Keys of the resources that active resources use. */
  readonly used: ReadonlySet<string>
}

/** What was computed of an account, so that the usages of many resources read its lists once. */
interface AccountLinks {
  readonly from: Map<ResourceKind, Promise<readonly Link[]>>
  readonly to: Map<ResourceKind, Promise<KindUsages>>
}

const computed = new WeakMap<AccountReader, AccountLinks>()

function computedOf(account: AccountReader): AccountLinks {
  const found = computed.get(account) ?? { from: new Map(), to: new Map() }
  computed.set(account, found)
  return found
}

/** Returns the references of all resources of a kind that `listReferring` returns, automations with those of their steps. */
export function linksFrom(account: AccountReader, from: ResourceKind): Promise<readonly Link[]> {
  const { from: known } = computedOf(account)
  const links =
    known.get(from) ?? referringItems(account, from).then((items) => items.flatMap((it) => linksOf(from, it)))
  known.set(from, links)
  return links
}

function usagesOfKind(account: AccountReader, to: ResourceKind): Promise<KindUsages> {
  const { to: known } = computedOf(account)
  const usages = known.get(to) ?? readUsages(account, to)
  known.set(to, usages)
  return usages
}

async function readUsages(account: AccountReader, to: ResourceKind): Promise<KindUsages> {
  const kinds = referringKinds(to)
  // All lists are read before the definitions, so that requests have a stable order.
  await Promise.all(kinds.map((it) => account.listReferring(it)))
  return toKindUsages((await Promise.all(kinds.map((from) => linksFrom(account, from)))).flat(), to)
}

/** Returns the references to one kind, of all references that were found. */
function toKindUsages(found: readonly Link[], to: ResourceKind): KindUsages {
  const links = found.filter((it) => it.to === to)
  // A tool is in use if an active assistant has it. What the tool references is in use then too, and asks for more consent.
  const used = new Set(
    found.flatMap((usage) =>
      usage.by === toolsPath && resources[usage.from].isActive?.(usage.item) === true
        ? [useKey(usage.to, usage.id)]
        : [],
    ),
  )
  const positions = groupBy([...links.keys()], (n) => String(links[n]?.id))
  return { links, positions, possible: links.filter((it) => it.expression !== undefined), used }
}

/**
 * Finds references to a resource, of which there may be many. A template and a called automation may be referenced by name.
 */
export const findUsages = async (account: AccountReader, to: ResourceKind, target: LinkedItem): Promise<Usages> =>
  usagesOf(await usagesOfKind(account, to), to, target)

/** Finds references to one resource only. The platform searches for them if it can. */
export async function searchUsages(account: SearchableAccount, to: ResourceKind, target: LinkedItem): Promise<Usages> {
  const name = acceptsName(to) && typeof target.name === 'string' ? target.name : undefined
  const found = await account.searchLinks(to, target, name)
  if (!found) return findUsages(account, to, target)
  const others = referringKinds(to).filter((it) => !found.searched.has(it))
  const read = await Promise.all(others.map((from) => linksFrom(account, from)))
  return usagesOf(toKindUsages([...found.links, ...read.flat()], to), to, target)
}

function usagesOf({ links, positions, possible, used }: KindUsages, to: ResourceKind, target: LinkedItem): Usages {
  const names = [target.id, ...(acceptsName(to) && typeof target.name === 'string' ? [target.name] : [])]
  const places = new Set(names.flatMap((it) => positions.get(String(it)) ?? []))
  const certain = [...places]
    .sort((a, b) => a - b)
    .flatMap((n) => links[n] ?? [])
    // A reference of the resource to itself is deleted with it, and breaks nothing.
    .filter((it) => isTarget(it, target) && !(it.from === to && String(it.item.id) === String(target.id)))
  return { certain: certain.map((link) => ({ link, live: isLive(link, used) })), possible }
}

/** Returns whether steps may reference a resource of a kind by its name. */
const acceptsName = (to: ResourceKind): boolean => to === 'templates' || to === 'automate'

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
  return isSameSender && (String(id) === String(target.id) || (acceptsName(to) && id === target.name))
}

/**
 * Finds the target of a link: the resource, `missing` if its list was read completely without it, otherwise `unknown`.
 * `list` reads the items of a kind among which the one with an id must be (default: all).
 */
export async function findLinkTarget(
  account: AccountReader,
  link: Link,
  origin?: string,
  list: (resourceKind: ResourceKind, id: unknown) => Promise<readonly LinkedItem[]> = account.list,
): Promise<LinkedItem | 'missing' | 'unknown'> {
  // An expression has its value only when the automation runs, so it is never reported as missing.
  if (link.id === undefined) return 'unknown'
  const items = await list(link.to, link.id)
  const named = acceptsName(link.to) ? itemsWith(items, 'name', link.id) : []
  const [found, other] = [itemsWith(items, 'id', link.id), named].flatMap((some): LinkedItem[] =>
    some.filter((it) => isTarget(link, it)).slice(0, 1),
  )
  // Of two, the first one in the list.
  if (found) return other && items.indexOf(other) < items.indexOf(found) ? other : found
  // Addresses on another platform reference automations that are not in this account.
  if (
    link.address !== undefined &&
    (origin === undefined || !URL.canParse(link.address) || new URL(link.address).origin !== origin)
  )
    return 'unknown'
  // Only a list that was read to its end proves that something is missing.
  return account.isComplete(link.to) ? 'missing' : 'unknown'
}
