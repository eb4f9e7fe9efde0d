import { hasDefinition, type LinkedItem, referringKinds } from '../../../contract/references/resource-links.ts'
import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import { stringifyJson } from '../../../node/json.ts'
import { type AccountReader, mapConcurrently, type ReadFailure } from '../../program/dependencies/account-reader.ts'
import { describeItem } from '../../program/dependencies/deletion-effects.ts'
import { groupBy } from '../../program/dependencies/item-index.ts'
import { findUsages, itemsOfKind } from '../../program/dependencies/usages.ts'
import type { AuditReason, AuditRules, AuditScope } from '../../program/resources/audit-rules.ts'
import { resources } from '../../program/resources/registry.ts'
import type { Resource, ResourceName } from '../../program/resources/resource.ts'

/** Categories of findings. They are in JSON and JUnit reports: added and not renamed. */
export const auditCategories = ['unused', 'stale', 'duplicate', 'orphaned', 'over_privileged'] as const
export type AuditCategory = (typeof auditCategories)[number]

/** A resource that is superfluous or risky. Scripts read it as JSON: fields and words are added, not renamed. */
export interface AuditFinding {
  readonly category: AuditCategory
  readonly noun: string
  readonly id: number | string
  readonly name: string | null
  readonly detail: string
  /** Time of the last use or change, ISO 8601; null if it is not known. */
  readonly since: string | null
  /** Days since then. */
  readonly age_days: number | null
  /** Price in USD per month; null without one, or if the platform does not show it. */
  readonly monthly_usd: number | null
  /** The commands that help, in order. */
  readonly commands: readonly string[]
}

/** What was audited of one noun. */
interface AuditedNoun {
  readonly noun: string
  readonly plural: string
  readonly count: number
  /** The names of its resources; null if its list was not read completely. */
  readonly names: readonly string[] | null
  /** Categories that were judged. Others have no rule, or their lists could not be read. */
  readonly categories: readonly AuditCategory[]
}

/** What an audit has found in the lists that could be read. */
interface AuditResult {
  readonly findings: readonly AuditFinding[]
  readonly nouns: readonly AuditedNoun[]
}

/** The result of an audit. */
export interface AccountAudit extends AuditResult {
  /** Lists that the platform has and that could not be read. */
  readonly unread: readonly ReadFailure[]
}

const dayMs = 86_400_000

/** What an audit reads. */
export interface AccountAuditScope extends Omit<AuditScope, 'read'> {
  readonly account: AccountReader
}

/** What the rules and the references of an audit read. */
type Scope = AuditScope & Pick<AccountAuditScope, 'account'>

/** A resource with rules, and its rows. */
interface AuditedResource {
  readonly name: ResourceName
  readonly resource: Resource
  readonly rules: AuditRules
  readonly items: readonly LinkedItem[]
  /** Whether its list was read completely. */
  readonly isComplete: boolean
}

const isKind = (name: ResourceName): name is ResourceKind => Object.hasOwn(resourceLists, name)

/** Reads the rows of every resource that has rules. */
async function readResources(scope: Scope): Promise<readonly AuditedResource[]> {
  const { account } = scope
  const found: AuditedResource[] = []
  for (const [name, resource] of Object.entries(resources) as [ResourceName, Resource][]) {
    const rules = await resource.loadAudit?.()
    if (!rules) continue
    const failures = account.failures.length
    const items = rules.list ? await rules.list(scope) : isKind(name) ? await itemsOfKind(account, name) : []
    const isComplete = isKind(name) ? account.isComplete(name) : account.failures.length === failures
    found.push({ name, resource, rules, items, isComplete })
  }
  return found
}

