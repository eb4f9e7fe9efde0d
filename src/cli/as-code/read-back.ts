import { compareSent } from '../updates/compare-sent.ts'
import type { SyncSide } from './compare.ts'
import type { RemoteResource, SyncEntry } from './compare-folder.ts'
import { maskSecrets } from './environment-secrets.ts'
import { comparableContent } from './merge-entry.ts'

/**
 * Returns the content that was written, for the sync state. If the platform accepted a field without taking it, the
 * content has no hash: the file differs from the platform, so that it is reported and sent again. What the platform
 * adds to a value, such as defaults, does not count.
 */
export function takenSide({ kind, remote, fields }: SyncEntry, here: SyncSide, there: RemoteResource): SyncSide {
  const [wanted, live] = [comparableContent(kind, here.content), comparableContent(kind, there.content)]
  const written = remote ? fields : Object.keys(here.content)
  return written.every((name) => compareSent(maskSecrets(wanted[name]), maskSecrets(live[name])) !== 'different')
    ? here
    : { ...here, hash: '' }
}
