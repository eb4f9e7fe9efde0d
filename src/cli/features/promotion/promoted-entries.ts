import type { Context } from '../../program/context.ts'
import { ResourceNames } from '../../program/documents/resource-names.ts'
import type { PromotionRecord } from '../../program/history/entries.ts'
import { type Layout, toRemoteResource, toSide } from '../as-code/compare-folder.ts'
import type { RemoteResource, SyncEntry } from '../as-code/merge-entry.ts'
import { differingFields } from '../as-code/merge-entry.ts'
import type { SyncLock } from '../as-code/sync-lock.ts'
import { keepLiveSecrets, noMissingSecrets } from './promoted-secrets.ts'

/** Compares what the promotion wrote with the platform. An entry without a local side was created by the promotion. */
export async function readPromotedEntries(
  context: Context,
  layout: Layout,
  { items }: PromotionRecord,
  lock: SyncLock,
): Promise<SyncEntry[]> {
  const names = new ResourceNames(context)
  const entries: SyncEntry[] = []
  for (const [, kind] of layout) {
    const own = Object.entries(items).filter(([, it]) => it.kind === kind.noun)
    if (own.length === 0) continue
    const remotes: RemoteResource[] = []
    for (const it of await kind.list(context)) remotes.push(await toRemoteResource(names, kind, it))
    for (const [file, item] of own) {
      const id = lock.of(file)?.id
      const remote = remotes.find((it) => (id === undefined ? it.name === item.name : it.id === id))
      const before = item.before
      if (!remote) continue
      // Without a hash: what an undo restores is not the content of the source.
      const local = before ? { ...(await toSide(kind, before)), hash: '' } : undefined
      const fields = before
        ? differingFields(kind, before, remote.content, []).filter((it) => item.fields.includes(it))
        : []
      const entry: SyncEntry = {
        kind,
        file,
        id: remote.id,
        name: remote.name,
        status: local ? 'changed_locally' : 'deleted_locally',
        local,
        remote,
        fields,
        ...(item.base && { base: item.base }),
      }
      entries.push(local ? keepLiveSecrets(entry, {}, noMissingSecrets()) : entry)
    }
  }
  return entries
}
