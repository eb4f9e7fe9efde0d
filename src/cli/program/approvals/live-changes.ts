// Whether a write changes something that is live: what customers meet now. It is read right before the decision about a request.
// What cannot be read counts as live. The sentences are part of the stored summary that a person approves, and gate.ts compares them
// again before it sends: after a change of their texts, what was approved before must be asked for again.

import { liveChangeOf, liveStates } from '../../../contract/access/live-changes.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { type AccountReader, createAccountReader } from '../dependencies/account-reader.ts'
import { describeItem, useKey } from '../dependencies/deletion-effects.ts'
import { itemWith } from '../dependencies/item-index.ts'
import { findUsages } from '../dependencies/usages.ts'
import { resources } from '../resources/registry.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns what a write changes that is live, as a sentence for the person who decides; undefined if nothing of it is. A target
 * that a complete list does not have is nothing: the platform refuses the write. @throws ClientFailure `connection`
 */
export async function findLiveChange(
  context: Context,
  endpoint: Endpoint,
  input: unknown,
): Promise<string | undefined> {
  const change = liveChangeOf(endpoint)
  if (typeof change === 'string') return undefined
  const { kind, id } = change
  const fields = (input ?? {}) as Fields
  const account = readerOf(context)
  return orUnread(account, kind === 'leads' ? findLiveLead(account, fields) : findLiveItem(account, kind, fields[id]))
}

/** Returns a function that says why a resource is live, from lists that are read once; undefined for one that is not. */
export function createLiveReader(
  context: Context,
): (kind: ResourceKind, id: number | string | null) => Promise<string | undefined> {
  const account = readerOf(context)
  return (kind, id) => orUnread(account, findLiveItem(account, kind, id ?? undefined))
}

const readerOf = ({ call, system }: Context): AccountReader =>
  createAccountReader(call, system.signal, { onlyEnabled: true })

/** Counts as live what a list would say that could not be read. @throws ClientFailure `connection` */
async function orUnread(account: AccountReader, finding: Promise<string | undefined>): Promise<string | undefined> {
  const found = await finding
  const unread = account.failures.find((it) => !it.isAbsent)
  if (found !== undefined || !unread) return found
  if (unread.error.exit === 'connection') throw unread.error
  return `Whether it is live is not known: ${unread.what} could not be read.`
}

/** A lead is live while its campaign is, and while that is to which it is moved. */
async function findLiveLead(account: AccountReader, input: Fields): Promise<string | undefined> {
  const moved = await findLiveItem(account, 'campaigns', input.campaign_id)
  if (moved !== undefined) return moved
  const id = canonicalId(input.id)
  for (const campaign of await account.list('campaigns')) {
    const live = await findLive(account, 'campaigns', campaign, new Set())
    if (live === undefined) continue
    if (id === undefined) return unknownTarget(input.id)
    const members = await account.read(`the leads of campaign ${campaign.id}`, leads.list, { campaign_id: campaign.id })
    // A platform may ignore the filter.
    if (members.some((it) => String(it.id) === id && String(it.campaign_id ?? campaign.id) === String(campaign.id)))
      return live
  }
  return undefined
}

/** Returns an id as text; undefined for what a platform may read as an id that is written in another way. */
const canonicalId = (value: unknown): string | undefined => /^[1-9]\d*$/.exec(String(value))?.[0]

const unknownTarget = (id: unknown): string => `Whether it is live is not known: ${stringifyJson(id)} is not an id.`

async function findLiveItem(account: AccountReader, kind: ResourceKind, value: unknown): Promise<string | undefined> {
  // The platform refuses a write without its target.
  if (value === undefined) return undefined
  const id = canonicalId(value)
  if (id === undefined) return unknownTarget(value)
  const item = itemWith(await account.list(kind), 'id', id)
  return item && findLive(account, kind, item, new Set())
}

/** Returns why a resource is live. `seen` has those that were examined, because assistants may transfer to each other. */
async function findLive(
  account: AccountReader,
  kind: ResourceKind,
  item: LinkedItem,
  seen: Set<string>,
): Promise<string | undefined> {
  const called = `${resources[kind].singular} ${describeItem(item)}`
  const state = liveStates[kind]
  if (state && !state.idle.includes(String(item.status)))
    return `The ${called} is ${typeof item.status === 'string' ? item.status : 'live'}.`
  if (state && !state.isLiveInUse) return undefined
  seen.add(useKey(kind, item.id))
  const { certain } = await findUsages(account, kind, item)
  for (const { link } of certain) {
    if (seen.has(useKey(link.from, link.item.id))) continue
    const found = await findLive(account, link.from, link.item, seen)
    if (found !== undefined)
      return `The ${called} is used by the ${resources[link.from].singular} ${describeItem(link.item)}, which is live.`
  }
  return undefined
}
