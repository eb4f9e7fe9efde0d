import { isObject } from '../../contract/values/json-object.ts'
import type { SyncSide } from './compare.ts'
import { comparableContent, type RemoteResource, type SyncEntry } from './compare-folder.ts'
import { maskSecrets } from './environment-secrets.ts'

/**
 * Returns the content that was written, for the sync state. If the platform accepted a field without taking it, the
 * content has no hash: the file differs from the platform, so that it is reported and sent again. What the platform
 * adds to a value, such as defaults, does not count.
 */
export function takenSide({ kind, remote, fields }: SyncEntry, here: SyncSide, there: RemoteResource): SyncSide {
  const [wanted, live] = [comparableContent(kind, here.content), comparableContent(kind, there.content)]
  const written = remote ? fields : Object.keys(here.content)
  return written.every((name) => isTaken(maskSecrets(wanted[name]), maskSecrets(live[name])))
    ? here
    : { ...here, hash: '' }
}

const isEmpty = (it: unknown): boolean => it === undefined || it === null || it === ''

function isTaken(wanted: unknown, live: unknown): boolean {
  if (isEmpty(wanted)) return isEmpty(live)
  if (Array.isArray(wanted))
    return Array.isArray(live) && live.length === wanted.length && wanted.every((it, n) => isTaken(it, live[n]))
  if (isObject(wanted)) return isObject(live) && Object.entries(wanted).every(([name, it]) => isTaken(it, live[name]))
  return String(wanted) === String(live)
}