/** Audits an account for the wanted categories. Only reads, and reads each list once. Nothing is called unused while a list that may refer to it could not be read. */
export async function auditAccount(
  given: AccountAuditScope,
  wanted: readonly AuditCategory[] = auditCategories,
): Promise<AuditResult> {
  const scope: Scope = { ...given, read: given.account.read }
  const audited = await readResources(scope)
  const rulesOf = new Map(audited.map((it) => [it.name, it.rules]))
  const findings: AuditFinding[] = []
  const nouns: AuditedNoun[] = []
  for (const entry of audited) {
    const { resource, rules, items } = entry
    const judgesReferences = rules.unused !== undefined && (await canJudgeReferences(scope, entry))
    const reasons = await mapConcurrently(items, (item) => reasonsOf(scope, entry, item, judgesReferences && rulesOf))
    const usage = usageReader(scope, entry, rulesOf)
    const copies = await duplicatesIn(entry, usage)
    for (const [n, item] of items.entries()) {
      const all = { ...reasons[n], duplicate: copies.get(item) }
      for (const category of wanted) {
        const reason = all[category]
        if (reason)
          findings.push(toFinding(scope, entry, item, category, await withoutRemoval(entry, item, reason, usage)))
      }
    }
    nouns.push({
      noun: resource.noun,
      plural: resource.plural,
      count: items.length,
      names: entry.isComplete ? items.map((it) => nameOf(it) ?? String(it.id)) : null,
      categories: wanted.filter(
        (category) =>
          (category === 'duplicate' && entry.isComplete) ||
          ((category === 'unused' || category === 'orphaned') && judgesReferences) ||
          (category === 'stale' && rules.stale !== undefined) ||
          (category === 'over_privileged' && rules.overPrivileged !== undefined),
      ),
    })
  }
  return { findings, nouns }
}

/** Returns whether all lists were read that may refer to a resource. */
async function canJudgeReferences({ account }: Scope, { name, rules }: AuditedResource): Promise<boolean> {
  const kind = rules.referredAs ?? name
  if (!isKind(kind)) return false
  const kinds = referringKinds(kind)
  await Promise.all(kinds.map((it) => account.listReferring(it)))
  const definitions = kinds.some(hasDefinition) ? await account.automations() : []
  return (
    account.isComplete(kind) &&
    kinds.every(account.isComplete) &&
    definitions.every((it) => it.definition !== undefined)
  )
}

type Reasons = Readonly<Partial<Record<AuditCategory, AuditReason | undefined>>>

/** Returns the reasons of one item, without duplicates. `rulesOf` are the rules of all resources, if references can be judged. */
async function reasonsOf(
  scope: Scope,
  { name, rules }: AuditedResource,
  item: LinkedItem,
  rulesOf: ReadonlyMap<ResourceName, AuditRules> | false,
): Promise<Reasons> {
  const overPrivileged = rules.overPrivileged?.(item, scope)
  const stale = await rules.stale?.(item, scope)
  if (!rulesOf) return { stale, over_privileged: overPrivileged }
  const { certain, possible } = await findUsages(scope.account, (rules.referredAs ?? name) as ResourceKind, item)
  // An expression may refer to any of them.
  if (possible.length > 0) return { stale, over_privileged: overPrivileged }
  const users = certain.map((it) => it.link)
  const isOff = ({ from, item }: (typeof users)[number]): boolean => rulesOf.get(from)?.isOff?.(item) === true
  if (users.some((it) => !isOff(it))) return { stale, over_privileged: overPrivileged }
  const reason = await rules.unused?.(item, scope, users)
  if (users.length === 0 || !reason) return { unused: reason, stale, over_privileged: overPrivileged }
  const shown = [...new Set(users.map((it) => `${resources[it.from].singular} ${describeItem(it.item)}`))]
  const more = shown.length > 3 ? ` and ${shown.length - 3} more` : ''
  const detail = `is used only by what is switched off: ${shown.slice(0, 3).join(', ')}${more}.`
  return { orphaned: { ...reason, detail }, stale, over_privileged: overPrivileged }
}

/** Returns what would stop working without an item, and what helps then instead; undefined if nothing is known to use it. */
type UsageReader = (item: LinkedItem) => Promise<Pick<Required<AuditReason>, 'detail' | 'commands'> | undefined>

