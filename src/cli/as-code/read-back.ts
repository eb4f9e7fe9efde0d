import { inapplicableFields } from '../../contract/mechanics/endpoint.ts'
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
  const { conditionalFields: table } = kind.endpoints?.update ?? {}
  // Fields that do not apply have not been sent.
  const outside = table ? inapplicableFields(table, there.record[table.by]) : []
  const written = (remote ? fields : Object.keys(here.content)).filter((name) => !outside.includes(name))
  return written.every((name) => compareSent(maskSecrets(wanted[name]), maskSecrets(live[name])) !== 'different')
    ? here
    : { ...here, hash: '' }
}
