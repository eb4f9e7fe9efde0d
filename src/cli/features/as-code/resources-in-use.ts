import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Assistant } from '../../../contract/resources/assistants.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { type AccountReader, createAccountReader } from '../../program/dependencies/account-reader.ts'
import { assistantDependents } from '../../program/dependencies/assistant-dependents.ts'
import { useKey } from '../../program/dependencies/deletion-effects.ts'
import { findDependents } from '../../program/dependencies/dependents.ts'
import { itemWith } from '../../program/dependencies/item-index.ts'
import { consentError } from '../../program/errors/usage-error.ts'
import type { RemoteResource, SyncEntry } from './compare.ts'
import type { AskedAgain } from './drift.ts'

/** Resources that cannot be deleted without confirmation, each with sentences about what uses it. */
export type ResourcesInUse = ReadonlyMap<SyncEntry, readonly string[]>

/** Returns the command that deletes one resource. */
export const deleteCommand = ({ kind, id }: SyncEntry): string => `parley ${kind.noun} delete ${id}`

/**
 * Rejects the deletion of resources in use, unless there is only one and `confirm` is its name. @throws ClientFailure
 * exit 10
 */
export function requireNotInUse(
  { interactive, globals }: Context,
  inUse: ResourcesInUse,
  confirm: string | undefined,
): void {
  const [first, ...others] = [...inUse.keys()]
  // --confirm names one resource, so it cannot agree to the deletion of several.
  if (!first || (others.length === 0 && confirm === first.name)) return
  const details = [...inUse].map(
    ([{ kind, name }, uses]) => `The ${kind.singular} "${name}" is in use. ${uses.join(' ')}`,
  )
  throw consentError(
    `Nothing was done.\n${details.join('\n')}`,
    others.length === 0
      ? `Pass --confirm ${stringifyJson(first.name)}${interactive || globals.yes ? '' : ' and --yes'}, or delete it separately: ${deleteCommand(first)}`
      : `Delete them one by one: ${[first, ...others].map(deleteCommand).join(', ')}. Or restore their files.`,
  )
}

/**
 * Confirms that a push disables automations in use, as `automate disable` does. @throws ClientFailure exit 10 without
 * confirmation
 */
export async function confirmDisabling(
  context: Context,
  written: readonly SyncEntry[],
  again: AskedAgain,
): Promise<void> {
  const disabled = written.filter(
    ({ kind, local, remote }) =>
      kind.noun === 'automations' && local?.content.enabled === false && remote?.content.enabled === true,
  )
  if (disabled.length === 0) return
  const account = createAccountReader(context.call, context.system.signal)
  const used: { readonly name: string; readonly uses: readonly string[] }[] = []
  for (const { name, remote } of disabled) {
    const uses = await usesOf(context, 'automate', remote as RemoteResource, account)
    if (uses.length > 0) used.push({ name: stringifyJson(name), uses })
  }
  if (used.length === 0) return
  const names = used.map((it) => it.name).join(', ')
  const effects = used.flatMap((it) => it.uses)
  // Without either, the refusal below has them.
  if (context.interactive || context.globals.yes) await context.notes.note(effects.join('\n'))
  const refusal = `Disabling ${names} requires confirmation: ${used.length === 1 ? 'it is' : 'they are'} in use.`
  await requireConfirmation(
    context,
    { question: `Disable ${names}?`, refusalMessage: [refusal, ...effects].join('\n') },
    again,
  )
}

/**
 * Confirms the deletion of documents that were removed from the files of knowledge bases. @throws ClientFailure exit 10
 * without confirmation
 */
export async function confirmDocumentDeletion(
  context: Context,
  written: readonly SyncEntry[],
  again: AskedAgain,
): Promise<void> {
  const gone = written.flatMap(({ kind, name, local, remote, fields }) => {
    if (kind.resourceKind !== 'knowledge' || !local || !remote || !fields.includes('documents')) return []
    const remaining = new Set(documentsIn(local.content).map((it) => it.name))
    return documentsIn(remote.content).flatMap((it) => (remaining.has(it.name) ? [] : [`"${it.name}" of "${name}"`]))
  })
  if (gone.length === 0) return
  const names = `the ${gone.length === 1 ? 'document' : 'documents'} ${gone.join(', ')}`
  await requireConfirmation(
    context,
    { question: `Delete ${names}?`, refusalMessage: `Deleting ${names} requires confirmation.` },
    again,
  )
}

const documentsIn = ({ documents }: ResourceRecord): readonly ResourceRecord[] =>
  Array.isArray(documents) ? (documents as readonly ResourceRecord[]) : []

/**
 * Returns the account as a push leaves it: without `gone`, with changed assistants and senders, and with new assistants.
 * `changes` has the changed fields by kind and id.
 */
export function accountAfterPush(
  account: AccountReader,
  gone: readonly SyncEntry[],
  changes: ReadonlyMap<string, ResourceRecord>,
  fresh: readonly ResourceRecord[],
): AccountReader {
  const deleted = new Set(gone.map((it) => useKey(it.kind.resourceKind, it.id)))
  const known = new Map<readonly ResourceRecord[], readonly ResourceRecord[]>()
  const changed = (resourceKind: ResourceKind, items: readonly ResourceRecord[]): readonly ResourceRecord[] => {
    const left = items.filter(({ id }) => !deleted.has(useKey(resourceKind, id)))
    const changed = left.map((it) => ({ ...it, ...changes.get(useKey(resourceKind, it.id)) }))
    return resourceKind === 'assistants' ? [...changed, ...fresh] : changed
  }
  // The reader returns the same list each time, and so does this one.
  const after = (resourceKind: ResourceKind, items: readonly ResourceRecord[]): readonly ResourceRecord[] => {
    const found = known.get(items) ?? changed(resourceKind, items)
    known.set(items, found)
    return found
  }
  return Object.create(account, {
    list: { value: async (it: ResourceKind) => after(it, await account.list(it)) },
    listReferring: { value: async (it: ResourceKind) => after(it, await account.listReferring(it)) },
    automations: { value: async () => after('automate', await account.automations()) },
  })
}

/** Returns what is lost with an assistant, or with another resource that is in use. */
export async function usesOf(
  context: Context,
  resourceKind: ResourceKind,
  { id, raw, record }: RemoteResource,
  account: AccountReader,
): Promise<readonly string[]> {
  if (resourceKind !== 'assistants') {
    const { isLive, effects } = await (resourceKind === 'automate'
      ? findDependents(context, 'automate', await startedAutomation({ ...record, id }, account), account)
      : findDependents(context, resourceKind, { ...raw, id }, account))
    return isLive ? effects : []
  }
  return assistantDependents(context, record as Assistant, undefined, account)
}

/**
 * Returns what other resources lose with a resource. Its own webhooks and events do not count: they were created with it.
 */
export async function usesByOthers(
  context: Context,
  resourceKind: ResourceKind,
  { id, record }: RemoteResource,
  account: AccountReader,
): Promise<readonly string[]> {
  const { isLive, effects } = await findDependents(context, resourceKind, { ...record, id, binding: null }, account)
  return isLive ? effects : []
}

/** Returns a live automation, without the event of an assistant that `account` does not have. */
async function startedAutomation(live: ResourceRecord, account: AccountReader): Promise<LinkedItem> {
  const { binding } = live
  const assistant = isObject(binding) && itemWith(await account.list('assistants'), 'id', binding.assistant_id)
  return { ...live, binding: assistant ? binding : null }
}