/** Reads the users of the items of a resource. What may use it, or could not be read, counts as a user. */
function usageReader(
  scope: Scope,
  entry: AuditedResource,
  rulesOf: ReadonlyMap<ResourceName, AuditRules>,
): UsageReader {
  const { name, rules, resource } = entry
  const kind = rules.referredAs ?? name
  return async (item) => {
    const own = rules.usedHere?.(item, scope)
    if (own || !isKind(kind) || referringKinds(kind).length === 0) return own
    const commands = [`parley refs ${resource.noun} ${item.id}`]
    if (!(await canJudgeReferences(scope, entry))) return { detail: 'What uses it could not be read.', commands }
    const { certain, possible } = await findUsages(scope.account, kind, item)
    const user = [...certain.map((it) => it.link), ...possible].find(
      (it) => rulesOf.get(it.from)?.isOff?.(it.item) !== true,
    )
    return user && { detail: `The ${resources[user.from].singular} ${describeItem(user.item)} uses it.`, commands }
  }
}

/** Returns a reason that does not suggest to remove what is in use. */
async function withoutRemoval(
  { rules }: AuditedResource,
  item: LinkedItem,
  reason: AuditReason,
  usage: UsageReader,
): Promise<AuditReason> {
  if (reason.commands && !reason.commands.includes(rules.removeCommand(item))) return reason
  const used = await usage(item)
  return used ? { ...reason, detail: `${reason.detail} ${used.detail}`, commands: used.commands } : reason
}

/**
 * Returns why items are duplicates: the same content, else the same name, as the one of them that stays. This is the one in use, or
 * the first of the list.
 */
async function duplicatesIn(
  { rules, items }: AuditedResource,
  usage: UsageReader,
): Promise<ReadonlyMap<LinkedItem, AuditReason>> {
  const found = new Map<LinkedItem, AuditReason>()
  const preferredOf = async (group: readonly LinkedItem[]): Promise<LinkedItem | undefined> => {
    const ranked = await mapConcurrently(group, async (item) => ({
      item,
      use: ((await usage(item)) ? 2 : 0) + (rules.isOff && !rules.isOff(item) ? 1 : 0),
      order: rules.keepOrder?.(item) ?? '',
    }))
    return ranked.toSorted((a, b) => b.use - a.use || (a.order === b.order ? 0 : a.order < b.order ? 1 : -1))[0]?.item
  }
  const mark = async (keyOf: (item: LinkedItem) => string | undefined, what: string): Promise<void> => {
    const keyed = items.flatMap((item) => {
      const key = keyOf(item)
      return key === undefined ? [] : [{ item, key }]
    })
    for (const group of groupBy(keyed, (it) => it.key).values()) {
      if (group.length < 2) continue
      const all = group.map((it) => it.item)
      const first = await preferredOf(all)
      for (const item of all)
        if (first && item !== first && !found.has(item))
          found.set(item, { detail: `has the same ${what} as ${describeItem(first)}.` })
    }
  }
  await mark((item) => {
    const content = rules.contentOf?.(item)
    return content === undefined ? undefined : stringifyJson(content)
  }, 'content')
  // A row without a name has its id as name.
  await mark(
    ({ id, name }) => (typeof name === 'string' && name !== String(id) ? name.trim().toLowerCase() : undefined),
    'name',
  )
  return found
}

const nameOf = ({ name, phone_number: phone }: LinkedItem): string | null =>
  [name, phone].find((it) => typeof it === 'string') ?? null

function toFinding(
  { now }: Scope,
  { resource: { noun, singular }, rules }: AuditedResource,
  item: LinkedItem,
  category: AuditCategory,
  { detail, since: given, commands = [rules.removeCommand(item)] }: AuditReason,
): AuditFinding {
  const name = nameOf(item)
  const fallback = [item.updated_at, item.created_at].find((it) => typeof it === 'string')
  const since = given === undefined ? ((fallback as string | undefined) ?? null) : given
  return {
    category,
    noun,
    id: item.id as number | string,
    name,
    detail: `${singular.charAt(0).toUpperCase()}${singular.slice(1)} ${describeItem(item)} ${detail}`,
    since,
    age_days: since === null ? null : Math.max(0, Math.floor((now - Date.parse(since)) / dayMs)),
    monthly_usd: rules.monthlyUsd?.(item) ?? null,
    commands,
  }
}
