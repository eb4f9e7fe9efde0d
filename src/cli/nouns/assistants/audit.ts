import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { recordTime } from '../../program/lists/conditions.ts'
import { type AuditRules, type AuditScope, isStale } from '../../program/resources/audit-rules.ts'

/** Fields in which copies of an assistant differ. The audit compares all others as text (audit-account.ts). */
const ownFields = new Set(['id', 'uuid', 'name', 'status', 'created_at', 'updated_at', 'phone_number_id'])

/**
 * Returns when an assistant last spoke: null if it never did, undefined if the platform does not say it. A deployment may
 * ignore the filter, so that the rows are compared.
 */
async function lastUse({ id, uuid }: LinkedItem, { call, signal }: AuditScope): Promise<string | null | undefined> {
  const query = { assistant_id: Number(id), per_page: 1 }
  try {
    const [chats, phoned] = await Promise.all([
      call(conversations.list, query, { signal }),
      call(calls.list, query, { signal }),
    ])
    if (chats.data.some((it) => it.assistant_id !== uuid)) return undefined
    const times = [...chats.data, ...phoned.data]
      .map((it) => recordTime(it.created_at))
      .filter((it) => !Number.isNaN(it))
    return times.length === 0 ? null : new Date(Math.max(...times)).toISOString()
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/**
 * What `parley audit` asks about assistants. A finding has `detail` as the end of its sentence, which may change, and
 * commands as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley assistants delete ${id}`,
  isOff: ({ status }) => status === 'inactive',
  async unused(item, scope) {
    // `doctor` reports an inactive one with a number.
    if ((item.phone_number_id ?? null) !== null || item.status === 'inactive' || !isStale(item.created_at, scope))
      return undefined
    const since = await lastUse(item, scope)
    if (since === undefined || (since !== null && !isStale(since, scope))) return undefined
    const last = since === null ? 'has never spoken' : 'has not spoken since'
    return { detail: `has no number, is not used by anything and ${last}.`, since: since ?? String(item.created_at) }
  },
  stale: ({ status, phone_number_id: number, updated_at: since }, scope) =>
    status === 'inactive' && (number ?? null) === null && isStale(since, scope)
      ? { detail: 'is inactive and was not changed since.', since }
      : undefined,
  contentOf: (item) => Object.entries(item).filter(([name]) => !ownFields.has(name)),
}
