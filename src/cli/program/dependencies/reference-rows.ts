import { type Link, type LinkedItem, linksOf } from '../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { listHint, selectItem } from '../input/resolve-target.ts'
import { kindToken, resources } from '../resources/registry.ts'
import type { ListedItem } from '../resources/resource.ts'
import { type AccountReader, createAccountReader, type SearchableAccount } from './account-reader.ts'
import { deletionEffect } from './deletion-effects.ts'
import { itemWith } from './item-index.ts'
import { targetOfKind } from './resource-targets.ts'
import { findLinkTarget, searchUsages } from './usages.ts'

/**
 * Finds a resource in its list by id or unique name. On a terminal without either, prompts for one. @throws
 * ClientFailure `not_found`, `usage`, or the error of reading the list
 */
async function findResource(
  context: Context,
  account: SearchableAccount,
  resourceKind: ResourceKind,
  given: string | undefined,
  whileShown: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<LinkedItem> {
  const target = await targetOfKind(resourceKind)
  if (given === undefined && !context.interactive)
    throw usageError(`Missing ${target.singular}. Pass its id or name.`, listHint(target))
  const withDefinition = (item: LinkedItem): Promise<LinkedItem> =>
    whileShown(() => account.withDefinition(resourceKind, item))
  const known = itemWith(await whileShown(() => account.listWith(resourceKind, given)), 'id', given)
  if (known) return withDefinition(known)
  const items = await whileShown(() => account.list(resourceKind))
  const [trouble] = account.failures
  if (items.length === 0 && trouble) throw trouble.error
  return withDefinition((await selectItem(context, items as readonly ListedItem[], given, target)) as LinkedItem)
}

/** One reference, from the perspective of the requested resource. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ReferenceRow {
  readonly direction: 'used_by' | 'uses'
  /** Command noun of the other resource. */
  readonly noun: string
  /** Kind of the other resource, such as `knowledge_base`. */
  readonly kind: string
  readonly id: number | string | null
  /** Its name, or the expression in place of a reference. */
  readonly name: string | null
  /** The referencing field, in whichever resource it is. */
  readonly field: string
  /** Whether the reference is in use now; null for outgoing references. */
  readonly live: boolean | null
  readonly state: 'present' | 'missing' | 'unknown'
  /** Effect of deleting the requested resource; a sentence. */
  readonly loss: string | null
}

const itemName = (item: LinkedItem): string | null => {
  const found = [item.name, item.phone_number, item.display_name].find(
    (value) => typeof value === 'string' && value !== '',
  )
  return found === undefined ? null : String(found)
}

/** Returns the references of a resource in both directions or one, incoming ones first. */
export async function referenceRows(
  context: Context,
  given: ResourceKind,
  argument: string | undefined,
  only: { readonly uses: boolean; readonly usedBy: boolean },
): Promise<{ readonly rows: readonly ReferenceRow[]; readonly account: AccountReader }> {
  let onProgress = (_: string): void => {}
  const account = createAccountReader(context.call, context.system.signal, { onProgress: (text) => onProgress(text) })
  const whileShown = <T>(work: () => Promise<T>): Promise<T> =>
    context.progress.showWhile('Reading', (setText) => {
      onProgress = setText
      return work()
    })
  const item = await findResource(context, account, given, argument, whileShown)
  // SIP trunks are referenced as numbers.
  const resourceKind = given === 'sipTrunks' ? 'numbers' : given
  const rows = await whileShown(async () => [
    ...(only.uses ? [] : await incomingRows(account, resourceKind, item)),
    ...(only.usedBy ? [] : await outgoingRows(context, account, resourceKind, item)),
  ])
  return { rows, account }
}

const sourceColumns = (link: Link): Pick<ReferenceRow, 'direction' | 'noun' | 'kind' | 'id' | 'name' | 'field'> => {
  return {
    direction: 'used_by',
    noun: resources[link.from].noun,
    kind: kindToken(link.from),
    id: link.item.id as number | string,
    name: itemName(link.item),
    field: link.path,
  }
}

async function incomingRows(
  account: SearchableAccount,
  resourceKind: ResourceKind,
  item: LinkedItem,
): Promise<ReferenceRow[]> {
  const { certain, possible } = await searchUsages(account, resourceKind, item)
  return [
    ...certain.map(
      ({ link, live }): ReferenceRow => ({
        ...sourceColumns(link),
        live,
        state: 'present',
        loss: deletionEffect(link, item) ?? null,
      }),
    ),
    ...possible.map(
      (link): ReferenceRow => ({
        ...sourceColumns(link),
        name: `${itemName(link.item)}: ${link.expression}`,
        live: null,
        state: 'unknown',
        loss: null,
      }),
    ),
  ]
}

async function outgoingRows(
  context: Context,
  account: SearchableAccount,
  resourceKind: ResourceKind,
  item: LinkedItem,
): Promise<ReferenceRow[]> {
  const links = linksOf(resourceKind, item)
  const { base } = await context.connection()
  const origin = URL.canParse(base) ? new URL(base).origin : undefined
  return Promise.all(
    links.map(async (link): Promise<ReferenceRow> => {
      const found = await findLinkTarget(account, link, origin, account.listWith)
      const state = isObject(found) ? 'present' : found
      const id = isObject(found) ? (found.id as number | string) : (link.id ?? null)
      return {
        direction: 'uses',
        noun: resources[link.to].noun,
        kind: kindToken(link.to),
        id,
        name: isObject(found) ? itemName(found) : (link.expression ?? null),
        field: link.path,
        live: null,
        state,
        loss: null,
      }
    }),
  )
}
