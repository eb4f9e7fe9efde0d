import type { Assistant } from '../../contract/resources/assistants.ts'
import type { Context } from '../context.ts'
import type { AccountReader } from '../dependencies/account-reader.ts'
import { consentError } from '../errors/usage-error.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { RemoteResource, SyncEntry } from './compare-folder.ts'

/** Resources that cannot be deleted without confirmation, each with sentences about what uses it. */
export type ResourcesInUse = ReadonlyMap<SyncEntry, readonly string[]>

/** Returns the command that deletes one resource. */
export const deleteCommand = ({ kind, id }: SyncEntry): string => `parley ${kind.noun} delete ${id}`

/**
 * Rejects the deletion of resources in use, unless there is only one and `confirm` is its name. @throws ClientFailure
 * exit 10
 */
export function rejectInUse(inUse: ResourcesInUse, confirm: string | undefined): void {
  const [first, ...others] = [...inUse.keys()]
  if (!first || (others.length === 0 && confirm === first.name)) return
  const details = [...inUse].map(
    ([{ kind, name }, uses]) => `The ${kind.singular} "${name}" is in use. ${uses.join(' ')}`,
  )
  throw consentError(
    `Nothing was done.\n${details.join('\n')}`,
    others.length === 0
      ? `Pass --confirm ${JSON.stringify(first.name)}, or delete it separately: ${deleteCommand(first)}`
      : `Delete them one by one: ${[first, ...others].map(deleteCommand).join(', ')}. Or restore their files.`,
  )
}

/** Returns the account as a push leaves it: without `gone`, with assistants changed by id, and with new ones. */
export function accountAfterPush(
  account: AccountReader,
  gone: readonly SyncEntry[],
  changes: ReadonlyMap<unknown, ResourceRecord>,
  fresh: readonly ResourceRecord[],
): AccountReader {
  const after = (resourceKind: string, items: readonly ResourceRecord[]): readonly ResourceRecord[] => {
    const left = items.filter(({ id }) => !gone.some((it) => it.kind.resourceKind === resourceKind && it.id === id))
    return resourceKind === 'assistants' ? [...left.map((it) => ({ ...it, ...changes.get(it.id) })), ...fresh] : left
  }
  return Object.create(account, {
    list: {
      value: async (resourceKind: Parameters<AccountReader['list']>[0]) =>
        after(resourceKind, await account.list(resourceKind)),
    },
    automations: { value: async () => after('automate', await account.automations()) },
  })
}

/** Returns what is lost with an assistant, or with a tool that is in use. */
export async function usesOf(
  context: Context,
  noun: string,
  { id, raw }: RemoteResource,
  account: AccountReader,
): Promise<readonly string[]> {
  if (noun === 'tools') {
    const { findDependents } = await import('../dependencies/dependents.ts')
    const { isLive, effects } = await findDependents(context, 'tools', { ...raw, id }, account)
    return isLive ? effects : []
  }
  const { assistantDependents } = await import('../dependencies/assistant-dependents.ts')
  const { assistants } = await import('./kinds/assistants.ts')
  const found = ((await assistants.list(context)) as never as Assistant[]).find((it) => it.id === id)
  return found ? assistantDependents(context, found, (await account.list('assistants')) as never, account) : []
}
